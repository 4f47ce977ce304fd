import type { Candidate, Episode, Extraction, Relation, Sighting } from '../../types.js';
import { type Db, type Value, appendRows, first, toJson } from '../db.js';
import { WANTED_SESSIONS, sessionLists } from './sessions.js';

/** What a session yielded, and the project that it belongs to. */
export interface Yield {
  agent: string;
  session: string;
  project: string;
  extraction: Extraction;
  /** The session's `lastN` when its entries were read. */
  upTo: number;
  /** How many of its texts were neither in the database nor in a tier. */
  lost?: number;
  /** See `activeSeconds`. */
  active?: number;
}

export interface ExtractionMark {
  extractor: number;
  now: string;
}

const TABLES = ['candidates', 'sightings', 'relations', 'episodes'] as const;

const IS_WANTED = 'o.agent = w.agent AND o.session = w.session';

/**
 * Replaces all that sessions yielded before, and settles their projects; call it inside `store.write`. Its ten statements take
 * as long for one session as for thirty.
 *
 * @param yields each session once
 * @returns ids of the projects whose lessons have to be computed anew: the sessions' own, their former ones, and those of
 * sessions with the same opening or frame, which may just have been recognised as machine-made
 */
export async function replaceExtractions(db: Db, yields: readonly Yield[], mark: ExtractionMark): Promise<string[]> {
  if (yields.length === 0) return [];
  const wanted = sessionLists(yields);
  const before = await db.all<{ project: string }>(
    `SELECT DISTINCT o.project FROM own.candidates o JOIN ${WANTED_SESSIONS} ON ${IS_WANTED}`,
    wanted,
  );
  for (const table of TABLES) await db.run(`DELETE FROM own.${table} o USING ${WANTED_SESSIONS} WHERE ${IS_WANTED}`, wanted);
  await insertYields(db, yields);
  await markExtracted(db, yields, mark);
  await saveHoles(db, yields, mark.now);
  const hashes = [
    ...new Set(
      yields.flatMap(({ extraction: { opening } }) =>
        opening ? [opening.hash, ...(opening.frame === null ? [] : [opening.frame])] : [],
      ),
    ),
  ];
  const same =
    hashes.length === 0
      ? []
      : await db.all<{ project: string }>(
          `SELECT DISTINCT project_id AS project FROM own.session_facts
     WHERE (opening_hash IN (SELECT unnest($hashes)) OR frame_hash IN (SELECT unnest($hashes))) AND project_id IS NOT NULL`,
          { hashes },
        );
  return [...new Set([...yields, ...before, ...same].map(({ project }) => project))].sort();
}

/** What a session yielded the last time; null when it was never extracted. */
export async function loadExtraction(db: Db, agent: string, session: string): Promise<Extraction | null> {
  const of = { agent, session };
  const IS = 'agent = $agent AND session = $session';
  const mark = await first<{ hash: string | null; length: number | null; frame: string | null; typed: boolean | null }>(
    db,
    `SELECT opening_hash AS hash, opening_length AS length, frame_hash AS frame, typed_later AS typed
     FROM own.sessions WHERE ${IS} AND extracted IS NOT NULL`,
    of,
  );
  if (mark === null) return null;
  const candidates = await db.all<{ payload: string }>(`SELECT payload FROM own.candidates WHERE ${IS}`, of);
  return {
    candidates: candidates.map(({ payload }) => JSON.parse(payload) as Candidate),
    sightings: await db.all<Sighting>(`SELECT token, origin, time, seq FROM own.sightings WHERE ${IS}`, of),
    relations: await db.all<Relation>(`SELECT source AS "from", rel, target AS "to" FROM own.relations WHERE ${IS}`, of),
    episode: await first<Episode>(
      db,
      `SELECT agent, session, title, summary, coalesce(day::VARCHAR, '') AS day, outcome, signal, problem, solution, lesson,
        files, commands,
         commits, unfinished, next_step AS "nextStep" FROM own.episodes WHERE ${IS}`,
      of,
    ),
    opening:
      mark.hash === null
        ? null
        : { hash: mark.hash, length: mark.length ?? 0, frame: mark.frame, typedLater: mark.typed ?? false },
  };
}

async function saveHoles(db: Db, yields: readonly Yield[], now: string): Promise<void> {
  await db.run(`DELETE FROM own.holes o USING ${WANTED_SESSIONS} WHERE ${IS_WANTED}`, sessionLists(yields));
  const holes = yields.filter(({ lost = 0 }) => lost > 0);
  await appendRows(
    db,
    'own.holes',
    holes.map(({ agent, session, lost = 0 }) => ({ agent, session, texts: lost, time: now })),
  );
}

/** A list holds no NULL: without an opening its hash is '' here and its numbers are -1. */
async function markExtracted(db: Db, yields: readonly Yield[], { extractor, now }: ExtractionMark): Promise<void> {
  const openings = yields.map(({ extraction }) => extraction.opening ?? null);
  await db.run(
    `UPDATE own.sessions o SET project = w.project, extracted_n = w.up_to, extractor = $extractor, extracted = $now::TIMESTAMP,
       opening_hash = nullif(w.hash, ''), opening_length = nullif(w.length, -1)::INTEGER, typed_later = nullif(w.typed, -1) = 1,
         frame_hash = nullif(w.frame, ''),
         active_seconds = nullif(w.active, -1)
     FROM (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($projects) AS project, unnest($upTo::BIGINT[])
       AS up_to,
       unnest($hashes) AS hash, unnest($lengths::BIGINT[]) AS length, unnest($typed::BIGINT[]) AS typed, unnest($frames) AS
         frame, unnest($active::BIGINT[]) AS active) w WHERE ${IS_WANTED}`,
    {
      extractor,
      now,
      ...sessionLists(yields),
      projects: yields.map(({ project }) => project),
      upTo: yields.map(({ upTo }) => upTo),
      active: yields.map(({ active = -1 }) => active),
      hashes: openings.map((opening) => opening?.hash ?? ''),
      frames: openings.map((opening) => opening?.frame ?? ''),
      lengths: openings.map((opening) => opening?.length ?? -1),
      typed: openings.map((opening) => (opening === null ? -1 : Number(opening.typedLater))),
    },
  );
}

async function insertYields(db: Db, yields: readonly Yield[]): Promise<void> {
  const add = (table: (typeof TABLES)[number], rowsOf: (extraction: Extraction) => readonly Record<string, Value>[]) =>
    appendRows(
      db,
      `own.${table}`,
      yields.flatMap(({ agent, session, project, extraction }) =>
        rowsOf(extraction).map((row) => ({ ...row, agent, session, project })),
      ),
    );
  await add('candidates', ({ candidates }) => candidates.map((candidate) => ({ payload: toJson(candidate) })));
  await add('sightings', ({ sightings }) =>
    sightings.map(({ token, origin, time, seq = null }) => ({ token, origin, time, seq })),
  );
  await add('relations', ({ relations }) => relations.map(({ from, rel, to }) => ({ source: from, rel, target: to })));
  await add('episodes', ({ episode }) => (episode === null ? [] : [{ ...episode }]));
}
