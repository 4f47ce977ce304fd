/** What a person changed in detail/*.md since we wrote it, as edit events. */

import type { Edit, LessonKind } from '../types.js';
import { planAdd, planForget, planReword } from './edit-plans.js';
import { compareText } from './order.js';

/** One detail file as a person left it. */
export interface DetailFile {
  /** Kind of a bullet that was added here. */
  kind: LessonKind;
  bullets: readonly { id: string | null; text: string; state: 'same' | 'changed' | 'new' }[];
  /** Ids that we wrote here and that are gone. */
  missing: readonly string[];
  /** ISO 8601 UTC, when the file was saved. */
  time: string;
}

/**
 * Changed words keep their kind; a bullet that was moved to another file takes that file's kind; one without an id, or with an id that
 * still stands elsewhere, is a new lesson.
 * @param project project id, or null for the person's own files
 */
export function planDetailEdits(files: readonly DetailFile[], project: string | null): Edit[] {
  const missing = new Map(files.flatMap((file) => file.missing.map((id) => [id, file] as const)));
  const moved = new Set<string>();
  const edits: Edit[] = [];
  for (const file of files) {
    for (const { id, text, state } of file.bullets) {
      if (state === 'same') continue;
      if (id !== null && state === 'changed')
        edits.push(text === '' ? planForget(id, file.time) : planReword(id, text, null, file.time));
      else if (id !== null && missing.has(id) && !moved.has(id)) {
        moved.add(id);
        edits.push(planReword(id, text, file.kind, file.time));
      } else if (text !== '') edits.push(planAdd(project, file.kind, text, file.time));
    }
  }
  for (const [id, file] of missing) if (!moved.has(id)) edits.push(planForget(id, file.time));
  return edits.sort((a, b) => compareText(a.lesson, b.lesson) || compareText(a.action, b.action));
}
