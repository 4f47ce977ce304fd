import { appendRows, type Db } from '../db.js';

/** A project's lessons, its pages, its crystal. */
export type ProjectStep = 'project' | 'page' | 'crystal';

export interface PassedKey {
  /** `session`: `name` is its id, with its agent; otherwise `name` is a slug or `global`. */
  kind: 'session' | ProjectStep;
  agent: string;
  name: string;
}

/** A session or project that is skipped after an error. */
export interface Passed extends PassedKey {
  error: string;
  since: string;
}

/** All skipped items, oldest first. */
export function loadPassed(db: Db): Promise<Passed[]> {
  return db.all('FROM own.passed_over ORDER BY since, kind, agent, name');
}

const KEY = 'kind = $kind AND agent = $agent AND name = $name';

/** Notes the error of a skipped item; the time of its first failure stays. */
export async function savePassed(db: Db, { since, error, ...key }: Passed): Promise<void> {
  const known = await db.run(`UPDATE own.passed_over SET error = $error WHERE ${KEY}`, {
    ...key,
    error,
  });
  if (known === 0) await appendRows(db, 'own.passed_over', [{ ...key, error, since }]);
}

export async function forgetPassed(db: Db, keys: readonly PassedKey[]): Promise<void> {
  for (const key of keys) await db.run(`DELETE FROM own.passed_over WHERE ${KEY}`, { ...key });
}
