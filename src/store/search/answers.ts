/** Rows that an answer quotes in addition to the hits of a search. */
import type { Db } from '../db.js';
import { textsOf } from '../rows/texts.js';
import type { EarlierFailure } from './moments.js';
import { isAmong } from './numbers.js';
import { IS_MACHINE } from '../views.js';

/** A form in which a program ran. */
export interface AskedForm {
  form: string;
  class: string;
  program: string;
  runs: number;
  failed: number;
  sessions: number;
  /** ISO 8601 UTC. */
  last: string | null;
  /** The words of its newest run; a run that passed is preferred. */
  example: string;
}

/** Programs of the shell itself, which are not specific to a project. */
export const OF_SHELL = [
  'cd',
  'pushd',
  'popd',
  'for',
  'while',
  'until',
  'if',
  'case',
  'echo',
  'export',
  'set',
  'unset',
  'alias',
  'true',
  'false',
  'sleep',
  'wait',
];

/** Each form of a program that ran, except commands that only read; `project` is an id, null: all. */
export function formsThatRan(db: Db, project: string | null): Promise<AskedForm[]> {
  return db.all(
    `SELECT s.form, any_value(s.class) AS class, any_value(s.program) AS program, count(*) AS runs,
       count(*) FILTER (WHERE s.outcome = 'failed') AS failed,
       count(DISTINCT (s.agent, s.session)) AS sessions, max(s.time) AS last,
       array_to_string(arg_max(s.words, (s.outcome <> 'failed', s.time, s.entry, s.n)), ' ') AS example
     FROM (SELECT s.*
       FROM own.steps s JOIN (SELECT * FROM own.sessions s WHERE NOT ${IS_MACHINE}) f ON f.agent = s.agent AND f.session = s.session
       WHERE s.class NOT IN ('read', 'search') AND s.form <> ''
         AND NOT list_contains($shell::VARCHAR[], s.program) AND ${project === null ? '$project::VARCHAR IS NULL' : 's.project = $project'}
       QUALIFY row_number() OVER (PARTITION BY s.entry, s.n ORDER BY f.oldest, s.session, s.agent) = 1) s
     GROUP BY s.form`,
    { project, shell: OF_SHELL },
  );
}

interface SessionKey {
  agent: string;
  session: string;
}

/** The last texts of a session, and the numbers of its calls and turns. */
export interface SessionEnd extends SessionKey {
  title: string | null;
  /** ISO 8601 UTC. */
  ended: string | null;
  /** Calls of tools. */
  calls: number;
  /** Turns of the person. */
  turns: number;
  /** The last texts of people and agents, oldest first. */
  texts: { id: string; role: 'user' | 'assistant'; text: string; path: string; line: number }[];
}

/** Number of texts that form a session's end. */
const END_TEXTS = 2;

/** How sessions ended. */
export async function sessionEnds(db: Db, sessions: readonly SessionKey[]): Promise<SessionEnd[]> {
  if (sessions.length === 0) return [];
  const names = { sessions: [...new Set(sessions.map(({ session }) => session))] };
  // Much faster than a join in a column with equal neighbours.
  const among = (of: string): string => `list_contains($sessions::VARCHAR[], ${of}.session)`;
  const heads = await db.all<SessionKey & Pick<SessionEnd, 'title' | 'ended'>>(
    `SELECT s.agent, s.session, coalesce(nullif(trim(s.title), ''), p.typed) AS title, s.newest AS ended
     FROM own.sessions s LEFT JOIN (
       SELECT agent, session, arg_min(left(text, 120), seq) AS typed FROM own.prompts o WHERE ${among('o')} GROUP BY agent, session
     ) p ON p.agent = s.agent AND p.session = s.session WHERE ${among('s')}`,
    names,
  );
  type EndText = Omit<SessionEnd['texts'][number], 'text'> & { n: number; length: number };
  const ends = await db.all<
    SessionKey & Pick<SessionEnd, 'calls' | 'turns'> & { said: EndText[] | null }
  >(
    `SELECT e.agent, e.session, count(*) FILTER (e.role = 'tool_call')::INTEGER AS calls,
       count(*) FILTER (e.role = 'user' AND e.origin = 'user')::INTEGER AS turns,
       arg_max({id: e.id, n: e.n, length: e.length, role: e.role, path: e.path, line: e.line}, (e.seq, e.id), ${END_TEXTS})
         FILTER (e.role IN ('user', 'assistant') AND e.origin IN ('user', 'agent') AND e.length > 0) AS said
     FROM own.entries e WHERE ${among('e')} AND NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)
     GROUP BY e.agent, e.session`,
    names,
  );
  const texts = await textsOf(
    db,
    ends.flatMap(({ said }) => said ?? []),
  );
  return sessions.flatMap(({ agent, session }) => {
    const isSame = (one: SessionKey): boolean => one.agent === agent && one.session === session;
    const [head, end] = [heads.find(isSame), ends.find(isSame)];
    if (head === undefined || end === undefined) return [];
    const said = [...(end.said ?? [])].reverse();
    return {
      ...{ ...head, calls: end.calls, turns: end.turns },
      texts: said.map(({ n, length: _, ...each }) => ({ ...each, text: texts.get(n) ?? '' })),
    };
  });
}

interface Conclusion {
  /** Id of the entry whose turn ends with the text. */
  of: string;
  id: string;
  text: string;
}

/**
 * The agent's last text in the turn of each entry (by running number); none if the agent wrote no
 * text after the entry.
 */
export async function conclusionsOf(db: Db, numbers: readonly number[]): Promise<Conclusion[]> {
  if (numbers.length === 0) return [];
  const last = await db.all<Omit<Conclusion, 'text'> & { n: number; length: number }>(
    `WITH turns AS (
       SELECT e.id AS "of", e.agent, e.session, e.seq, (
         SELECT min(p.seq) FROM own.entries p
         WHERE p.agent = e.agent AND p.session = e.session AND p.seq > e.seq
           AND p.role = 'user' AND p.origin <> 'injected') AS "until"
       FROM own.entries e WHERE ${isAmong('e.n', numbers)}
         AND NOT EXISTS (FROM own.superseded o WHERE o.n = e.n))
     SELECT t."of", e.id, e.n, e.length
     FROM own.entries e JOIN turns t ON t.agent = e.agent AND t.session = e.session
     WHERE e.seq > t.seq AND (t."until" IS NULL OR e.seq < t."until")
       AND e.role = 'assistant' AND e.origin = 'agent' AND e.length > 0
       AND NOT EXISTS (FROM own.superseded o WHERE o.n = e.n)
     QUALIFY row_number() OVER (PARTITION BY t."of" ORDER BY e.seq DESC, e.id DESC) = 1`,
  );
  const texts = await textsOf(db, last);
  return last.map(({ of, id, n }) => ({ of, id, text: texts.get(n) ?? '' }));
}

/**
 * The forms of the commands that ran in calls (ids of entries), except commands that only read and
 * those of version control, whose messages contain words of all kinds.
 */
export function formsOfCalls(
  db: Db,
  ids: readonly string[],
): Promise<{ entry: string; form: string }[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db.all(
    `SELECT DISTINCT entry, form FROM own.steps
     WHERE list_contains($ids::VARCHAR[], entry) AND class NOT IN ('read', 'search', 'vcs') AND form <> ''`,
    { ids: [...ids] },
  );
}

/** Files that sessions edited together with a file, with the number of sessions. */
export function editedWith(
  db: Db,
  file: string,
  project: string | null,
  limit: number,
): Promise<{ file: string; sessions: number }[]> {
  return db.all(
    `WITH edits AS (
       SELECT e.file, e.agent, e.session FROM own.file_edits e
       JOIN own.session_facts f ON f.agent = e.agent AND f.session = e.session
       WHERE $project::VARCHAR IS NULL OR f.project_id = $project),
     mine AS (
       SELECT DISTINCT agent, session FROM edits
       WHERE file = $file OR ends_with(file, '/' || $file) OR ends_with($file, '/' || file))
     SELECT e.file, count(DISTINCT (e.agent, e.session)) AS sessions FROM edits e JOIN mine USING (agent, session)
     WHERE NOT (e.file = $file OR ends_with(e.file, '/' || $file) OR ends_with($file, '/' || e.file))
     GROUP BY e.file HAVING sessions > 1 ORDER BY sessions DESC, e.file LIMIT $limit`,
    { file, project, limit },
  );
}

/** Failed results and typed texts, by running numbers of entries, as failures. */
export function failuresAt(db: Db, numbers: readonly number[]): Promise<EarlierFailure[]> {
  if (numbers.length === 0) return Promise.resolve([]);
  return db.all(
    `SELECT e.id, e.agent, e.session, e.seq, e.time, e.command, e.path, e.line FROM own.current_entries e
     WHERE ${isAmong('e.n', numbers)} AND NOT e.machine AND (
       e.role = 'tool_result' AND (e.outcome = 'failed' OR e.error IS NOT NULL) OR e.role = 'user' AND e.origin = 'user')`,
  );
}

/** Sessions of a project (id; null: all) that were not started by a program. */
export async function countSessions(db: Db, project: string | null): Promise<number> {
  const [row] = await db.all<{ sessions: number }>(
    `SELECT count(*)::INTEGER AS sessions FROM own.session_facts
     WHERE NOT is_machine AND ($project::VARCHAR IS NULL OR project_id = $project)`,
    { project },
  );
  return row?.sessions ?? 0;
}

/** A project's newest sessions in which somebody typed. */
export function newestSessions(
  db: Db,
  project: string | null,
  limit: number,
): Promise<SessionKey[]> {
  return db.all(
    `SELECT agent, session FROM own.session_facts
     WHERE NOT is_machine AND NOT coalesce(subagent, false) AND newest IS NOT NULL
       AND ($project::VARCHAR IS NULL OR project_id = $project)
     ORDER BY newest DESC, agent, session LIMIT $limit`,
    { project, limit },
  );
}
