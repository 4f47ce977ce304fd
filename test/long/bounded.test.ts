/**
 * Work is bounded by what it touches, never by the store: a store many times as large as the memory
 * that the engine may take. Commit e148f00 joined entries with texts: asked the same of this store,
 * its statements for a tier, for one session to learn from and for a purge ended with `Out of
 * Memory Error: failed to pin block of size 256.0 KiB (30.4 MiB/30.5 MiB used)`.
 */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { Db } from '../../src/store/index.js';
import {
  callsNaming,
  countMissing,
  entriesById,
  entriesOfSessions,
  entryNeighbours,
  findPurged,
  missingVectors,
  pendingSessions,
  queryStore,
  searchExact,
  rankWords,
  rowsOfTiers,
  someTexts,
  passagesLeft,
  storeCounts,
  tierDays,
  tierKeys,
} from '../../src/store/index.js';
import { openDatabase } from '../../src/store/duckdb.js';
import { storeError } from '../../src/store/repair/fault.js';
import { testFolder } from '../folder.js';
import { copyEmptyStore, madeOnce, testClock } from '../stage.js';
import { idOf } from '../store/build.js';

const [SESSIONS, ROWS, BYTES] = [30, 1000, 2000];
const LIMIT_MB = 32;

/**
 * Text that does not repeat, made by the engine itself: 60 MB, in sessions whose rows alternate
 * between a call and its result.
 */
async function fill(db: Db): Promise<void> {
  await db.run(`INSERT INTO own.texts SELECT n + 1, CASE n % 50 WHEN 7 THEN 'see ^abcd1 for the needle ' || n ELSE '' END
    || array_to_string(list_transform(range(${BYTES / 40}), x -> md5((n * 1000 + x)::VARCHAR) || ' word' || chr(10)), '') FROM range(${SESSIONS * ROWS}) r(n)`);
  await db.run(`INSERT INTO own.entries BY NAME SELECT n + 1 AS n, lpad(n::VARCHAR, 32, '0') AS id, 1 AS rev, 'hash' || n AS hash, 'claude-code' AS agent,
    's' || (n // ${ROWS}) AS session, n * 1000 AS seq, TIMESTAMP '2026-11-01 10:00:00' + INTERVAL (n // ${ROWS}) DAY AS time,
    CASE n % 3 WHEN 0 THEN 'assistant' WHEN 1 THEN 'tool_call' ELSE 'tool_result' END AS role, CASE n % 3 WHEN 2 THEN 'tool' ELSE 'agent' END AS origin,
    []::VARCHAR[] AS files, '/work/shop' AS cwd, 'main' AS branch, []::VARCHAR[] AS marks, false AS copied, '/l/s' || (n // ${ROWS}) || '.jsonl' AS path,
    n AS line, ${BYTES / 10} AS length FROM range(${SESSIONS * ROWS}) r(n)`);
  await db.run(
    `INSERT INTO own.postings SELECT hash(n)::BIGINT, n + 1, 1 FROM (SELECT n FROM range(${SESSIONS * ROWS}) r(n)) WHERE hash(n) < 9223372036854775807`,
  );
  // An agent wrote into a file of ours again and again.
  await db.run(
    `UPDATE own.entries SET command = 'tee shop-1a2b/crystal.json' WHERE role = 'tool_call'`,
  );
  await db.run(`INSERT INTO own.tiers BY NAME SELECT 'p' AS project, agent, session, strftime(min(time), '%Y-%m-%d') AS day, '/t/' || session AS path, 'archive' AS state,
    count(*) AS entries, NULL AS content, 'hash' AS sha256, max(time) AS written FROM own.entries WHERE n > 15000 GROUP BY ALL`);
  await db.run(
    `INSERT INTO own.sessions BY NAME SELECT agent, session, min(time) AS oldest, max(time) AS newest, max(time) AS touched, max(n) AS last_n, count(*) AS entries FROM own.entries GROUP BY ALL`,
  );
}

const copyFilled = madeOnce(async (path) => {
  await copyEmptyStore(path);
  const database = await openDatabase(path, { memoryLimitMb: 1000 });
  await fill(await database.connect());
  await database.fold();
  database.close();
});
async function home(): Promise<string> {
  const path = join(testFolder(), 'memory.duckdb');
  await copyFilled(path);
  return path;
}

/** What is asked, by name. */
const questions: Record<string, (db: Db) => Promise<unknown>> = {
  days: (db) => tierDays(db, '2026-12-20'),
  tiers: async (db) => {
    const due = (await tierDays(db, '2026-12-20')).filter((day) => day.is_due);
    const tiers = await tierKeys(db, due.slice(3, 5));
    return rowsOfTiers(
      db,
      tiers.flatMap(({ keys }) => keys),
    );
  },
  told: (db) =>
    entriesOfSessions(
      db,
      [
        { agent: 'claude-code', session: 's11' },
        { agent: 'claude-code', session: 's2' },
      ],
      { clip: 100 },
    ),
  pending: (db) => pendingSessions(db, { idleBefore: null, extractor: 2 }),
  missing: (db) => missingVectors(db, 'f', 40),
  countMissing: (db) => countMissing(db, 'f'),
  exact: (db) => searchExact(db, { text: 'the needle 57', limit: 5 }),
  words: (db) => rankWords(db, { terms: [5n], limit: 5 }),
  byId: (db) =>
    entriesById(
      db,
      ['57', '8000'].map((n) => n.padStart(32, '0')),
    ),
  near: (db) => entryNeighbours(db, '4000'.padStart(32, '0'), 2),
  purge: (db) =>
    findPurged(
      db,
      { needles: ['the needle 1057'], session: null, project: null, before: null, marks: [] },
      [idOf('more')],
    ),
  some: (db) => someTexts(db, ['57'.padStart(32, '0')], 3),
  said: (db) => passagesLeft(db, ['the needle 57', 'said nowhere']),
  counts: (db) => storeCounts(db),
  calls: async (db) => (await callsNaming(db, ['shop-1a2b', 'crystal.json'], 0)).map(({ n }) => n),
  longest: (db) => db.all('SELECT count(*) AS n, max(length(text)) AS longest FROM main.entries'),
  longestCall: (db) =>
    db.all('SELECT count(*) AS n, max(length(text)) AS longest FROM main.tool_calls'),
  rows: (db) => db.all(`SELECT id, text FROM main.entries WHERE session = 's7'`),
};

test('every statement of the nights and of search answers as without a limit, in less memory than half the texts, and spills nothing', async () => {
  const path = await home();
  const under = async (memoryLimitMb: number): Promise<Record<string, unknown>> => {
    const database = await openDatabase(path, { memoryLimitMb, spillMb: 1 });
    const answers: Record<string, unknown> = {};
    try {
      const db = await database.connect();
      for (const [name, ask] of Object.entries(questions))
        answers[name] = await ask(db).catch((error: Error) => error.message);
      return answers;
    } finally {
      database.close();
    }
  };
  const free = await under(1000);
  expect(free['purge']).toMatchObject({ ids: ['1057'.padStart(32, '0'), idOf('more')] });
  expect(free['missing']).toHaveLength(40);
  expect(free['calls']).toHaveLength(10_000);
  const bounded = await under(LIMIT_MB);
  expect(
    Object.keys(questions)
      .filter((name) => !isDeepStrictEqual(bounded[name], free[name]))
      .map((name) => `${name}: ${String(bounded[name]).slice(0, 100)}`),
  ).toEqual([]);
});

test('a question in SQL over all texts is answered out of files beside the database, for its owner alone, or refused in words', async () => {
  const path = await home();
  const ask = (sql: string): Promise<unknown> =>
    queryStore(
      {
        path,
        clock: testClock(),
        lockWaitMs: 0,
        signal: new AbortController().signal,
        memoryLimitMb: LIMIT_MB,
      },
      sql,
    );
  const modes = new Set<string>();
  const filesOf = (folder: string): string[] =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const watch = setInterval(() => {
    for (const each of [`${path}.tmp`, ...filesOf(`${path}.tmp`)]) {
      const stat = statSync(each, { throwIfNoEntry: false });
      if (stat)
        modes.add(`${stat.isDirectory() ? 'folder' : 'file'} ${(stat.mode & 0o777).toString(8)}`);
    }
  }, 2);
  const umask = process.umask(0o022);
  try {
    expect(await ask('SELECT count(*), max(length(text)) FROM entries')).toMatchObject({
      rows: [[SESSIONS * ROWS, expect.any(Number)]],
    });
    await expect(ask('SELECT count(DISTINCT text || id) FROM entries')).rejects.toMatchObject({
      code: 'QUERY',
      exitCode: 2,
      hint: expect.stringContaining('ask for less') as string,
    });
  } finally {
    clearInterval(watch);
    process.umask(umask);
  }
  // A file beside the database is there for some milliseconds: how many of them the timer meets is
  // chance, what it meets is not.
  expect([...modes].filter((mode) => mode !== 'file 600' && mode !== 'folder 700')).toEqual([]);
  expect(filesOf(`${path}.tmp`)).toEqual([]);
  expect(storeError(new Error('Out of Memory Error: failed to pin block'), path)).toMatchObject({
    code: 'OUT_OF_MEMORY',
    exitCode: 1,
  });
});
