/** The hashes of purged items. With them a log that is read again restores nothing. */
import type { Edit } from '../../types.js';
import type { Db, Params } from '../db.js';
import { metaValue, setMeta } from '../rows/meta.js';
import { shortHash } from '../../text/fingerprint.js';

function hash(...parts: string[]): string {
  return shortHash(parts.join('\0'), 16);
}

/** Marks in `own.purged`, in addition to ids of entries. */
export function purgedLog(path: string): string {
  return `log:${hash(path)}`;
}
export function purgedSession(agent: string, session: string): string {
  return `session:${hash(agent, session)}`;
}
/** Mark of a title, folder or branch that a log gives its session. */
export function purgedFact(agent: string, session: string, value: string): string {
  return `fact:${hash(agent, session, value)}`;
}
/**
 * Mark of a person's edit of a lesson. The hash excludes the lesson's id, which changes if the
 * lesson moves to another project.
 */
export function purgedEdit({ action, text, time }: Pick<Edit, 'action' | 'text' | 'time'>): string {
  return `edit:${hash(action, text ?? '', String(Date.parse(time)))}`;
}

/**
 * Stores the hashes of edits before the edits are deleted, since an older export still contains
 * them.
 */
export async function addPurgedEdits(db: Db, where: string, params: Params): Promise<void> {
  const edits = await db.all<Edit>(
    `SELECT action, text, time FROM own.edits WHERE ${where}`,
    params,
  );
  await addPurged(db, edits.map(purgedEdit));
}

/** Deletes edits that were purged in another home. @returns how many */
export async function dropMarkedEdits(db: Db, marks: ReadonlySet<string>): Promise<number> {
  const edits = await db.all<Edit & { n: number }>(
    'SELECT n::INTEGER AS n, action, text, time FROM own.edits',
  );
  const gone = edits.filter((edit) => marks.has(purgedEdit(edit))).map(({ n }) => n);
  return gone.length === 0
    ? 0
    : db.run('DELETE FROM own.edits WHERE n IN (SELECT unnest($gone::INTEGER[]))', { gone });
}

/** Adds ids and marks that are not stored yet. */
export async function addPurged(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.run(
    'INSERT INTO own.purged SELECT DISTINCT id FROM (SELECT unnest($ids) AS id) n WHERE NOT EXISTS (FROM own.purged p WHERE ' +
      'p.id = n.id)',
    { ids },
  );
}

/** All ids and marks, in order. */
export async function loadPurged(db: Db, prefix = ''): Promise<string[]> {
  const rows = await db.all<{ id: string }>(
    'SELECT DISTINCT id FROM own.purged WHERE starts_with(id, $prefix) ORDER BY id',
    { prefix },
  );
  return rows.map(({ id }) => id);
}

/** Which of these marks are known. */
export async function knownMarks(db: Db, marks: readonly string[]): Promise<Set<string>> {
  if (marks.length === 0) return new Set();
  const rows = await db.all<{ id: string }>(
    'SELECT id FROM own.purged WHERE id IN (SELECT unnest($marks))',
    { marks },
  );
  return new Set(rows.map(({ id }) => id));
}

const OPEN = 'purge_open';

/** Whether a purge was interrupted after it had removed its rows. */
export async function isPurgeOpen(db: Db): Promise<boolean> {
  return (await metaValue(db, OPEN)) !== null;
}

export async function setPurgeOpen(db: Db, isOpen: boolean): Promise<void> {
  if (isOpen) await setMeta(db, OPEN, 'yes');
  else await db.run('DELETE FROM main.meta WHERE key = $key', { key: OPEN });
}
