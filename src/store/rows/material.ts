/** All that the lessons of one project are a pure function of. */
import {
  sessionKey,
  type Edit,
  type Episode,
  type FactEvent,
  type Relation,
  type Occurrence,
} from '../../types.js';
import { among, byOwner, type Db, type Owners } from '../db.js';
import { editsByOwner } from './edits.js';
import { factEventsOf } from '../facts.js';
import { daysOf, projectClocks } from './projects.js';

export interface StoredMaterial {
  /**
   * `payload` is a Candidate as JSON: parsing ten thousand takes longer than the event loop may
   * stand still.
   */
  candidates: { project: string; payload: string }[];
  /** What the fact queries gave when the project was learnt last; of the person (null) none. */
  facts: FactEvent[];
  edits: Edit[];
  /** Filled with {@link occurrencesOf} when it is known which are needed. */
  occurrences: Occurrence[];
  /** Lesson id -> times shown. */
  uses: Map<string, number>;
  /**
   * `agent\0session` -> a name for its group: sessions that share an entry (forks, resumes) have
   * the same name. Others are absent.
   */
  groups: Map<string, string>;
  /** Day of the newest entry, never later than `now`; null without entries. */
  clockDay: string | null;
  /** Days with an entry, sorted. */
  activeDays: string[];
}

/**
 * Material of a project, or of the person (null): then the candidates of every project that are
 * global or a preference of the user. Candidates of automated sessions are left out, and what they
 * "typed" does not count as the user's.
 */
export async function projectMaterial(
  db: Db,
  project: string | null,
  now: string,
): Promise<StoredMaterial> {
  return (await materialOf(db, project === null ? null : [project], now))(project);
}

/** The same of several projects (null: of the person), from as many statements as of one. */
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
    occurrences: [],
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
  const isOfPerson = `((c.payload->>'$.scope') = 'global' OR ((c.payload->>'$.saidBy') = 'user'
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

/**
 * First sight over all projects of each of these tokens in each session, of tokens that something
 * foreign or a tool named anywhere: no other can be tainted. A user's sight stands beside it,
 * whenever it came. Five gigabytes of logs hold half a million such sights, of which the lessons of
 * a project ask for hundreds.
 */
export async function occurrencesOf(
  db: Db,
  project: string | null,
  tokens: readonly string[],
): Promise<Occurrence[]> {
  if (tokens.length === 0) return [];
  const order =
    `ORDER BY seq NULLS FIRST, time, CASE origin WHEN 'external' THEN 0 WHEN 'injected' THEN 1 WHEN 'tool' THEN ` +
    `2 WHEN 'agent' THEN 3 ELSE 4 END`;
  const rows = await db.all<Required<Occurrence> & { typed: boolean }>(
    `SELECT token, agent, session, any_value(project) AS project, first(origin ${order}) AS origin, first(time ${order}) AS time,
       first(seq ${order}) AS seq, bool_or(origin = 'user') AS typed
     FROM (
       SELECT g.* FROM own.occurrences g JOIN own.session_facts s ON s.agent = g.agent AND s.session = g.session
       WHERE g.token IN (SELECT unnest($tokens)) AND NOT (s.is_machine AND g.origin = 'user') AND g.time IS NOT NULL
         AND g.token IN (SELECT token FROM own.occurrences WHERE origin IN ('external', 'injected', 'tool'))
         AND ($project IS NULL OR g.token IN (SELECT token FROM own.occurrences WHERE project = $project)))
     GROUP BY token, agent, session ORDER BY token, agent, session`,
    { project, tokens: [...tokens] },
  );
  return rows.flatMap(({ typed, ...row }): Occurrence[] =>
    typed && row.origin !== 'user'
      ? [row, { ...row, origin: 'user', seq: Number.MAX_SAFE_INTEGER, time: '9999' }]
      : [row],
  );
}

/**
 * Names of their own that sessions of these projects (null: of any) read or edited, as the first
 * sight of each: `own ./path`.
 */
export async function ownOccurrences(
  db: Db,
  owners: Owners,
): Promise<(owner: string | null) => Occurrence[]> {
  const { of, where, params } = among(owners, 'project');
  const found = await byOwner<{ token: string }>(
    db,
    `SELECT DISTINCT ${of}, token FROM own.occurrences
     WHERE starts_with(token, 'own ') AND time IS NOT NULL AND ${where} ORDER BY token`,
    params,
  );
  return (owner) =>
    found(owner).map(({ token }) => ({
      token,
      origin: 'tool',
      time: '',
      ...(owner === null ? {} : { project: owner }),
    }));
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
 * Groups of sessions that share an entry, by union-find over pairs; the name of a group is its
 * smallest member.
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

type StoredEpisode = Episode & { project: string; newest: string | null; opening: string | null };

/** Episodes of each of these projects (null: of all), newest first, without automated sessions. */
export function loadEpisodes(
  db: Db,
  owners: Owners,
): Promise<(owner: string | null) => StoredEpisode[]> {
  const { of, where, params } = among(owners, 'e.project');
  return byOwner(
    db,
    `SELECT ${of}, e.agent, e.session, e.project, e.title, e.summary, coalesce(e.day::VARCHAR, '') AS day, e.outcome, e.signal,
      e.problem, e.solution, e.lesson,
       e.files, e.commands, e.commits, e.unfinished, e.next_step AS "nextStep", s.newest, s.opening_hash AS opening
     FROM own.episodes e JOIN own.session_facts s ON s.agent = e.agent AND s.session = e.session
     WHERE NOT s.is_machine AND ${where} ORDER BY s.newest DESC NULLS LAST, e.agent, e.session`,
    params,
  );
}

/** Relations of a project with the number of sessions that show each. */
export function loadRelations(
  db: Db,
  project: string | null,
): Promise<(Relation & { sessions: number })[]> {
  return db.all(
    `SELECT r.source AS "from", r.rel, r.target AS "to", count(*) AS sessions
     FROM own.relations r JOIN own.session_facts s ON s.agent = r.agent AND s.session = r.session
     WHERE NOT s.is_machine AND ($project IS NULL OR r.project = $project) GROUP BY ALL ORDER BY r.source, r.rel, r.target`,
    { project },
  );
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
