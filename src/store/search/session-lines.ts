/** Sessions for a person: a line of each, and the entries of one session. */
import { type Db, first } from '../db.js';
import { textsOf } from '../rows/texts.js';
import { entryFields, type SessionLine, type WindowEntry } from '../../types.js';

/** The first words that a person typed in each session. */
const FIRST_TYPED = `
  SELECT agent, session, trim(left(regexp_extract(arg_min(words, seq), '^(\\S+ ?){1,12}'), 100)) AS words
  FROM (SELECT agent, session, seq, trim(regexp_replace(left(text, 400), '\\s+', ' ', 'g')) AS words FROM own.prompts)
  WHERE words <> '' GROUP BY agent, session`;

/** Most agents give no title; then the title is the episode's, else the person's first words. */
const SESSION_LINES = `
  SELECT s.agent, s.session, s.slug AS project, coalesce(nullif(trim(s.title), ''), e.title, t.words) AS title, s.parent,
    s.branch, s.oldest AS started, s.newest AS ended, s.entries,
    s.active_seconds, s.is_machine AS machine, coalesce(s.subagent, false) AS subagent, e.outcome, e.unfinished
  FROM own.session_facts s LEFT JOIN own.episodes e ON e.agent = s.agent AND e.session = s.session
    LEFT JOIN (${FIRST_TYPED}) t ON t.agent = s.agent AND t.session = s.session`;

/**
 * Order of sessions `s` that share an entry with the same time: the first one wrote it. A fork
 * repeats the times of its parent, but its log names the parent, or the parent ended earlier.
 */
export const WRITER = 's.parent IS NOT NULL, s.newest, s.session';

/** Columns of an entry's place in the log of a session. */
export const PLACE: readonly string[] = [...entryFields('place'), 'log'];

/**
 * For each entry that several sessions have, by `n`: its place in the session that wrote it first.
 * @param which a condition on own.entries `e`
 */
export const FIRST_PLACES = (which: string): string => `
  WITH here AS MATERIALIZED (SELECT e.n, ${PLACE.map((name) => `e.${name}`).join(', ')} FROM own.entries e
    WHERE e.id IN (SELECT id FROM own.copies) AND NOT EXISTS (FROM own.superseded x WHERE x.n = e.n) AND ${which})
  SELECT p.* FROM (FROM here
    UNION ALL BY NAME SELECT c.* REPLACE (h.n AS n) FROM own.copies c JOIN here h ON h.id = c.id
    UNION ALL BY NAME SELECT h.n, ${PLACE.map((name) => `o.${name}`).join(', ')} FROM own.superseded x
      JOIN own.entries o ON o.n = x.n JOIN here h ON h.id = o.id AND (h.agent, h.session) <> (o.agent, o.session)) p
  LEFT JOIN own.sessions s ON s.agent = p.agent AND s.session = p.session
  QUALIFY row_number() OVER (PARTITION BY p.n ORDER BY p.copied, p.time, ${WRITER}, p.line) = 1`;

/**
 * Entries of sessions that another session wrote first.
 * @param ids a query for ids, which bounds the work
 */
export const WRITTEN_ELSEWHERE = (ids: string): string => `
  SELECT p.id, p.agent, s.session FROM (
    SELECT id, agent, session, time, copied FROM own.entries WHERE id IN (${ids})
    UNION ALL SELECT id, agent, session, time, copied FROM own.copies WHERE id IN (${ids})) p
  JOIN own.sessions s ON s.agent = p.agent AND s.session = p.session
  GROUP BY p.id, p.agent, s.session, s.parent, s.newest
  QUALIFY row_number() OVER (PARTITION BY p.id ORDER BY bool_and(p.copied), min(p.time), ${WRITER}) > 1`;

const SHARED = `SELECT agent, session, count(*) AS entries FROM (${WRITTEN_ELSEWHERE('SELECT id FROM own.copies')}) GROUP BY agent, session`;

/**
 * Sessions, newest first, those without a time last. Each counts only the entries that it wrote
 * first.
 * @param automated also automated sessions
 * @param before last session of the previous page, or null
 */
export function sessionLines(
  db: Db,
  where: {
    project: string | null;
    automated: boolean;
    before: Pick<SessionLine, 'ended' | 'agent' | 'session'> | null;
    limit: number;
  },
): Promise<SessionLine[]> {
  return db.all(
    `SELECT l.* REPLACE (l.entries - coalesce(c.entries, 0) AS entries)
     FROM (${SESSION_LINES}) l LEFT JOIN (${SHARED}) c USING (agent, session)
     WHERE ($project::VARCHAR IS NULL OR project = $project) AND ($automated OR NOT (machine OR subagent))
       AND ($session::VARCHAR IS NULL
         OR (coalesce(ended, '-infinity'), agent, session) < (coalesce($ended::TIMESTAMP, '-infinity'), $agent, $session))
     ORDER BY coalesce(ended, '-infinity') DESC, agent DESC, session DESC LIMIT $limit`,
    {
      project: where.project,
      automated: where.automated,
      ended: where.before?.ended ?? null,
      agent: where.before?.agent ?? null,
      session: where.before?.session ?? null,
      limit: where.limit,
    },
  );
}

export function sessionLine(db: Db, agent: string, session: string): Promise<SessionLine | null> {
  return first(db, `SELECT * FROM (${SESSION_LINES}) WHERE agent = $agent AND session = $session`, {
    agent,
    session,
  });
}

/**
 * Entries of a session in the order of its log. An entry that a fork or resume repeats is in both
 * sessions.
 */
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
  // Shown texts are cut by characters, since the column counts terms.
  return rows.map(({ n, ...row }) => ({
    ...row,
    text: texts.get(n)?.slice(0, clip) ?? null,
    length: texts.get(n)?.length ?? 0,
  }));
}

/** Number of entries of a session, and the place of one of them (null if absent). */
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
