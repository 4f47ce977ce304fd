import { appendRows, type Db } from '../db.js';

/** Lessons of a project, the files that are made of them, its crystal. */
export type ProjectStep = 'project' | 'page' | 'crystal';

export interface PassedKey {
  /** `session`: name is its id and agent says whose; the others: a slug, or `global`. */
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

/** Saves the list of skipped items. */
export async function savePassed(db: Db, passed: readonly Passed[]): Promise<void> {
  await db.run('DELETE FROM own.passed_over');
  await appendRows(
    db,
    'own.passed_over',
    passed.map((each) => ({ ...each })),
  );
}
