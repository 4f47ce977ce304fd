/** All the data from which the lessons of a project are computed. */
import { setImmediate } from 'node:timers/promises';
import { nameKey } from '../../text/signs.js';
import { sessionKey, type Edit, type Episode, type FactEvent } from '../../types.js';
import { among, byOwner, type Db, type Owners } from '../db.js';
import { editsByOwner } from './edits.js';
import { factEventsOf } from '../facts.js';
import { daysOf, projectClocks } from './projects.js';
import { textsOf } from './texts.js';
import { IS_MACHINE } from '../views.js';

export interface StoredMaterial {
  /**
   * `payload` is a Candidate as JSON, since parsing thousands at once would block the event loop.
   */
  candidates: { project: string; payload: string }[];
  /** Results of the fact queries at the last learning; none for the person (null). */
  facts: FactEvent[];
  edits: Edit[];
  /** Lesson id -> times shown. */
  uses: Map<string, number>;
  /**
   * `agent\0session` -> name of its group. Sessions that share an entry (forks, resumes) form a
   * group; other sessions are absent.
   */
  groups: Map<string, string>;
  /** Day of the newest entry, never later than `now`; null without entries. */
  clockDay: string | null;
  /** Days with an entry, sorted. */
  activeDays: string[];
}

/**
 * Material of projects, or of the person (null), whose candidates are the global ones and the
 * user's preferences of all projects. No candidates of automated sessions.
 */
export async function materialOf(
  db: Db,
  owners: Owners,
  now: string,
): Promise<(owner: string | null) => StoredMaterial> {
  const ids = owners ?? [];
  const [clock, candidates, facts, edits] = [
    await projectClocks(db, owners, now),
    await candidatesOf(db, owners),
    await factEventsOf(db, ids),
    await editsByOwner(db, owners ?? [null]),
  ];
  const [uses, pairs] = [await lessonUses(db), await sharedSessions(db, owners)];
  const days = await daysOf(db, owners, now);
  return (owner) => ({
    candidates: candidates(owner),
    facts: facts(owner),
    edits: edits(owner),
    uses,
    groups: groupsOf(pairs(owner)),
    clockDay: clock(owner)?.slice(0, 10) ?? null,
    activeDays: days(owner),
  });
}

function candidatesOf(
  db: Db,
  owners: Owners,
): Promise<(owner: string | null) => { project: string; payload: string }[]> {
  const { of, where, params } = among(owners, 'c.project');
  const isOfPerson = `((c.payload->>'$.scope') = 'global' OR ((c.payload->>'$.said_by') = 'user'
    AND (c.payload->>'$.kind') IN ('preference', 'correction', 'decision')))`;
  return byOwner(
    db,
    `SELECT ${of}, c.project, c.payload FROM (
       SELECT agent, session, project, payload FROM own.candidates
       UNION ALL SELECT m.agent, m.session, f.project_id, m.payload FROM own.claims m
         JOIN own.session_facts f ON f.agent = m.agent AND f.session = m.session) c
     JOIN own.session_facts s ON s.agent = c.agent AND s.session = c.session
     WHERE NOT s.is_machine AND ${owners === null ? isOfPerson : where}
     ORDER BY c.project, c.agent, c.session, c.payload`,
    params,
  );
}

/** All typed prompts, one a line, in the form of `nameKey`. */
export async function typedText(db: Db): Promise<string> {
  const rows = await db.all<{ text: string }>(
    `SELECT DISTINCT p.text FROM own.prompts p JOIN own.session_facts s ON s.agent = p.agent AND s.session = p.session
     WHERE NOT s.is_machine ORDER BY p.text`,
  );
  const lines: string[] = [];
  for (const { text } of rows) {
    if (lines.length % 1000 === 999) await setImmediate();
    lines.push(nameKey(text));
  }
  return lines.join('\n');
}

async function lessonUses(db: Db): Promise<Map<string, number>> {
  const rows = await db.all<{ id: string; uses: number }>(
    `SELECT id, count(*) AS uses FROM own.uses WHERE type = 'lesson' GROUP BY id`,
  );
  return new Map(rows.map(({ id, uses }) => [id, uses]));
}

interface SharingSessions {
  agent: string;
  a: string;
  b: string;
}

/** Pairs of sessions that share an entry. */
function sharedSessions(
  db: Db,
  owners: Owners,
): Promise<(owner: string | null) => SharingSessions[]> {
  const { of, where, params } = among(owners, 's.project_id');
  return byOwner(
    db,
    `SELECT DISTINCT ${of}, c.agent, e.session AS a, c.session AS b FROM own.copies c JOIN own.entries e ON e.id = c.id
      AND e.agent = c.agent
     JOIN own.session_facts s ON s.agent = c.agent AND s.session = c.session
     WHERE ${where} AND e.session <> c.session`,
    params,
  );
}

/**
 * Groups of sessions that share an entry (union-find over pairs). A group's name is its smallest
 * member.
 */
function groupsOf(pairs: readonly SharingSessions[]): Map<string, string> {
  const parent = new Map<string, string>();
  const root = (key: string): string => {
    const up = parent.get(key) ?? key;
    return up === key ? key : root(up);
  };
  for (const { agent, a, b } of pairs) {
    const [low, high] = [root(sessionKey(agent, a)), root(sessionKey(agent, b))].sort() as [
      string,
      string,
    ];
    parent.set(sessionKey(agent, a), root(sessionKey(agent, a)));
    parent.set(sessionKey(agent, b), root(sessionKey(agent, b)));
    parent.set(high, low);
    parent.set(low, low);
  }
  return new Map([...parent.keys()].map((key) => [key, root(key)]));
}

/** An aborted start: changed nothing. Excluded if a later session begins with its prompt. */
const CAME_TO_NOTHING = `e.outcome IN ('abandoned', 'unknown') AND len(e.files) = 0 AND len(e.commits) = 0`;

/** Episodes without automated sessions and aborted starts. */
export const EPISODES = `
  SELECT e.*, s.newest FROM own.episodes e JOIN own.sessions s ON s.agent = e.agent AND s.session = e.session
  WHERE NOT ${IS_MACHINE}
  QUALIFY s.opening_hash IS NULL OR NOT (${CAME_TO_NOTHING}) OR rank() OVER (
    PARTITION BY e.project, s.opening_hash ORDER BY coalesce(s.newest, e.day) DESC NULLS LAST, e.session DESC) = 1`;

/** Episodes of each of these projects, newest first. */
export function loadEpisodes(
  db: Db,
  owners: readonly string[],
): Promise<(owner: string | null) => Episode[]> {
  return byOwner(
    db,
    `SELECT e.project AS of, e.agent, e.session, e.title, e.summary, coalesce(e.day::VARCHAR, '') AS day, e.outcome, e.signal,
       e.problem, e.solution, e.lesson, e.files, e.commands, e.commits, e.unfinished, e.next_step
     FROM (${EPISODES}) e WHERE e.project IN (SELECT unnest($owners::VARCHAR[]))
     ORDER BY e.newest DESC NULLS LAST, e.agent, e.session`,
    { owners },
  );
}

/** For each project: `agent\0session` -> name of its group of sessions that share an entry. */
export async function forkGroups(
  db: Db,
  owners: Owners,
): Promise<(owner: string | null) => Map<string, string>> {
  const pairs = await sharedSessions(db, owners);
  return (owner) => groupsOf(pairs(owner));
}

/** Number of last answers that are read, and their fewest terms; a shorter one only says "Done". */
const LAST_ANSWERS = 3;
const LEAST_TERMS = 8;

/**
 * The agents' last texts before each prompt or the log's end in each project's newest sessions,
 * newest first.
 * @param most sessions of a project
 */
export async function lastAnswers(
  db: Db,
  owners: readonly string[],
  most: number,
): Promise<(owner: string | null) => { agent: string; session: string; text: string }[]> {
  const found = await byOwner<{ agent: string; session: string; n: number; length: number }>(
    db,
    `WITH newest AS MATERIALIZED (
       SELECT e.project, e.agent, e.session FROM own.episodes e
       JOIN own.session_facts s ON s.agent = e.agent AND s.session = e.session
       WHERE NOT s.is_machine AND e.project IN (SELECT unnest($owners::VARCHAR[]))
       QUALIFY row_number() OVER (PARTITION BY e.project ORDER BY s.newest DESC NULLS LAST, e.agent, e.session) <= $most),
     said AS (
       SELECT w.project, e.agent, e.session, e.n, e.length, e.seq, e.id, e.role, e.origin,
         lead(e.role) OVER (PARTITION BY e.agent, e.session ORDER BY e.seq, e.id) AS next
       FROM newest w JOIN (
         SELECT agent, session, n, length, seq, id, role, origin FROM own.entries
         UNION ALL SELECT c.agent, c.session, o.n, o.length, c.seq, o.id, o.role, o.origin
         FROM own.copies c JOIN own.entries o ON o.id = c.id AND o.agent = c.agent) e
         ON e.agent = w.agent AND e.session = w.session
       WHERE (e.role IN ('assistant', 'tool_call') OR e.role = 'user' AND e.origin = 'user')
         AND NOT EXISTS (FROM own.superseded o WHERE o.n = e.n))
     SELECT project AS of, agent, session, n, length FROM said
     WHERE role = 'assistant' AND origin = 'agent' AND length >= ${LEAST_TERMS} AND coalesce(next, 'user') = 'user'
     QUALIFY row_number() OVER (PARTITION BY agent, session ORDER BY seq DESC, id DESC) <= ${LAST_ANSWERS}
     ORDER BY seq DESC, id DESC`,
    { owners, most },
  );
  const texts = await textsOf(db, owners.flatMap(found));
  return (owner) => found(owner).map((row) => ({ ...row, text: texts.get(row.n) ?? '' }));
}

/** Files that sessions of each of these projects changed, below its root. */
export async function editedFiles(
  db: Db,
  owners: readonly string[],
): Promise<(owner: string | null) => Set<string>> {
  const found = await byOwner<{ file: string }>(
    db,
    `SELECT DISTINCT f.project_id AS of, e.file FROM own.file_edits e
     JOIN own.session_facts f ON f.agent = e.agent AND f.session = e.session
     WHERE f.project_id IN (SELECT unnest($owners::VARCHAR[]))`,
    { owners },
  );
  return (owner) => new Set(found(owner).map(({ file }) => file));
}

/** Branches on which sessions of each of these projects worked. */
export async function branchesOf(
  db: Db,
  owners: readonly string[],
): Promise<(owner: string | null) => Set<string>> {
  const found = await byOwner<{ branch: string }>(
    db,
    `SELECT DISTINCT project_id AS of, branch FROM own.session_facts
     WHERE branch IS NOT NULL AND project_id IN (SELECT unnest($owners::VARCHAR[]))`,
    { owners },
  );
  return (owner) => new Set(found(owner).map(({ branch }) => branch));
}
