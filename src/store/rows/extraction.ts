import type { Extraction } from '../../types.js';
import { type Db, type Value, appendRows, toJson } from '../db.js';
import { PARSED_TABLES, type TableName } from '../tables.js';
import { WANTED_SESSIONS, sessionLists } from './sessions.js';

/** The results of a session, and its project. */
export interface Yield {
  agent: string;
  session: string;
  project: string;
  extraction: Extraction;
  /** The session's `last_n` when its entries were read. */
  upTo: number;
  /** See `activeSeconds`. */
  active?: number;
}

export interface ExtractionMark {
  extractor: number;
  now: string;
}

const IS_WANTED = 'o.agent = w.agent AND o.session = w.session';

/**
 * Replaces the earlier results of sessions and sets their projects; call it inside `store.write`.
 *
 * @param yields each session once
 * @returns ids of the projects whose lessons must be computed again: present and former projects of
 * these sessions, and projects of sessions with the same opening, which may now count as automated
 */
export async function replaceExtractions(
  db: Db,
  yields: readonly Yield[],
  mark: ExtractionMark,
): Promise<string[]> {
  if (yields.length === 0) return [];
  const wanted = sessionLists(yields);
  const before = await db.all<{ project: string }>(
    `SELECT DISTINCT o.project FROM own.sessions o JOIN ${WANTED_SESSIONS} ON ${IS_WANTED} WHERE o.project IS NOT NULL`,
    wanted,
  );
  for (const table of PARSED_TABLES)
    await db.run(`DELETE FROM own.${table} o USING ${WANTED_SESSIONS} WHERE ${IS_WANTED}`, wanted);
  await insertYields(db, yields);
  await markExtracted(db, yields, mark);
  const hashes = [
    ...new Set(yields.flatMap(({ extraction: { opening } }) => (opening ? [opening.hash] : []))),
  ];
  const same =
    hashes.length === 0
      ? []
      : await db.all<{ project: string }>(
          `SELECT DISTINCT project_id AS project FROM own.session_facts
     WHERE opening_hash IN (SELECT unnest($hashes)) AND project_id IS NOT NULL`,
          { hashes },
        );
  return [...new Set([...yields, ...before, ...same].map(({ project }) => project))].sort();
}

/** A bound list cannot contain NULL, so a missing opening has hash '' and numbers -1. */
async function markExtracted(
  db: Db,
  yields: readonly Yield[],
  { extractor, now }: ExtractionMark,
): Promise<void> {
  const openings = yields.map(({ extraction }) => extraction.opening ?? null);
  await db.run(
    `UPDATE own.sessions o SET project = w.project, extracted_n = w.up_to, extractor = $extractor, extracted = $now::TIMESTAMP,
       opening_hash = nullif(w.hash, ''), opening_length = nullif(w.length, -1)::INTEGER, typed_later = nullif(w.typed, -1) = 1,
         active_seconds = nullif(w.active, -1)
     FROM (SELECT unnest($agents) AS agent, unnest($sessions) AS session, unnest($projects) AS project, unnest($upTo::BIGINT[])
       AS up_to,
       unnest($hashes) AS hash, unnest($lengths::BIGINT[]) AS length, unnest($typed::BIGINT[]) AS typed,
       unnest($active::BIGINT[]) AS active) w WHERE ${IS_WANTED}`,
    {
      extractor,
      now,
      ...sessionLists(yields),
      projects: yields.map(({ project }) => project),
      upTo: yields.map(({ upTo }) => upTo),
      active: yields.map(({ active = -1 }) => active),
      hashes: openings.map((opening) => opening?.hash ?? ''),
      lengths: openings.map((opening) => opening?.length ?? -1),
      typed: openings.map((opening) => (opening === null ? -1 : Number(opening.typedLater))),
    },
  );
}

async function insertYields(db: Db, yields: readonly Yield[]): Promise<void> {
  const add = (
    table: TableName,
    rowsOf: (extraction: Extraction) => readonly Record<string, Value>[],
  ) =>
    appendRows(
      db,
      `own.${table}`,
      yields.flatMap(({ agent, session, project, extraction }) =>
        rowsOf(extraction).map((row) => ({ ...row, agent, session, project })),
      ),
    );
  await add('candidates', ({ candidates }) =>
    candidates.map((candidate) => ({ payload: toJson(candidate) })),
  );
  await add('dropped_notes', ({ dropped }) => dropped.map((note) => ({ ...note })));
  await add('episodes', ({ episode }) => (episode === null ? [] : [{ ...episode }]));
  await add('steps', ({ rows }) => rows.steps.map((row) => ({ ...row })));
  await add('file_edits', ({ rows }) => rows.edits.map((row) => ({ ...row })));
  await add('prompts', ({ rows }) => rows.prompts.map((row) => ({ ...row })));
}
