import type { Draft } from '../types.js';
import { isSecretPath } from './secret-path.js';
import { filesShown, filesWritten } from './shell-files.js';

/** Whose content may not be stored besides the fixed list. */
export interface StorageRules {
  /** The project's ignore files; the path is absolute or relative to the draft's folder. */
  isIgnored?: (path: string, cwd: string | null) => boolean;
}

export type StoragePlan = { store: 'keep' } | { store: 'drop-content'; paths: string[] };

/** Longest text of an edit: path and changed lines. */
const EDIT_LIMIT = 4096;
const EDITS =
  /^(?:edit|multiedit|notebookedit|write|apply_patch|str_replace\w*|update_file|create_file|write_file|edit_file|replace|patch|search_replace|insert_edit_into_file|write_to_file|apply_diff|filechange)$/i;

/**
 * Whether what a draft says may be stored. File tools are judged by their path arguments, shell calls by the file that
 * cat, head, tail, sed and the like show or that the command itself writes.
 */
export function planStorage(draft: Draft, rules: StorageRules): StoragePlan {
  if (draft.role === 'assistant' || draft.role === 'thinking' || draft.origin === 'user') return { store: 'keep' };
  const named =
    draft.command === null ? draft.files : draft.role === 'tool_call' ? filesWritten(draft.command) : filesShown(draft.command);
  const paths = secretOnes(named, draft, rules);
  return paths.length === 0 ? { store: 'keep' } : { store: 'drop-content', paths };
}

/** Files of secrets that a shell call prints: its result may not be stored, whatever the result itself says of its command. */
export const secretFilesShown = (draft: Draft, rules: StorageRules): string[] =>
  draft.role === 'tool_call' && draft.command !== null && draft.origin !== 'user'
    ? secretOnes(filesShown(draft.command), draft, rules)
    : [];

function secretOnes(paths: readonly string[], { cwd }: Draft, rules: StorageRules): string[] {
  const ignored = (path: string): boolean => rules.isIgnored?.(path, cwd) ?? false;
  return [...new Set(paths.filter((path) => isSecretPath(path, ignored)))];
}

/** The draft as it may be stored: content dropped but its path kept, edits cut to 4 KiB. */
export function storable(draft: Draft, plan: StoragePlan): Draft {
  if (plan.store === 'keep') return isLongEdit(draft) ? { ...draft, text: cutEdit(draft.text) } : draft;
  const stub = `${plan.paths.join(', ')} [content not stored]`;
  return { ...draft, text: stub, command: draft.role === 'tool_call' && draft.command !== null ? stub : draft.command };
}

function isLongEdit(draft: Draft): boolean {
  return draft.role === 'tool_call' && draft.command === null && draft.text.length > EDIT_LIMIT && EDITS.test(draft.tool ?? '');
}

/** Whole lines within the limit, and how many characters are missing. */
function cutEdit(text: string): string {
  const line = text.lastIndexOf('\n', EDIT_LIMIT - 60);
  const kept = text.slice(0, line > EDIT_LIMIT / 2 ? line : EDIT_LIMIT - 60);
  return `${kept}\n[… ${text.length - kept.length} characters left out]`;
}
