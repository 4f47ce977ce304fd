/** Takes purged entries out of every table; call it inside `store.write`. */
import type { Db, Value } from '../db.js';
import { appendRows } from '../db.js';
import { dropMeta, setMeta } from '../rows/meta.js';
import { addPurged, addPurgedEdits, purgedFact, purgedLog, purgedSession } from './purged.js';
import { holdsAny, needleParams, textColumns, type Found, type PlaceKey } from './purge-find.js';
import { sessionLists } from '../rows/sessions.js';
import { PARSED_TABLES } from '../schema.js';
import { removeUsage } from '../usage.js';
import { parseAny } from '../../text/fields.js';

/** What went, by name. */
export type Removed = Record<
  'entries' | 'copies' | 'vectors' | 'candidates' | 'sessions' | 'logs' | 'other',
  number
>;

const GONE = `(SELECT unnest($ids::VARCHAR[]))`;

/**
 * Projects whose lessons have to be computed again are the caller's to note.
 * @param traces strings that tell of what goes, such as passages and names of its tiers: what jobs
 * noted with one of them goes too
 * @returns counts; sessions that kept entries are marked to be extracted again
 */
export async function removePurged(
  db: Db,
  found: Found,
  needles: readonly string[],
  traces: readonly string[] = [],
): Promise<Removed> {
  const { ids, sessions, projects } = found;
  await addPurged(db, ids);
  await removeUsage(db, ids, sessions);
  const rows = `(SELECT n FROM own.entries WHERE id IN ${GONE})`;
  const vectors = await db.run(`DELETE FROM own.vectors WHERE owner = 'entry' AND id IN ${GONE}`, {
    ids,
  });
  for (const table of ['postings', 'texts', 'superseded'])
    await db.run(`DELETE FROM own.${table} WHERE n IN ${rows}`, { ids });
  const copies = await db.run(`DELETE FROM own.copies WHERE id IN ${GONE}`, { ids });
  const entries = await db.run(`DELETE FROM own.entries WHERE id IN ${GONE}`, { ids });
  for (const table of ['uses', 'receipts'])
    await db.run(`DELETE FROM own.${table} WHERE type = 'entry' AND id IN ${GONE}`, { ids });
  const candidates = await forgetExtraction(db, ids, sessions);
  // By all marks: what a crystal quotes of another machine's entries stands here without them.
  await db.run('DELETE FROM own.evidence WHERE entry IN (SELECT id FROM own.purged)');
  const emptied = await dropSessions(db, sessions);
  await dropProjects(db, projects);
  const { logs, paths } = await dropLogs(db, emptied, needles);
  await forgetFacts(db, needles);
  const other = await scrubRest(db, needles);
  const named = [...projects, ...emptied.map(({ session }) => session)];
  await scrubNotes(db, named, [
    ...needles,
    ...[...named, ...traces, ...paths].filter((trace) => trace.length >= LEAST_TRACE),
  ]);
  return { entries, copies, vectors, candidates, sessions: emptied.length, logs, other };
}

/**
 * What was read out of the sessions goes whole: they are parsed again from what is left of them.
 */
async function forgetExtraction(
  db: Db,
  ids: readonly string[],
  sessions: readonly PlaceKey[],
): Promise<number> {
  const keys = sessionLists(sessions);
  const touched = `(SELECT unnest($agents::VARCHAR[]) AS agent, unnest($sessions::VARCHAR[]) AS session)`;
  let candidates = 0;
  for (const table of [...PARSED_TABLES, 'claims', 'asked']) {
    const gone = await db.run(
      `DELETE FROM own.${table} c WHERE (c.agent, c.session) IN ${touched}`,
      keys,
    );
    if (table === 'candidates') candidates = gone;
  }
  await db.run(`DELETE FROM own.fact_events WHERE entry IN ${GONE}`, { ids });
  await db.run(
    `UPDATE own.sessions s SET extracted_n = NULL, extractor = NULL, opening_hash = NULL, opening_length = NULL,
      typed_later = NULL, active_seconds = NULL
    WHERE (s.agent, s.session) IN ${touched}`,
    keys,
  );
  return candidates;
}

/** Those of the sessions that have no entry but these; reads only. */
export function emptiedBy(
  db: Db,
  ids: readonly string[],
  sessions: readonly PlaceKey[],
): Promise<PlaceKey[]> {
  return db.all<PlaceKey>(
    `SELECT w.agent, w.session FROM (SELECT unnest($agents::VARCHAR[]) AS agent, unnest($sessions::VARCHAR[]) AS session) w
     WHERE NOT EXISTS (FROM own.entries e WHERE e.agent = w.agent AND e.session = w.session AND e.id NOT IN ${GONE})
       AND NOT EXISTS (FROM own.copies c WHERE c.agent = w.agent AND c.session = w.session AND c.id NOT IN ${GONE})
     ORDER BY 1, 2`,
    { ids, ...sessionLists(sessions) },
  );
}

/** Sessions without any entry left go; the others count what they still have. */
async function dropSessions(db: Db, sessions: readonly PlaceKey[]): Promise<PlaceKey[]> {
  const keys = sessionLists(sessions);
  const touched = `(SELECT unnest($agents::VARCHAR[]) AS agent, unnest($sessions::VARCHAR[]) AS session)`;
  const empty = await emptiedBy(db, [], sessions);
  await addPurged(
    db,
    empty.map(({ agent, session }) => purgedSession(agent, session)),
  );
  const gone = sessionLists(empty);
  for (const table of [
    'sessions',
    ...PARSED_TABLES,
    'fact_events',
    'receipts',
    'tiers',
    'tier_checks',
    'llm_calls',
  ]) {
    await db.run(`DELETE FROM own.${table} c WHERE (c.agent, c.session) IN ${touched}`, gone);
  }
  await db.run(
    `UPDATE own.sessions s SET entries = (SELECT count(*) FROM own.entries e WHERE e.agent = s.agent AND e.session = s.session
      AND e.rev = 1)
       + (SELECT count(*) FROM own.copies c WHERE c.agent = s.agent AND c.session = s.session)
         WHERE (s.agent, s.session) IN ${touched}`,
    keys,
  );
  return empty;
}

async function dropProjects(db: Db, projects: readonly string[]): Promise<void> {
  const owned = { projects };
  const list = `(SELECT unnest($projects::VARCHAR[]))`;
  await addPurgedEdits(db, `owner IN ${list}`, owned);
  await db.run(`DELETE FROM own.projects WHERE id IN ${list}`, owned);
  for (const table of [
    'project_aliases',
    'folders',
    ...PARSED_TABLES,
    'fact_events',
    'receipts',
    'tiers',
  ])
    await db.run(`DELETE FROM own.${table} WHERE project IN ${list}`, owned);
  for (const table of ['lessons', 'evidence', 'edits'])
    await db.run(`DELETE FROM own.${table} WHERE owner IN ${list}`, owned);
}

/** A log of which nothing is left, and one whose very path holds the text, is not opened again. */
async function dropLogs(
  db: Db,
  emptied: readonly PlaceKey[],
  needles: readonly string[],
): Promise<{ logs: number; paths: string[] }> {
  const keys = sessionLists(emptied);
  const rows = await db.all<{ log: number; path: string }>(
    `SELECT log, path FROM own.sources s WHERE ${holdsAny('s.path', needles)}
       OR ((s.agent, s.session) IN (SELECT unnest($agents::VARCHAR[]), unnest($sessions::VARCHAR[]))
         AND NOT EXISTS (FROM own.entries e WHERE e.log = s.log) AND NOT EXISTS (FROM own.copies c WHERE c.log = s.log))`,
    { ...keys, ...needleParams(needles) },
  );
  await addPurged(
    db,
    rows.map(({ path }) => purgedLog(path)),
  );
  const logs = { logs: rows.map(({ log }) => BigInt(log)) };
  await db.run('DELETE FROM own.bad_lines WHERE log IN (SELECT unnest($logs::BIGINT[]))', logs);
  return {
    logs: await db.run(
      'DELETE FROM own.sources WHERE log IN (SELECT unnest($logs::BIGINT[]))',
      logs,
    ),
    paths: rows.map(({ path }) => path),
  };
}

const FACTS = ['parent', 'title', 'version', 'cwd', 'branch', 'remote', 'original_cwd'] as const;

/** What logs say of their sessions: the value goes and does not come back. */
async function forgetFacts(db: Db, needles: readonly string[]): Promise<void> {
  for (const column of FACTS) {
    const rows = await db.all<PlaceKey & { value: string }>(
      `SELECT agent, session, ${column} AS value FROM own.sessions WHERE ${holdsAny(column, needles)}`,
      needleParams(needles),
    );
    await addPurged(
      db,
      rows.map(({ agent, session, value }) => purgedFact(agent, session, value)),
    );
    if (rows.length > 0)
      await db.run(
        `UPDATE own.sessions SET ${column} = NULL WHERE ${holdsAny(column, needles)}`,
        needleParams(needles),
      );
  }
}

/**
 * Columns that are emptied because their row is still needed: [table, column, SQL of the empty
 * value].
 */
const EMPTIED: readonly [string, string, string][] = [
  ['own.job_runs', 'error', 'NULL'],
  ['own.job_runs', 'counts', `'{}'`],
  ['own.job_runs', 'subject', 'NULL'],
  ['own.llm_calls', 'error', 'NULL'],
  ['own.sources', 'unknown_types', `'{}'`],
];

/** Every other row of ours that holds the text goes; adapters' states lose the words. */
async function scrubRest(db: Db, needles: readonly string[]): Promise<number> {
  if (needles.length === 0) return 0;
  const params = needleParams(needles);
  for (const [table, column, empty] of EMPTIED)
    await db.run(
      `UPDATE ${table} SET ${column} = ${empty} WHERE ${holdsAny(column, needles)}`,
      params,
    );
  await scrubStates(db, needles);
  await addPurgedEdits(db, holdsAny('text', needles), params);
  let removed = 0;
  for (const { table, expression } of await textColumns(db)) {
    if (!table.startsWith('"own"') || table === '"own"."purged"') continue;
    removed += await db.run(`DELETE FROM ${table} WHERE ${holdsAny(expression, needles)}`, params);
  }
  return removed;
}

/** A shorter one, e.g. a session called `1`, stands everywhere by chance. */
const LEAST_TRACE = 8;
/** Rows of `main.meta` that the store cannot be without; what they hold is ours. */
const NEEDED = ['store_version', 'commit_seq', 'next_n', 'views', 'purge'];

/**
 * What jobs noted of it: errors of runs, tiers that were damaged, and values of `main.meta`, of
 * whose lists only the items go.
 * @param named ids of sessions and projects that are gone
 * @param traces strings that must stand nowhere
 */
async function scrubNotes(
  db: Db,
  named: readonly string[],
  traces: readonly string[],
): Promise<void> {
  const isGone = (text: string): boolean =>
    named.includes(text) || traces.some((trace) => text.includes(trace));
  if (traces.length > 0) {
    const params = needleParams(traces);
    for (const [table, column, empty] of EMPTIED)
      await db.run(
        `UPDATE ${table} SET ${column} = ${empty} WHERE ${holdsAny(column, traces)}`,
        params,
      );
    await db.run(`DELETE FROM own.tier_faults WHERE ${holdsAny('path', traces)}`, params);
  }
  for (const { key, value } of await db.all<{ key: string; value: string }>(
    'SELECT key, value FROM main.meta',
  )) {
    if (NEEDED.includes(key)) continue;
    const parsed = parseAny(value);
    const kept = Array.isArray(parsed)
      ? parsed.filter((item) => !stringsIn(item).some(isGone))
      : null;
    if (
      traces.some((trace) => key.includes(trace)) ||
      named.includes(key.slice(key.indexOf(':') + 1)) ||
      (kept === null && [value, ...stringsIn(parsed)].some(isGone))
    )
      await dropMeta(db, key);
    else if (kept !== null && kept.length < (parsed as unknown[]).length)
      await setMeta(db, key, JSON.stringify(kept));
  }
}

function stringsIn(value: unknown): string[] {
  return typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, each]) => [key, ...stringsIn(each)])
      : [];
}

async function scrubStates(db: Db, needles: readonly string[]): Promise<void> {
  const rows = await db.all<Record<string, Value>>(
    `SELECT * FROM own.sources WHERE ${holdsAny('state', needles)}`,
    needleParams(needles),
  );
  if (rows.length === 0) return;
  await db.run('DELETE FROM own.sources WHERE log IN (SELECT unnest($logs::BIGINT[]))', {
    logs: rows.map(({ log }) => BigInt(log as number)),
  });
  await appendRows(
    db,
    'own.sources',
    rows.map((row) => ({
      ...row,
      state: JSON.stringify(scrubJson(JSON.parse(String(row['state'])), needles)),
    })),
  );
}

/**
 * The same value with every string that holds a needle emptied and every such key left out. Pure.
 */
function scrubJson(value: unknown, needles: readonly string[]): unknown {
  const holds = (text: string): boolean => needles.some((needle) => text.includes(needle));
  if (typeof value === 'string') return holds(value) ? '' : value;
  if (Array.isArray(value)) return value.map((each) => scrubJson(each, needles));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      holds(key) ? [] : [[key, scrubJson(each, needles)]],
    ),
  );
}

/** Lessons that crystals lost: those that somebody edited would be learnt again from here. */
export async function dropLessons(db: Db, ids: readonly string[]): Promise<void> {
  await db.run('DELETE FROM own.evidence WHERE lesson IN (SELECT unnest($ids::VARCHAR[]))', {
    ids,
  });
  await db.run('DELETE FROM own.lessons WHERE id IN (SELECT unnest($ids::VARCHAR[]))', { ids });
}

/** Vectors of lessons that are no more. */
export async function dropStrays(db: Db): Promise<void> {
  await db.run(
    `DELETE FROM own.vectors WHERE owner = 'lesson' AND id NOT IN (SELECT id FROM own.lessons)`,
  );
}
