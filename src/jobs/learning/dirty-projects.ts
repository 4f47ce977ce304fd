/**
 * Projects whose lessons must be computed again. Kept with the candidates in one transaction, so
 * that a killed run leaves nothing behind.
 */
import { metaValue, setMeta, type Db } from '../../store/index.js';

const KEY = 'unlearnt';

/** Ids of projects; the person's own lessons are always looked at with them. */
export async function loadDirtyProjects(db: Db): Promise<Set<string>> {
  return new Set(JSON.parse((await metaValue(db, KEY)) ?? '[]') as string[]);
}

/** Call it in the transaction that replaces candidates. */
export async function markDirty(db: Db, projects: Iterable<string>): Promise<void> {
  return save(db, new Set([...(await loadDirtyProjects(db)), ...projects]));
}

/** Call it in the transaction that saves the lessons. */
export async function clearDirty(db: Db, projects: readonly string[]): Promise<void> {
  const left = await loadDirtyProjects(db);
  if (projects.filter((project) => left.delete(project)).length > 0) await save(db, left);
}

function save(db: Db, projects: ReadonlySet<string>): Promise<void> {
  return setMeta(db, KEY, JSON.stringify([...projects].sort()));
}
