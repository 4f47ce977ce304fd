import { filesShown, filesWritten, isSecretPath } from '../shell/index.js';
import type { RawEntry } from '../types.js';

/** Rules for files whose content must not be stored, in addition to the fixed list. */
export interface StorageRules {
  /** The project's ignore files; the path is absolute or relative to the raw entry's folder. */
  isIgnored?: (path: string, cwd: string | null) => boolean;
}

type StoragePlan = { store: 'keep' } | { store: 'drop-content'; paths: string[] };

/** Longest text of an edit: path and changed lines. */
const EDIT_LIMIT = 4096;
const EDITS =
  /^(?:edit|multiedit|notebookedit|write|apply_patch|str_replace\w*|update_file|create_file|write_file|edit_file|replace|patch|search_replace|insert_edit_into_file|write_to_file|apply_diff|filechange)$/i;

/**
 * Whether a raw entry's text may be stored. This depends on a file tool's path arguments, or on the
 * files that a shell call prints (cat, head, tail, sed) or writes.
 */
export function planStorage(raw: RawEntry, rules: StorageRules): StoragePlan {
  if (raw.role === 'assistant' || raw.role === 'thinking' || raw.origin === 'user')
    return { store: 'keep' };
  const named =
    raw.command === null
      ? raw.files
      : raw.role === 'tool_call'
        ? filesWritten(raw.command)
        : filesShown(raw.command);
  const paths = secretOnes(named, raw, rules);
  return paths.length === 0 ? { store: 'keep' } : { store: 'drop-content', paths };
}

/** Secret files that a shell call prints: its result is not stored, whatever it contains. */
export function secretFilesShown(raw: RawEntry, rules: StorageRules): string[] {
  const isCall = raw.role === 'tool_call' && raw.command !== null;
  return isCall ? secretOnes(filesShown(raw.command!), raw, rules) : [];
}

function secretOnes(paths: readonly string[], { cwd }: RawEntry, rules: StorageRules): string[] {
  const ignored = (path: string): boolean => rules.isIgnored?.(path, cwd) ?? false;
  return [...new Set(paths.filter((path) => isSecretPath(path, ignored)))];
}

/** The raw entry as it is stored: secret content dropped but its path kept, edits cut to 4 KiB. */
export function storable(raw: RawEntry, plan: StoragePlan): RawEntry {
  const isCall = raw.role === 'tool_call';
  const isEdit = isCall && raw.command === null && EDITS.test(raw.tool ?? '');
  if (plan.store === 'keep')
    return isEdit && raw.text.length > EDIT_LIMIT ? { ...raw, text: cutEdit(raw.text) } : raw;
  const text = `${plan.paths.join(', ')} [content not stored]`;
  return { ...raw, text, command: isCall && raw.command !== null ? text : raw.command };
}

function cutEdit(text: string): string {
  const line = text.lastIndexOf('\n', EDIT_LIMIT - 60);
  const kept = text.slice(0, line > EDIT_LIMIT / 2 ? line : EDIT_LIMIT - 60);
  return `${kept}\n[… ${text.length - kept.length} characters left out]`;
}
