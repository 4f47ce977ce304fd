/** What a person looks at: projects with their week, sessions, a window of one, numbers by day. Rows as they are shown. */
import { type Db, fieldOf, first } from './db.js';
import { textsOf, textsWith, type TextKey } from './rows/texts.js';
import type { EditLine, SessionLine, WindowEntry } from '../types.js';

/** A project with what the last days brought; times ISO 8601 UTC. */
export interface ProjectWeek {
  slug: string;
  name: string;
  folders: string[];
  sessions: number;
  entries: number;
  lessons: number;
  last_seen: string | null;
  week_sessions: number;
  week_entries: number;
  week_lessons: number;
  /** The three weightiest lessons. */
  top: string[];
  /** The session that a person led last. */
  last_agent: string | null;
  last_session: string | null;
  last_title: string | null;
}

/**
 * Projects that are worked in, the newest first.
 * @param since time from which on something is new
 */
export function projectWeeks(db: Db, since: string): Promise<ProjectWeek[]> {
  return db.all(
    `WITH fresh AS (
       SELECT s.project_id, count(*) AS entries, count(DISTINCT (s.agent, s.session)) AS sessions
       FROM own.entries e JOIN own.session_facts s ON s.agent = e.agent AND s.session = e.session
       WHERE e.time >= $since::TIMESTAMP AND e.rev = 1 GROUP BY ALL),
     known AS (
       SELECT owner, count(*) AS lessons, count(*) FILTER (WHERE first_seen >= $since::TIMESTAMP::DATE::VARCHAR) AS fresh,
         list(text ORDER BY pinned DESC, importance DESC, last_seen DESC, id)[:3] AS top
       FROM own.lessons WHERE status IN ('live', 'conflict') GROUP BY owner),
     led AS (
       SELECT project_id, arg_max(agent, newest) AS agent, arg_max(session, newest) AS session FROM own.session_facts
       WHERE NOT is_machine AND NOT coalesce(subagent, false) GROUP BY project_id)
     SELECT p.slug, p.name, p.folders, p.sessions, p.entries, coalesce(k.lessons, 0) AS lessons, p.last_seen,
       coalesce(f.sessions, 0) AS week_sessions, coalesce(f.entries, 0) AS week_entries, coalesce(k.fresh, 0) AS week_lessons,
       coalesce(k.top, []) AS top, l.agent AS last_agent, l.session AS last_session, t.title AS last_title
     FROM main.projects p LEFT JOIN fresh f ON f.project_id = p.id LEFT JOIN known k ON k.owner = p.id
       LEFT JOIN led l ON l.project_id = p.id LEFT JOIN (${SESSION_LINES}) t ON t.agent = l.agent AND t.session = l.session
     WHERE p.sessions > 0 ORDER BY p.last_seen DESC NULLS LAST, p.slug`,
    { since },
  );
}

/** The first words that a person typed in each session. */
const FIRST_TYPED = `
  SELECT agent, session, trim(left(regexp_extract(arg_min(words, seq), '^(\\S+ ?){1,12}'), 100)) AS words
  FROM (SELECT agent, session, seq, trim(regexp_replace(left(text, 400), '\\s+', ' ', 'g')) AS words FROM own.prompts)
  WHERE words <> '' GROUP BY agent, session`;

/** Most agents give no title: the episode's stands for it, else what the person typed first. */
const SESSION_LINES = `
  SELECT s.agent, s.session, s.slug AS project, coalesce(nullif(trim(s.title), ''), e.title, t.words) AS title, s.parent,
    s.branch, s.oldest AS started, s.newest AS ended, s.entries,
    s.active_seconds, s.is_machine AS machine, coalesce(s.subagent, false) AS subagent, e.outcome, e.unfinished
  FROM own.session_facts s LEFT JOIN own.episodes e ON e.agent = s.agent AND e.session = s.session
    LEFT JOIN (${FIRST_TYPED}) t ON t.agent = s.agent AND t.session = s.session`;

/**
 * Sessions, the newest first; those without a time last.
 * @param before the last one of the page before, or null
 */
export function sessionLines(
  db: Db,
  where: { project: string | null; before: Pick<SessionLine, 'ended' | 'agent' | 'session'> | null; limit: number },
): Promise<SessionLine[]> {
  return db.all(
    `SELECT * FROM (${SESSION_LINES}) WHERE ($project::VARCHAR IS NULL OR project = $project)
       AND ($session::VARCHAR IS NULL
         OR (coalesce(ended, '-infinity'), agent, session) < (coalesce($ended::TIMESTAMP, '-infinity'), $agent, $session))
     ORDER BY coalesce(ended, '-infinity') DESC, agent DESC, session DESC LIMIT $limit`,
    {
      project: where.project,
      ended: where.before?.ended ?? null,
      agent: where.before?.agent ?? null,
      session: where.before?.session ?? null,
      limit: where.limit,
    },
  );
}

export function sessionLine(db: Db, agent: string, session: string): Promise<SessionLine | null> {
  return first(db, `SELECT * FROM (${SESSION_LINES}) WHERE agent = $agent AND session = $session`, { agent, session });
}

/** Entries of a session in the order of its log; one that a fork or resume repeats stands in both. */
const OF_SESSION = `
  SELECT e.n, e.id, e.role, e.origin, e.tool, e.command, e.exit, e.outcome, e.files, e.time,
    coalesce(l.path, e.path) AS path, e.line, e.call, e.seq, e.length
  FROM own.entries e LEFT JOIN own.sources l ON l.log = e.log
  WHERE e.agent = $agent AND e.session = $session AND e.n NOT IN (SELECT n FROM own.superseded)
  UNION ALL
  SELECT e.n, e.id, e.role, e.origin, e.tool, e.command, e.exit, e.outcome, e.files, c.time, c.path, c.line, e.call, c.seq,
    e.length
  FROM own.copies c JOIN own.entries e ON e.id = c.id AND e.agent = c.agent
  WHERE c.agent = $agent AND c.session = $session AND e.n NOT IN (SELECT n FROM own.superseded)`;

/**
 * A window of a session.
 * @param from place of the first entry, from 0
 * @param clip characters of each text
 */
export async function sessionWindow(
  db: Db,
  { clip, ...at }: { agent: string; session: string; from: number; limit: number; clip: number },
): Promise<WindowEntry[]> {
  const rows = await db.all<Omit<WindowEntry, 'text'> & { n: number }>(
    `SELECT n, id, role, origin, tool, length, command, exit, outcome, files, time, path, line, call
     FROM (${OF_SESSION}) ORDER BY seq, id LIMIT $limit OFFSET $from`,
    at,
  );
  const texts = await textsOf(db, rows);
  // The column counts terms; what is shown is cut by characters.
  return rows.map(({ n, ...row }) => ({ ...row, text: texts.get(n)?.slice(0, clip) ?? null, length: texts.get(n)?.length ?? 0 }));
}

/**
 * Entries of a session that have all of these words in their text, or a call in its command, in its order; `place` from 0.
 * @param words at least one; upper and lower case are alike
 */
export async function findInSession(
  db: Db,
  { words, ...at }: { agent: string; session: string; words: readonly string[] },
): Promise<{ id: string; place: number }[]> {
  const rows = await db.all<TextKey & { id: string; role: string; place: number; command: string | null }>(
    `SELECT n, id, length, role, command, row_number() OVER (ORDER BY seq, id) - 1 AS place FROM (${OF_SESSION}) ORDER BY place`,
    at,
  );
  const lower = words.map((word) => word.toLowerCase());
  const found = await textsWith(db, rows, lower);
  // A result names the command of its call, which is not shown there.
  const ofCall = ({ role, command }: (typeof rows)[number]): string =>
    role === 'tool_call' ? (command ?? '').toLowerCase() : '';
  return rows
    .filter((row) => found.has(row.n) || lower.every((word) => ofCall(row).includes(word)))
    .map(({ id, place }) => ({ id, place }));
}

/** How many entries a session has, and the place of one of them (null: it is not there). */
export async function placeInSession(
  db: Db,
  at: { agent: string; session: string; entry: string | null },
): Promise<{ total: number; place: number | null }> {
  const row = await first<{ total: number; place: number | null }>(
    db,
    `SELECT count(*) AS total, min(place) FILTER (WHERE id = $entry) AS place
     FROM (SELECT id, row_number() OVER (ORDER BY seq, id) - 1 AS place FROM (${OF_SESSION}))`,
    at,
  );
  return row ?? { total: 0, place: null };
}

/** Numbers by day (UTC) since a day, of one project's slug or (null) of all. */
export interface DayNumbers {
  activity: { day: string; entries: number; sessions: number }[];
  failing: { command: string; runs: number; failed: number }[];
  tokens: { day: string; input: number; cache_read: number; cache_write: number; output: number }[];
  own: { day: string; tokens: number }[];
  store: { day: string; bytes: number }[];
}

const MOST_FAILING = 15;

export async function dayNumbers(db: Db, { project, since }: { project: string | null; since: string }): Promise<DayNumbers> {
  const where = { project, since };
  const ofProject =
    'JOIN own.session_facts s ON s.agent = e.agent AND s.session = e.session ' +
    'WHERE e.time >= $since::TIMESTAMP AND ($project::VARCHAR IS NULL OR s.slug = $project)';
  return {
    activity: await db.all(
      `SELECT e.time::DATE::VARCHAR AS day, count(*) AS entries, count(DISTINCT (e.agent, e.session)) AS sessions
       FROM own.entries e ${ofProject} AND e.rev = 1 GROUP BY 1 ORDER BY 1`,
      where,
    ),
    failing: await db.all(
      `WITH ended AS (
         SELECT e.agent, e.session, e.call, arg_max(e.outcome, e.seq) AS outcome FROM own.entries e
         WHERE e.role = 'tool_result' AND e.call IS NOT NULL AND e.time >= $since::TIMESTAMP GROUP BY ALL)
       SELECT e.command, count(*) AS runs, count(*) FILTER (WHERE r.outcome = 'failed') AS failed
       FROM own.entries e JOIN ended r ON r.agent = e.agent AND r.session = e.session AND r.call = e.call
       ${ofProject} AND e.role = 'tool_call' AND e.command IS NOT NULL AND NOT s.is_machine
       GROUP BY e.command HAVING failed > 0 ORDER BY failed DESC, runs, e.command LIMIT ${MOST_FAILING}`,
      where,
    ),
    tokens: await db.all(
      `SELECT e.time::DATE::VARCHAR AS day, sum(e.input)::BIGINT AS input, sum(e.cache_read)::BIGINT AS cache_read,
         sum(e.cache_write)::BIGINT AS cache_write, sum(e.output)::BIGINT AS output
       FROM own.usage e ${ofProject} GROUP BY 1 ORDER BY 1`,
      where,
    ),
    own: await db.all(
      `SELECT time::DATE::VARCHAR AS day, sum(tokens_in + tokens_out)::BIGINT AS tokens FROM own.llm_calls
       WHERE time >= $since::TIMESTAMP GROUP BY 1 ORDER BY 1`,
      { since },
    ),
    store: await db.all(
      `SELECT started::DATE::VARCHAR AS day, max_by(${fieldOf('counts', 'bytes')}::BIGINT, started) AS bytes FROM own.job_runs
       WHERE job = 'crystallize' AND outcome IN ('ok', 'partial')
         AND ${fieldOf('counts', 'bytes')} IS NOT NULL AND started >= $since::TIMESTAMP
       GROUP BY 1 ORDER BY 1`,
      { since },
    ),
  };
}

/** Runs of background jobs, the newest first. */
export async function newestRuns(
  db: Db,
  limit: number,
): Promise<
  { job: string; started: string; ms: number | null; outcome: string; counts: Record<string, number>; error: string | null }[]
> {
  const rows = await db.all<{
    job: string;
    started: string;
    ms: number | null;
    outcome: string;
    counts: string;
    error: string | null;
  }>(
    `SELECT job, started, date_diff('millisecond', started, ended) AS ms, outcome, counts, error FROM own.job_runs
     ORDER BY started DESC, id DESC LIMIT $limit`,
    { limit },
  );
  return rows.map((row) => ({ ...row, counts: JSON.parse(row.counts) as Record<string, number> }));
}

/** Titles of sessions, by `agent\0session`. */
export async function sessionTitles(
  db: Db,
  sessions: readonly { agent: string; session: string }[],
): Promise<Map<string, string | null>> {
  const rows = await db.all<{ agent: string; session: string; title: string | null }>(
    `SELECT agent, session, title FROM (${SESSION_LINES})
     WHERE (agent, session) IN (SELECT (unnest($agents::VARCHAR[]), unnest($names::VARCHAR[])))`,
    { agents: sessions.map(({ agent }) => agent), names: sessions.map(({ session }) => session) },
  );
  return new Map(rows.map(({ agent, session, title }) => [`${agent}\0${session}`, title]));
}

/** Edits of one lesson, the newest first. */
export function editsOf(db: Db, lesson: string): Promise<EditLine[]> {
  return db.all(
    `SELECT action, time AS at, coalesce(author, 'person') AS by, text FROM own.edits WHERE lesson = $lesson ORDER BY n DESC`,
    { lesson },
  );
}

/** Numbers of a year of sessions, which name nothing of what was worked on; its days are in UTC, both inclusive. */
export interface Year {
  from: string;
  to: string;
  sessions: number;
  prompts: number;
  commands: number;
  projects: number;
  active_seconds: number;
  /** Days with a session, oldest first. */
  days: { day: string; sessions: number }[];
  /** The one with most sessions first. */
  agents: { agent: string; sessions: number }[];
}

/** Sessions that a person led, by the day on which they began. @param project id; null: all */
export async function yearOf(db: Db, where: { from: string; to: string; project: string | null }): Promise<Year> {
  const led = `led AS MATERIALIZED (
    SELECT agent, session, project_id, oldest::DATE AS day, active_seconds FROM own.session_facts
    WHERE NOT is_machine AND NOT coalesce(subagent, false) AND oldest::DATE BETWEEN $from::DATE AND $to::DATE
      AND ($project::VARCHAR IS NULL OR project_id = $project))`;
  const ofLed = (table: string): string => `(SELECT count(*) FROM own.${table} x SEMI JOIN led USING (agent, session))`;
  const sums = await first<Pick<Year, 'sessions' | 'prompts' | 'commands' | 'projects' | 'active_seconds'>>(
    db,
    `WITH ${led} SELECT count(*) AS sessions, ${ofLed('prompts')} AS prompts, ${ofLed('steps')} AS commands,
       count(DISTINCT project_id) AS projects, coalesce(sum(active_seconds), 0)::BIGINT AS active_seconds FROM led`,
    where,
  );
  const days = await db.all<Year['days'][number]>(
    `WITH ${led} SELECT day::VARCHAR AS day, count(*) AS sessions FROM led GROUP BY 1 ORDER BY 1`,
    where,
  );
  const agents = await db.all<Year['agents'][number]>(
    `WITH ${led} SELECT agent, count(*) AS sessions FROM led GROUP BY 1 ORDER BY 2 DESC, 1`,
    where,
  );
  return { from: where.from, to: where.to, ...sums!, days, agents };
}
