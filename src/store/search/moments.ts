/**
 * Rows about earlier moments: failures with the same error, and the next steps of their sessions.
 */
import type { Entry, Role } from '../../types.js';
import type { Db, Params } from '../db.js';
import { textsOf, type TextKey } from '../rows/texts.js';
import { isAmong, rowsById } from './numbers.js';
import { compareText } from '../../text/order.js';

/** The sessions that may be used. */
interface Reach {
  /** Project id; null: every project. */
  project: string | null;
  /** ISO 8601: only earlier rows; absent: all rows. */
  asOf?: string | null;
  /** The asking session, whose own entries are not used. */
  session?: string | null;
}

/** A failed result. */
export interface EarlierFailure {
  id: string;
  agent: string;
  session: string;
  seq: number;
  time: string | null;
  command: string | null;
  path: string;
  line: number;
}

/** A step of the session around a failure. */
export interface NextStep {
  seq: number;
  time: string | null;
  at: number;
  program: string;
  form: string;
  class: string;
  words: string[];
  shown: boolean;
  outcome: 'ok' | 'failed' | 'unknown';
}

/** Everything after a failure in its session, in order. */
export interface Aftermath {
  /** The failed step; null if no row contains it. */
  failed: NextStep | null;
  steps: NextStep[];
  edits: { seq: number; time: string | null; file: string }[];
  /** What the agent and the person said. */
  texts: {
    seq: number;
    time: string | null;
    role: Role;
    text: string;
    path: string;
    line: number;
  }[];
}

/**
 * Removes the file: `a.ts: error` and `b.ts: error` are the same error, as for facts (`came_back`).
 */
function whatOf(signature: string): string {
  return `regexp_replace(${signature}, '^[\\w.-]+\\.\\w{1,5}: ', '')`;
}

/** The part of an error with the file, as in {@link whatOf}. */
const FILE = /^[\w.-]+\.\w{1,5}: /;

/** Number of failures to read. */
export const SAME_ERRORS = 8;

/** Failures of other sessions with one of these errors, in any file, newest first. */
export async function failuresLike(
  db: Db,
  errors: readonly string[],
  { project, asOf = null, session = null }: Reach,
): Promise<EarlierFailure[]> {
  // Comparing the end of a text is faster than matching a pattern.
  const ends = errors.map((error, i) => [`end${i}`, error.replace(FILE, '')] as const);
  const found = await failuresWith(db, {
    wanted: 'SELECT DISTINCT unnest($errors::VARCHAR[]) AS error',
    near: `(${ends.map(([name]) => `ends_with(e.error, $${name})`).join(' OR ')})`,
    nearParams: Object.fromEntries(ends),
    reach: `($project::VARCHAR IS NULL OR e.project_id = $project) AND ($asOf::TIMESTAMP IS NULL OR e.time < $asOf::TIMESTAMP)
      AND ($session::VARCHAR IS NULL OR e.session <> $session)`,
    params: { errors, project, asOf, session },
  });
  const one = new Map(
    found.map(({ project: _, error: __, ...failure }) => [`${failure.id} ${failure.seq}`, failure]),
  );
  return [...one.values()].slice(0, SAME_ERRORS);
}

/** Failures with these errors in these projects, newest first. */
export function failuresOf(
  db: Db,
  wanted: readonly { project: string; error: string }[],
): Promise<Failed[]> {
  return failuresWith(db, {
    wanted:
      'SELECT DISTINCT unnest($projects::VARCHAR[]) AS of, unnest($errors::VARCHAR[]) AS error',
    near: 'e.error IS NOT NULL',
    nearParams: {},
    reach: 'w.of = e.project_id',
    params: {
      projects: wanted.map(({ project }) => project),
      errors: wanted.map(({ error }) => error),
    },
  });
}

/** Limit on numbers in a statement; with more, it reads all failures. */
const MOST_NUMBERS = 1000;

interface Sought {
  /** SELECT of the errors. */
  wanted: string;
  /** Fast condition on `e.error`, before the comparison. */
  near: string;
  nearParams: Params;
  /** The condition on failures `e` that may be used. */
  reach: string;
  params: Params;
}

type Failed = EarlierFailure & { project: string; error: string };

/**
 * Results and steps that failed with such an error. Fetches entries by number or id, since a join
 * is slow if nothing failed.
 */
async function failuresWith(
  db: Db,
  { wanted, near, nearParams, reach, params: own }: Sought,
): Promise<Failed[]> {
  const same = `${whatOf('w.error')} = ${whatOf('e.error')}`;
  const params = { ...own, ...nearParams };
  const rows = await db.all<{ n: number }>(
    `SELECT e.n FROM own.entries e WHERE e.role = 'tool_result' AND ${near}`,
    nearParams,
  );
  const numbers = rows.map(({ n }) => n);
  const isMany = numbers.length > MOST_NUMBERS;
  const results =
    numbers.length === 0
      ? []
      : await db.all<Failed>(
          `WITH wanted AS (${wanted})
           SELECT DISTINCT e.id, e.agent, e.session, e.seq, e.time, e.command, e.path, e.line, e.project_id AS project, w.error
           FROM own.current_entries e JOIN wanted w ON ${same}
           WHERE e.role = 'tool_result' AND NOT e.machine AND ${isMany ? near : isAmong('e.n', numbers)} AND ${reach}`,
          isMany ? params : own,
        );
  const steps = await db.all<Pick<Failed, 'id' | 'session' | 'seq' | 'time' | 'error'>>(
    `WITH wanted AS (${wanted}), steps AS (
       SELECT entry, session, seq + 1 AS seq, coalesce(ended, time) AS time, project AS project_id, error FROM own.steps
       WHERE outcome = 'failed')
     SELECT DISTINCT e.entry AS id, e.session, e.seq, e.time, w.error FROM steps e JOIN wanted w ON ${same}
     WHERE ${near} AND ${reach}`,
    params,
  );
  const calls = await callsOf(db, [...new Set(steps.map(({ id }) => id))]);
  const ofSteps = steps.flatMap((step) =>
    calls.has(step.id) ? [{ ...calls.get(step.id)!, ...step }] : [],
  );
  return [...results, ...ofSteps].sort(
    (a, b) => compareText(b.time ?? '', a.time ?? '') || compareText(a.id, b.id),
  );
}

type Call = Pick<Failed, 'id' | 'agent' | 'command' | 'path' | 'line' | 'project'>;

async function callsOf(db: Db, ids: string[]): Promise<Map<string, Call>> {
  const rows = await rowsById<Call & { machine: boolean }>(
    db,
    'SELECT e.id, e.agent, e.command, e.path, e.line, e.project_id AS project, e.machine FROM own.current_entries e',
    ids,
  );
  return new Map(rows.flatMap(({ machine, ...row }) => (machine ? [] : [[row.id, row] as const])));
}

/**
 * How far after a failure to search for its cure, in `seq` (a thousand for each line of the log).
 */
const AFTER_SEQ = 200_000;
const MOST_ROWS = 120;

export async function aftermathOf(
  db: Db,
  { agent, session, seq }: EarlierFailure,
): Promise<Aftermath> {
  const place = { agent, session, seq, until: seq + AFTER_SEQ };
  const here = 'agent = $agent AND session = $session';
  const columns = 'seq, time, "at", program, form, class, words, shown, outcome';
  const steps = await db.all<NextStep>(
    `SELECT ${columns} FROM own.steps WHERE ${here} AND seq > $seq AND seq <= $until ORDER BY seq, n LIMIT ${MOST_ROWS}`,
    place,
  );
  const failed = await db.all<NextStep>(
    `SELECT ${columns} FROM own.steps WHERE ${here} AND seq < $seq AND seq <= $until AND outcome = 'failed'
     ORDER BY seq DESC, n DESC LIMIT 1`,
    place,
  );
  const edits = await db.all<Aftermath['edits'][number]>(
    `SELECT seq, time, file FROM own.file_edits WHERE ${here} AND seq > $seq AND seq <= $until ORDER BY seq LIMIT ${MOST_ROWS}`,
    place,
  );
  const rows = await db.all<
    Omit<Aftermath['texts'][number], 'text'> & { n: number; length: number }
  >(
    `SELECT n, length, seq, time, role, path, line FROM own.entries
     WHERE ${here} AND seq > $seq AND seq <= $until AND role IN ('assistant', 'user') AND origin IN ('agent', 'user')
     ORDER BY seq LIMIT ${MOST_ROWS}`,
    place,
  );
  const texts = await textsOf(db, rows);
  return {
    failed: failed[0] ?? null,
    steps,
    edits,
    texts: rows.map(({ n, length: _, ...row }) => ({ ...row, text: texts.get(n) ?? '' })),
  };
}

/** Prompts of a person with one of these commands, in a project (null: all). */
export function promptsNaming(
  db: Db,
  project: string | null,
  commands: readonly string[],
): Promise<{ command: string; time: string | null; text: string }[]> {
  return db.all(
    `SELECT c.command, p.time, p.text FROM own.prompts p
     JOIN (SELECT DISTINCT unnest($commands::VARCHAR[]) AS command) c ON contains(p.text, c.command)
     WHERE $project::VARCHAR IS NULL OR p.project = $project`,
    { commands: [...commands], project },
  );
}

/** An entry of a session that may still be running. */
export interface SessionRow extends Pick<
  Entry,
  'id' | 'role' | 'origin' | 'tool' | 'command' | 'outcome' | 'error' | 'marks'
> {
  /** Whether a program started the session. */
  machine: boolean;
  /** Text of a person or an agent; otherwise ''. */
  text: string;
}

/** Number of a session's newest entries to read. */
const MOST_OF_SESSION = 1000;

/**
 * The entries of a session so far, in order.
 * @param session the agent's own id. Without the agent, since some agents start another agent's
 * hooks
 */
export async function sessionRows(db: Db, session: string): Promise<SessionRow[]> {
  const rows = await db.all<Omit<SessionRow, 'text'> & TextKey>(
    `SELECT e.n, e.length, e.id, e.role, e.origin, e.tool, e.command, e.outcome, e.error, e.marks, e.machine
     FROM own.current_entries e WHERE e.session = $session ORDER BY e.seq DESC LIMIT ${MOST_OF_SESSION}`,
    { session },
  );
  const isSpoken = ({ role, origin }: (typeof rows)[number]): boolean =>
    (role === 'user' && origin === 'user') || (role === 'assistant' && origin === 'agent');
  const texts = await textsOf(db, rows.filter(isSpoken));
  return rows.reverse().map(({ n, length: _, ...row }) => ({ ...row, text: texts.get(n) ?? '' }));
}

/** For each item id, the number of its files that a session edited on a later day. */
export async function changedSince(
  db: Db,
  project: string | null,
  items: readonly { id: string; day: string | null; files?: readonly string[] | undefined }[],
): Promise<Map<string, number>> {
  const about = items.flatMap(({ id, day, files = [] }) =>
    day === null ? [] : files.map((file) => ({ id, day, file })),
  );
  if (about.length === 0) return new Map();
  const rows = await db.all<{ id: string; changed: number }>(
    `WITH about AS (
       SELECT unnest($ids::VARCHAR[]) AS id, unnest($days::VARCHAR[])::DATE AS day, unnest($files::VARCHAR[]) AS file)
     SELECT a.id, count(DISTINCT a.file) AS changed FROM about a JOIN own.file_edits e ON e.file = a.file AND e.time::DATE > a.day
     WHERE $project::VARCHAR IS NULL OR e.project = $project GROUP BY a.id`,
    {
      project,
      ids: about.map(({ id }) => id),
      days: about.map(({ day }) => day),
      files: about.map(({ file }) => file),
    },
  );
  return new Map(rows.map(({ id, changed }) => [id, changed]));
}
