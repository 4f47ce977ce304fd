import type { Edit } from '../types.js';
import type { Db } from './db.js';

/** Lessons and edits belong to a project id, or to '' = the person. */
export const ownerOf = (project: string | null): string => project ?? '';

/** Remembers what a person did to a lesson; insert-only. */
export async function addEdit(db: Db, project: string | null, edit: Edit): Promise<void> {
  const { lesson, action, text, kind, scope, time } = edit;
  await db.run(
    `INSERT INTO own.edits SELECT coalesce(max(n), 0) + 1, $owner, $lesson, $action, $text, $kind, $scope, $time::TIMESTAMP FROM own.edits`,
    { owner: ownerOf(project), lesson, action, text, kind, scope, time },
  );
}

const COLUMNS = 'lesson, action, text, kind, scope, time';

/** Edits of one project (null: of the person), oldest first. */
export const loadEdits = (db: Db, project: string | null): Promise<Edit[]> =>
  db.all(`SELECT ${COLUMNS} FROM own.edits WHERE owner = $owner ORDER BY n`, { owner: ownerOf(project) });

/** Stores those that are not there yet, told by all they say and when; a file that is read again brings the same ones. @returns the new ones */
export async function addNewEdits<E extends Edit>(db: Db, project: string | null, edits: readonly E[]): Promise<E[]> {
  const known = new Set((await loadEdits(db, project)).map(keyOf));
  const fresh = edits.filter((edit) => !known.has(keyOf(edit)));
  for (const edit of fresh) await addEdit(db, project, edit);
  return fresh;
}

/** A person may write a time without milliseconds. */
const keyOf = ({ lesson, action, text, kind, scope, time }: Edit): string => JSON.stringify([lesson, action, text, kind, scope, Date.parse(time)]);

/** A person's edits of a project that became part of another one. @param idOf the lesson's id there, or null for one that nobody knows */
export async function moveEdits(db: Db, from: string, into: string, idOf: (lesson: { id: string; kind: string; key: string }) => string): Promise<void> {
  const known = await db.all<{ id: string; kind: string; key: string }>('SELECT id, kind, key FROM own.lessons WHERE owner = $from', { from });
  const ids = new Map(known.map((lesson) => [lesson.id, idOf(lesson)]));
  const moved = (await loadEdits(db, from)).map((edit) => ({ ...edit, lesson: ids.get(edit.lesson) ?? edit.lesson }));
  await addNewEdits(db, into, moved);
  await db.run('DELETE FROM own.edits WHERE owner = $from', { from });
}
