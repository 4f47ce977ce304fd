import type { Extraction } from '../types.js';
import type { Db } from './db.js';

export interface ExtractionMark {
  /** The session's `lastN` when its entries were read. */
  upTo: number;
  extractor: number;
  now: string;
}

const TABLES = ['candidates', 'sightings', 'relations', 'episodes'] as const;

/**
 * Replaces all that a session yielded before, and settles its project; call it inside `store.write`.
 *
 * @returns ids of the projects whose lessons have to be computed anew: the session's own, its former one, and those of sessions
 *   with the same opening, which may just have been recognised as machine-made
 */
export async function replaceExtraction(
  db: Db, agent: string, session: string, project: string, extraction: Extraction, { upTo, extractor, now }: ExtractionMark,
): Promise<string[]> {
  const key = { agent, session };
  const affected = new Set([project]);
  const before = await db.all<{ project: string }>('SELECT DISTINCT project FROM own.candidates WHERE agent = $agent AND session = $session', key);
  for (const row of before) affected.add(row.project);
  for (const table of TABLES) await db.run(`DELETE FROM own.${table} WHERE agent = $agent AND session = $session`, key);
  await insertExtraction(db, agent, session, project, extraction);
  const { opening } = extraction;
  await db.run(
    `UPDATE own.sessions SET project = $project, extracted_n = $upTo, extractor = $extractor, extracted = $now::TIMESTAMP,
       opening_hash = $hash, opening_length = $length, typed_later = $typedLater WHERE agent = $agent AND session = $session`,
    { ...key, project, upTo, extractor, now, hash: opening?.hash ?? null, length: opening?.length ?? null, typedLater: opening?.typedLater ?? null },
  );
  if (opening) {
    const same = await db.all<{ project_id: string }>('SELECT DISTINCT project_id FROM own.session_facts WHERE opening_hash = $hash AND project_id IS NOT NULL', { hash: opening.hash });
    for (const row of same) affected.add(row.project_id);
  }
  return [...affected].sort();
}

async function insertExtraction(db: Db, agent: string, session: string, project: string, extraction: Extraction): Promise<void> {
  const place = (size: number) => ({ agent: Array<string>(size).fill(agent), session: Array<string>(size).fill(session), project: Array<string>(size).fill(project) });
  const { candidates, sightings, relations, episode } = extraction;
  await db.append('own.candidates', { ...place(candidates.length), payload: candidates.map((candidate) => JSON.stringify(candidate)) });
  await db.append('own.sightings', {
    ...place(sightings.length), token: sightings.map((s) => s.token), origin: sightings.map((s) => s.origin), time: sightings.map((s) => s.time),
  });
  await db.append('own.relations', {
    ...place(relations.length), source: relations.map((r) => r.from), rel: relations.map((r) => r.rel), target: relations.map((r) => r.to),
  });
  if (!episode) return;
  const { title, summary, day, outcome, signal, problem, solution, lesson, files, commands, commits, unfinished, nextStep } = episode;
  await db.append('own.episodes', {
    ...place(1), title: [title], summary: [summary], day: [day], outcome: [outcome], signal: [signal], problem: [problem], solution: [solution],
    lesson: [lesson], files: [files], commands: [commands], commits: [commits], unfinished: [unfinished], next_step: [nextStep],
  });
}
