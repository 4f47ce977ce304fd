import { EDIT_COLUMNS, type Edit, type EditLine } from '../../types.js';
import { byOwner, fromRow, listed, type Db } from '../db.js';
import type { TextKey } from './texts.js';

/** Owner of lessons and edits: a project id, or '' for the person. */
export function ownerOf(project: string | null): string {
  return project ?? '';
}

/** Stores an edit of a lesson; insert-only. */
export async function addEdit(db: Db, project: string | null, edit: Edit): Promise<void> {
  const fields = Object.keys(EDIT_COLUMNS) as (keyof Edit)[];
  await db.run(
    `INSERT INTO own.edits (n, owner, ${fields.join(', ')})
     SELECT coalesce(max(n), 0) + 1, $owner, ${fields.map((field) => `$${field}::${EDIT_COLUMNS[field].type}`).join(', ')}
       FROM own.edits`,
    {
      owner: ownerOf(project),
      ...Object.fromEntries(fields.map((field) => [field, edit[field] ?? null])),
    },
  );
}

/** Without the file in which an edit was found; only `openFileEdits` needs it. */
const { place: _place, ...WITHOUT_PLACE } = EDIT_COLUMNS;

/** Edits of each of these projects (null: of the person), oldest first. */
export async function editsByOwner(
  db: Db,
  projects: readonly (string | null)[],
): Promise<(project: string | null) => Edit[]> {
  const found = await byOwner<Edit>(
    db,
    `SELECT e.owner AS of, ${listed('e', WITHOUT_PLACE)} FROM own.edits e WHERE e.owner IN (SELECT unnest($owners::VARCHAR[])) ORDER BY n`,
    { owners: projects.map(ownerOf) },
  );
  return (project) => found(project).map(fromRow(WITHOUT_PLACE));
}

/** Edits of one owner. */
export async function loadEdits(db: Db, project: string | null): Promise<Edit[]> {
  return (await editsByOwner(db, [project]))(project);
}

/**
 * Stores new edits. Compares all their fields and their time, since a file that is read again
 * contains the same edits.
 * @returns the new ones
 */
export async function addNewEdits<E extends Edit>(
  db: Db,
  project: string | null,
  edits: readonly E[],
): Promise<E[]> {
  if (edits.length === 0) return [];
  const known = new Set((await loadEdits(db, project)).map(keyOf));
  const fresh = edits.filter((edit) => !known.has(keyOf(edit)));
  for (const edit of fresh) await addEdit(db, project, edit);
  return fresh;
}

/**
 * The edit with the ids that lessons have in another project. The text of an `apart` edit is an id,
 * too.
 */
function renamed<E extends Edit>(edit: E, ids: ReadonlyMap<string, string>): E {
  const text =
    edit.action === 'apart' && edit.text !== null ? (ids.get(edit.text) ?? edit.text) : edit.text;
  return { ...edit, lesson: ids.get(edit.lesson) ?? edit.lesson, text };
}

/** A person may write a time without milliseconds. */
function keyOf({ lesson, action, text, kind, scope, time }: Edit): string {
  return JSON.stringify([lesson, action, text, kind, scope, Date.parse(time)]);
}

/**
 * Moves the edits of a project that became part of another one. The rows keep their author and
 * file, since a log may still show the author.
 * @param idOf the lesson's id there. A lesson that was added and not learnt yet has no key; its id
 * then comes from its first words
 */
export async function moveEdits(
  db: Db,
  from: string,
  into: string,
  idOf: (lesson: { kind: string; key: string | null; text: string }) => string,
): Promise<void> {
  const lessons = await db.all<{ id: string; kind: string; key: string; text: string }>(
    'SELECT id, kind, key, text FROM own.lessons WHERE owner = $from',
    { from },
  );
  const added = await db.all<{ id: string; kind: string; text: string }>(
    `SELECT lesson AS id, coalesce(kind, 'fact') AS kind, text FROM own.edits WHERE owner = $from AND action = 'add' AND ` +
      'text IS NOT NULL ORDER BY n DESC',
    { from },
  );
  const ids = new Map(
    [...added.map((lesson) => ({ ...lesson, key: null })), ...lessons].map((lesson) => [
      lesson.id,
      idOf(lesson),
    ]),
  );
  const known = new Set((await loadEdits(db, into)).map(keyOf));
  const rows = await db.all<Edit & { n: number }>(
    `SELECT n::INTEGER AS n, ${listed('e', WITHOUT_PLACE)} FROM own.edits e WHERE owner = $from ORDER BY n`,
    { from },
  );
  for (const { n, ...edit } of rows) {
    const there = renamed(edit, ids);
    if (known.has(keyOf(there))) await db.run('DELETE FROM own.edits WHERE n = $n', { n });
    else
      await db.run(
        'UPDATE own.edits SET owner = $into, lesson = $lesson, text = $text WHERE n = $n',
        { n, into, lesson: there.lesson, text: there.text },
      );
  }
}

/**
 * Copies edits in their order, when sessions move to another project and the old project stays.
 * Edits of lessons with evidence from these sessions then count in both.
 * @param idOf as in `moveEdits`
 */
export async function copyEdits(
  db: Db,
  from: string,
  into: string,
  sessions: readonly { agent: string; session: string }[],
  idOf: (lesson: { kind: string; key: string | null; text: string }) => string,
): Promise<void> {
  const lessons = await db.all<{ id: string; kind: string; key: string; text: string }>(
    `SELECT id, kind, key, text FROM own.lessons WHERE owner = $from AND id IN (SELECT lesson FROM own.edits WHERE owner = $from)
       AND id IN (SELECT lesson FROM own.evidence WHERE owner = $from AND (agent, session) IN
         (SELECT (unnest($agents::VARCHAR[]), unnest($names::VARCHAR[]))))`,
    {
      from,
      agents: sessions.map(({ agent }) => agent),
      names: sessions.map(({ session }) => session),
    },
  );
  if (lessons.length === 0) return;
  const ids = new Map(lessons.map((lesson) => [lesson.id, idOf(lesson)]));
  const edits = (await loadEdits(db, from)).filter(({ lesson }) => ids.has(lesson));
  await addNewEdits(
    db,
    into,
    edits.map((edit) => renamed(edit, ids)),
  );
}

/** An edit that was found in a file, and that no log has attributed to an agent. */
export interface FileEdit extends Edit {
  n: number;
  /** Project id, '' for the person. */
  owner: string;
  place: string;
}

export async function openFileEdits(db: Db): Promise<FileEdit[]> {
  const rows = await db.all<FileEdit>(
    `SELECT n::INTEGER AS n, owner, ${listed('e', EDIT_COLUMNS)} FROM own.edits e WHERE place IS NOT NULL AND author IS NULL
     ORDER BY n`,
  );
  return rows.map(fromRow(EDIT_COLUMNS));
}

export async function setEditAuthors(
  db: Db,
  authors: readonly { n: number; author: string }[],
): Promise<void> {
  for (const { n, author } of authors)
    await db.run('UPDATE own.edits SET author = $author WHERE n = $n', { n, author });
}

/** A tool call without its text; `n` is the key of the text. */
interface NamingCall extends TextKey {
  agent: string;
  time: string | null;
  command: string | null;
}

/**
 * Tool calls above an entry number whose folder, command or files contain all these words, oldest
 * first.
 */
export function callsNaming(
  db: Db,
  needles: readonly string[],
  after: number,
): Promise<NamingCall[]> {
  const where = needles.map((_, at) => `contains(place, $needle${at})`).join(' AND ');
  return db.all(
    `SELECT n, length, agent, time, command FROM (
       SELECT n, length, agent, time, command, concat_ws(' ', cwd, command, array_to_string(files, ' ')) AS place
         FROM own.entries WHERE role = 'tool_call' AND n > $after)
     WHERE ${where} ORDER BY n`,
    { after, ...Object.fromEntries(needles.map((needle, at) => [`needle${at}`, needle])) },
  );
}

/** Edits of one lesson, newest first. */
export function editsOf(db: Db, lesson: string): Promise<EditLine[]> {
  return db.all(
    `SELECT action, time AS at, coalesce(author, 'person') AS by, text FROM own.edits WHERE lesson = $lesson ORDER BY n DESC`,
    { lesson },
  );
}
