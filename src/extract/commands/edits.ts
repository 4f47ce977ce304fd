import type { Entry } from '../../types.js';
import { placeIn } from '../shell/place.js';

const EDITORS =
  /^(?:multi_?edit|edit|write|notebook_?edit|apply_patch|patch|str_replace\w*|create\w*|replace\w*|write_\w+|edit_\w+|update\w*|insert\w*|file_?edit\w*|file_?write\w*|.*_(?:edit|write)_file|fs_write|append\w*)$/i;

/** One file changed by a call. */
export interface Change {
  at: number;
  entry: Entry;
  /** Below the project's root. */
  file: string;
}

/** Whether a tool call changes files. */
const isEdit = (entry: Entry): boolean =>
  entry.role === 'tool_call' &&
  entry.command === null &&
  entry.files.length > 0 &&
  EDITORS.test((entry.tool ?? '').replace(/^.*[.:/]/, ''));

/** Files of the project that the session changed, in order; failed and refused edits are left out. */
export function changesOf(entries: Entry[], roots: string[]): Change[] {
  const failed = new Set<string>();
  for (const e of entries) {
    if (e.role === 'tool_result' && e.call !== null && e.outcome !== null && e.outcome !== 'ok') failed.add(e.call);
  }
  const changes: Change[] = [];
  entries.forEach((entry, at) => {
    if (!isEdit(entry) || entry.copied || (entry.call !== null && failed.has(entry.call))) return;
    for (const path of entry.files) {
      const file = path.startsWith('/') || entry.cwd === null ? placeIn(roots, path) : placeIn(roots, `${entry.cwd}/${path}`);
      if (file !== null && file !== '') changes.push({ at, entry, file });
    }
  });
  return changes;
}
