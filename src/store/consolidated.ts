/** What a model was asked about the lessons of a project as a whole, and what it proposed. */
import type { Offered, Proposal } from '../types.js';
import { first, type Db } from './db.js';

export type ProjectPurpose = 'consolidate' | 'context';

/** The next project that was not asked about since a time, with what it looked like then; null when none is left. */
export const openProject = (
  db: Db,
  purpose: ProjectPurpose,
  since: string,
): Promise<{ project: string; fingerprint: string | null } | null> =>
  first(
    db,
    `SELECT p.id AS project, c.fingerprint FROM own.projects p LEFT JOIN own.consolidated c ON c.owner = p.id AND c.purpose = $purpose
     WHERE (c.time IS NULL OR c.time < $since::TIMESTAMP) AND EXISTS (FROM own.lessons l WHERE l.owner = p.id) ORDER BY p.id LIMIT 1`,
    { purpose, since },
  );

export async function markConsolidated(
  db: Db,
  owner: string,
  purpose: ProjectPurpose,
  fingerprint: string,
  time: string,
): Promise<void> {
  await db.run('DELETE FROM own.consolidated WHERE owner = $owner AND purpose = $purpose', { owner, purpose });
  await db.append('own.consolidated', { owner: [owner], purpose: [purpose], fingerprint: [fingerprint], time: [time] });
}

/** Adds proposals; what was proposed about the same lessons before is replaced. */
export async function addProposals(db: Db, owner: string, proposals: readonly Proposal[], time: string): Promise<void> {
  for (const { what, lessons } of proposals)
    await db.run('DELETE FROM own.proposals WHERE what = $what AND lessons = $lessons', { what, lessons });
  await db.append('own.proposals', {
    owner: proposals.map(() => owner),
    what: proposals.map((p) => p.what),
    lessons: proposals.map((p) => p.lessons),
    before: proposals.map((p) => p.before),
    text: proposals.map((p) => p.text),
    time: proposals.map(() => time),
  });
}

/** In the order in which they were made: a later one may join what an earlier one made. */
export const loadProposals = (db: Db, owner: string): Promise<Proposal[]> =>
  db.all('SELECT what, lessons, before, text FROM own.proposals WHERE owner = $owner ORDER BY time, lessons', { owner });

/** Replaces what a model was offered for a project's context.md. */
export async function saveOffered(db: Db, owner: string, offered: readonly Offered[]): Promise<void> {
  await db.run('DELETE FROM own.offered WHERE owner = $owner', { owner });
  await db.append('own.offered', {
    owner: offered.map(() => owner),
    lesson: offered.map((o) => o.lesson),
    before: offered.map((o) => o.before),
    text: offered.map((o) => o.text),
    taken: offered.map((o) => o.taken),
  });
}

export const loadOffered = (db: Db, owner: string): Promise<Offered[]> =>
  db.all('SELECT lesson, before, text, taken FROM own.offered WHERE owner = $owner ORDER BY lesson', { owner });
