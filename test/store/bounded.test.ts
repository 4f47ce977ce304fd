/** Work is bounded by what it touches, never by the store: a store many times as large as the memory that the engine may take. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { Db } from '../../src/store/index.js';
import {
  archivedTextDays, countMissing, dueTiers, entriesById, entriesOfSessions, entryNeighbours, findCitations, findPurged, missingVectors, openStore, pendingSessions,
  searchExact, searchWords, sliceKeys, someTexts, stillSaid, storeCounts, textStats, textsOf, tierHeads,
} from '../../src/store/index.js';
import { openDatabase } from '../../src/store/duckdb.js';
import { copyEmptyStore, idOf, tempFolder, testClock } from './build.js';

const [SESSIONS, ROWS, BYTES] = [30, 1000, 2000];
const LIMIT_MB = 32;

/** Text that does not repeat, made by the engine itself: 60 MB, in sessions whose rows alternate between a call and its result. */
const fill = async (db: Db): Promise<void> => {
  await db.run(`INSERT INTO own.texts SELECT n + 1, CASE n % 50 WHEN 7 THEN 'see ^abcd1 for the needle ' || n ELSE '' END
    || array_to_string(list_transform(range(${BYTES / 40}), x -> md5((n * 1000 + x)::VARCHAR) || ' word' || chr(10)), '') FROM range(${SESSIONS * ROWS}) r(n)`);
  await db.run(`INSERT INTO own.entries SELECT n + 1, lpad(n::VARCHAR, 32, '0'), 1, 'hash' || n, 'claude-code', 's' || (n // ${ROWS}), n * 1000,
    TIMESTAMP '2026-11-01 10:00:00' + INTERVAL (n // ${ROWS}) DAY, CASE n % 3 WHEN 0 THEN 'assistant' WHEN 1 THEN 'tool_call' ELSE 'tool_result' END,
    CASE n % 3 WHEN 2 THEN 'tool' ELSE 'agent' END, NULL, NULL, NULL, NULL, NULL, [], NULL, '/work/shop', 'main', [], false, NULL, '/l/s' || (n // ${ROWS}) || '.jsonl', n, ${BYTES / 10}
    FROM range(${SESSIONS * ROWS}) r(n)`);
  await db.run(`INSERT INTO own.postings SELECT hash(n)::BIGINT, n + 1, 1 FROM (SELECT n FROM range(${SESSIONS * ROWS}) r(n)) WHERE hash(n) < 9223372036854775807`);
  await db.run(`INSERT INTO own.sessions BY NAME SELECT agent, session, min(time) AS oldest, max(time) AS newest, max(time) AS touched, max(n) AS last_n, count(*) AS entries FROM own.entries GROUP BY ALL`);
};

const home = async (): Promise<string> => {
  const path = join(await tempFolder(), 'memory.duckdb');
  await copyEmptyStore(path);
  const database = await openDatabase(path, { memoryLimitMb: 1000 });
  await fill(await database.connect());
  await database.fold();
  database.close();
  return path;
};

/** What is asked, by name. */
const questions: Record<string, (db: Db) => Promise<unknown>> = {
  due: (db) => dueTiers(db, '2026-12-20'),
  tiers: async (db) => {
    const heads = (await tierHeads(db, (await dueTiers(db, '2026-12-20')).slice(3, 5))).flat();
    return { heads, texts: await textsOf(db, heads) };
  },
  told: (db) => entriesOfSessions(db, [{ agent: 'claude-code', session: 's11' }, { agent: 'claude-code', session: 's2' }], { clip: 100 }),
  pending: (db) => pendingSessions(db, { idleBefore: null, extractor: 2 }),
  cited: (db) => findCitations(db, 100, 2000),
  missing: (db) => missingVectors(db, 'f', 40),
  countMissing: (db) => countMissing(db, 'f'),
  exact: (db) => searchExact(db, { text: 'the needle 57', limit: 5 }),
  words: (db) => searchWords(db, { terms: [5n], limit: 5 }),
  byId: (db) => entriesById(db, ['57', '8000'].map((n) => n.padStart(32, '0'))),
  near: (db) => entryNeighbours(db, '4000'.padStart(32, '0'), 2),
  purge: (db) => findPurged(db, { needles: ['the needle 1057'], session: null, project: null, before: null }, [idOf('more')]),
  some: (db) => someTexts(db, ['57'.padStart(32, '0')], 3),
  said: (db) => stillSaid(db, ['the needle 57', 'said nowhere']),
  stats: (db) => textStats(db),
  days: (db) => archivedTextDays(db),
  counts: (db) => storeCounts(db),
  rows: (db) => db.all(`SELECT id, text FROM main.entries WHERE session = 's7'`),
};

test('every statement of the nights and of search answers as without a limit, in less memory than half the texts, and spills nothing', async () => {
  const path = await home();
  const under = async (memoryLimitMb: number): Promise<Record<string, unknown>> => {
    const database = await openDatabase(path, { memoryLimitMb, spillMb: 1 });
    const answers: Record<string, unknown> = {};
    try {
      const db = await database.connect();
      for (const [name, ask] of Object.entries(questions)) answers[name] = await ask(db).catch((error: Error) => error.message);
      return answers;
    } finally {
      database.close();
    }
  };
  const free = await under(1000);
  expect(free['purge']).toMatchObject({ ids: ['1057'.padStart(32, '0'), idOf('more')] });
  expect(free['missing']).toHaveLength(40);
  const bounded = await under(LIMIT_MB);
  expect(Object.keys(questions).filter((name) => !isDeepStrictEqual(bounded[name], free[name])).map((name) => `${name}: ${String(bounded[name]).slice(0, 100)}`)).toEqual([]);
}, 120_000);

test('a session of more characters than may be held keeps less of each result, and all of what was said', async () => {
  const path = await home();
  const store = openStore({ path, clock: testClock(), lockWaitMs: 0 });
  const read = (most?: number) => store.read((db) => entriesOfSessions(db, [{ agent: 'claude-code', session: 's4' }], { clip: 500, ...(most === undefined ? {} : { most }) }));
  const lengths = async (role: string, most?: number) => [...new Set([...(await read(most)).values()].flat().filter((each) => each.role === role).map(({ text }) => text.length))];
  expect(await lengths('tool_result')).toEqual([1003]);
  expect(await lengths('tool_result', 1_500_000)).toEqual([503]);
  expect(Math.max(...(await lengths('assistant', 1_500_000)))).toBeGreaterThan(1700);
  await store.close();
}, 60_000);

test('slices are bounded in rows and bytes and do not reach over a gap; every key is in one', () => {
  const keys = [...Array.from({ length: 2500 }, (_, n) => ({ n: n + 1, length: 10 })), { n: 90_000, length: 10 }, ...Array.from({ length: 5 }, (_, n) => ({ n: 90_001 + n, length: 500_000 }))];
  const slices = sliceKeys([...keys].reverse());
  expect(slices.flat()).toEqual(keys);
  expect(slices.map((slice) => slice.length)).toEqual([1000, 1000, 500, 2, 1, 1, 1, 1]);
});
