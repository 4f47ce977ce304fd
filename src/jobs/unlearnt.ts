/** Projects whose lessons must be computed anew. Kept with the candidates in one transaction, so that a killed run leaves nothing behind. */
import { metaValue, setMeta, type Db } from '../store/index.js';

const KEY = 'unlearnt';

/** Ids of projects; the person's own lessons are always looked at with them. */
export const loadUnlearnt = async (db: Db): Promise<Set<string>> =>
  new Set(JSON.parse((await metaValue(db, KEY)) ?? '[]') as string[]);

/** Call it in the transaction that replaces candidates. */
export const addUnlearnt = async (db: Db, projects: Iterable<string>): Promise<void> =>
  save(db, new Set([...(await loadUnlearnt(db)), ...projects]));

/** Call it in the transaction that saves the lessons. */
export const dropUnlearnt = async (db: Db, project: string): Promise<void> => {
  const left = await loadUnlearnt(db);
  if (left.delete(project)) await save(db, left);
};

const save = (db: Db, projects: ReadonlySet<string>): Promise<void> => setMeta(db, KEY, JSON.stringify([...projects].sort()));
