/**
 * Projects whose lessons must be computed anew. Kept with the candidates in one transaction, so that a killed run leaves nothing
 * behind.
 */
import { metaValue, setMeta, type Db } from '../../store/index.js';

const KEY = 'unlearnt';

/** Ids of projects; the person's own lessons are always looked at with them. */
export async function loadUnlearnt(db: Db): Promise<Set<string>> {
  return new Set(JSON.parse((await metaValue(db, KEY)) ?? '[]') as string[]);
}

/** Call it in the transaction that replaces candidates. */
export async function addUnlearnt(db: Db, projects: Iterable<string>): Promise<void> {
  return save(db, new Set([...(await loadUnlearnt(db)), ...projects]));
}

/** Call it in the transaction that saves the lessons. */
export async function dropUnlearnt(db: Db, project: string): Promise<void> {
  const left = await loadUnlearnt(db);
  if (left.delete(project)) await save(db, left);
}

function save(db: Db, projects: ReadonlySet<string>): Promise<void> {
  return setMeta(db, KEY, JSON.stringify([...projects].sort()));
}
