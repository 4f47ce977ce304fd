import type { Extraction } from '../types.js';
import type { Db } from './db.js';

/** What a session yielded, and the project that it belongs to. */
export interface Yield {
  agent: string;
  session: string;
  project: string;
  extraction: Extraction;
  /** The session's `lastN` when its entries were read. */
  upTo: number;
}

export interface ExtractionMark {
  extractor: number;
  now: string;
}

const TABLES = ['candidates', 'sightings', 'relations', 'episodes'] as const;

const WANTED = `(SELECT unnest($agents) AS agent, unnest($sessions) AS session) w`;
const IS_WANTED = 'o.agent = w.agent AND o.session = w.session';

/**
 * Replaces all that sessions yielded before, and settles their projects; call it inside `store.write`. Its ten statements take as long
 * for one session as for thirty.
 *
 * @param yields each session once
 * @returns ids of the projects whose lessons have to be computed anew: the sessions' own, their former ones, and those of sessions
 *   with the same opening, which may just have been recognised as machine-made
 */
export async function replaceExtractions(db: Db, yields: readonly Yield[], mark: ExtractionMark): Promise<string[]> {
  if (yields.length === 0) return [];
  const wanted = { agents: yields.map(({ agent }) => agent), sessions: yields.map(({ session }) => session) };
  const before = await db.all<{ project: string }>(`SELECT DISTINCT o.project FROM own.candidates o JOIN ${WANTED} ON ${IS_WANTED}`, wanted);
  for (const table of TABLES) await db.run(`DELETE FROM own.${table} o USING ${WANTED} WHERE ${IS_WANTED}`, wanted);
  await insertYields(db, yields);
  await markExtracted(db, yields, mark);
  const hashes = [...new Set(yields.flatMap(({ extraction }) => (extraction.opening ? [extraction.opening.hash] : [])))];
  const same = hashes.length === 0 ? [] : await db.all<{ project: string }>(
    'SELECT DISTINCT project_id AS project FROM own.session_facts WHERE opening_hash IN (SELECT unnest($hashes)) AND project_id IS NOT NULL', { hashes },
  );
  return [...new Set([...yields, ...before, ...same].map(({ project }) => project))].sort();
}

/** A list holds no NULL: without an opening its hash is '' here and its numbers are -1. */
async function markExtracted(db: Db, yields: readonly Yield[], { extractor, now }: ExtractionMark): Promise<void> {
  const openings = yields.map(({ extraction }) => extraction.opening ?? null);
  await db.run(
    `UPDATE own.sessions o SET project = w.project, extracted_n = w.up_to, extractor = $extractor, extracted = $now::TIMESTAMP,
       opening_hash = nullif(w.hash, ''), opening_length = nullif(w.length, -1)::INTEGER, typed_later = nullif(w.typed, -1) = 1
     FROM (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($projects) AS project, unnest($upTo::BIGINT[]) AS up_to,
       unnest($hashes) AS hash, unnest($lengths::BIGINT[]) AS length, unnest($typed::BIGINT[]) AS typed) w WHERE ${IS_WANTED}`,
    {
      extractor, now,
      agents: yields.map(({ agent }) => agent), sessions: yields.map(({ session }) => session), projects: yields.map(({ project }) => project),
      upTo: yields.map(({ upTo }) => upTo), hashes: openings.map((opening) => opening?.hash ?? ''),
      lengths: openings.map((opening) => opening?.length ?? -1), typed: openings.map((opening) => (opening === null ? -1 : Number(opening.typedLater))),
    },
  );
}

/** Rows of all sessions with the place that each belongs to. */
const placed = <T>(yields: readonly Yield[], rowsOf: (extraction: Extraction) => readonly T[]) => {
  const rows = yields.flatMap(({ agent, session, project, extraction }) => rowsOf(extraction).map((row) => ({ agent, session, project, row })));
  return {
    rows: rows.map(({ row }) => row),
    place: { agent: rows.map(({ agent }) => agent), session: rows.map(({ session }) => session), project: rows.map(({ project }) => project) },
  };
};

async function insertYields(db: Db, yields: readonly Yield[]): Promise<void> {
  const candidates = placed(yields, ({ candidates }) => candidates);
  await db.append('own.candidates', { ...candidates.place, payload: candidates.rows.map((candidate) => JSON.stringify(candidate)) });
  const sightings = placed(yields, ({ sightings }) => sightings);
  await db.append('own.sightings', {
    ...sightings.place, token: sightings.rows.map((s) => s.token), origin: sightings.rows.map((s) => s.origin), time: sightings.rows.map((s) => s.time),
    seq: sightings.rows.map((s) => s.seq ?? null),
  });
  const relations = placed(yields, ({ relations }) => relations);
  await db.append('own.relations', {
    ...relations.place, source: relations.rows.map((r) => r.from), rel: relations.rows.map((r) => r.rel), target: relations.rows.map((r) => r.to),
  });
  const episodes = placed(yields, ({ episode }) => (episode ? [episode] : []));
  const column = <T>(pick: (episode: (typeof episodes.rows)[number]) => T): T[] => episodes.rows.map(pick);
  await db.append('own.episodes', {
    ...episodes.place, title: column((e) => e.title), summary: column((e) => e.summary), day: column((e) => e.day), outcome: column((e) => e.outcome),
    signal: column((e) => e.signal), problem: column((e) => e.problem), solution: column((e) => e.solution), lesson: column((e) => e.lesson),
    files: column((e) => e.files), commands: column((e) => e.commands), commits: column((e) => e.commits), unfinished: column((e) => e.unfinished),
    next_step: column((e) => e.nextStep),
  });
}
