/**
 * Projects whose lessons must be computed again. Kept with the candidates in one transaction, so
 * that a killed run leaves nothing behind.
 */
import { metaValue, projectsWithNewest, setMeta, type Db } from '../../store/index.js';

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

// Ages are counted up to the clock. What was learnt while it was behind the newest entries (a
// machine that woke in 1970) is learnt again when it has passed them: no entry comes that would ask
// for it, and the night may be done already.

/** The wall clock of the last learning. */
const LEARNT_AT = 'learnt_at';

/**
 * Call it in the transaction that saves lessons: a clock that went back since counts from there.
 */
export async function noteClockBack(db: Db, now: string): Promise<void> {
  const at = await metaValue(db, LEARNT_AT);
  if (at !== null && now < at) await setMeta(db, LEARNT_AT, now);
}

/**
 * Projects whose sessions the clock had not reached when they were learnt, and has now. Ask before
 * sessions are extracted: those are learnt anyway, and so are projects that are dirty since an
 * earlier slice.
 */
export async function overtakenProjects(db: Db, now: string): Promise<string[]> {
  const at = await metaValue(db, LEARNT_AT);
  if (at === null || now <= at) return [];
  const [found, dirty] = [await projectsWithNewest(db, at, now), await loadDirtyProjects(db)];
  return found.filter((id) => !dirty.has(id));
}

/** Call it when everything was learnt that `overtakenProjects` named at this time. */
export function noteLearnt(db: Db, now: string): Promise<void> {
  return setMeta(db, LEARNT_AT, now);
}

function save(db: Db, projects: ReadonlySet<string>): Promise<void> {
  return setMeta(db, KEY, JSON.stringify([...projects].sort()));
}
