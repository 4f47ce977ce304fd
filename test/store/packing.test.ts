/** What the file is packed into, and how it is written anew. Nothing is lost on the way. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import {
  bootStore,
  openStore,
  rankWords,
  storePacking,
  type Db,
  type Store,
} from '../../src/store/index.js';
import { copyDatabase, swapDatabase } from '../../src/store/repair/rebuild.js';
import { tempStore, testClock } from '../stage.js';
import { batch, commitBatch, entry } from './build.js';
import { startChild } from './children.js';

function HASH(word: string): string {
  return `(hash('w' || ${word})::HUGEINT - 9223372036854775808::HUGEINT)::BIGINT`;
}
const WORDS = 40;
const ENTRIES = 6_000;

async function addEntries(db: Db, from: number, to: number, text: string): Promise<void> {
  await db.run(
    `INSERT INTO own.entries BY NAME SELECT r AS n, md5(r::VARCHAR) AS id, 1 AS rev, left(md5('h' || r), 16) AS hash, 'claude-code' AS agent, 's' || (r % 7) AS session, r AS seq,
       TIMESTAMP '2026-11-20 10:00:00' AS time, 'assistant' AS role, 'agent' AS origin, []::VARCHAR[] AS files, []::VARCHAR[] AS marks, false AS copied, '/l.jsonl' AS path,
       r AS line, ${WORDS}::INTEGER AS length FROM range(${from}, ${to}) t(r)`,
  );
  await db.run(`INSERT INTO own.texts SELECT r, ${text} FROM range(${from}, ${to}) t(r)`);
  await db.run(
    `INSERT INTO own.postings SELECT ${HASH(`((r * 31 + k * k) % 5000)`)}, r, 1 + k % 3 FROM range(${from}, ${to}) t(r), range(${WORDS}) u(k)`,
  );
}

/**
 * Some 600 characters, and 5,000 of one in a hundred, as logs have them: a group with a long one is
 * never packed by symbols (FSST).
 */
const SENTENCE = `array_to_string(list_transform(range(if(r % 100 = 0, 160, 20)), k -> 'the line ' || (r * 7 + k) % 997 || ' of the file is wrong'), ' ')`;

async function sums(store: Store): Promise<unknown> {
  return store.read((db) =>
    Promise.all(
      ['entries', 'texts', 'postings'].map((table) =>
        db.all(
          `SELECT '${table}' AS name, count(*) AS rows, bit_xor(hash(t)) AS sum FROM own.${table} t`,
        ),
      ),
    ),
  );
}

async function kindsOf(store: Store, table: string, column: string): Promise<string[]> {
  return (
    await store.read((db) =>
      db.all<{ kind: string }>(
        `SELECT DISTINCT compression AS kind FROM pragma_storage_info('${table}') WHERE column_name = '${column}' AND segment_type <> 'VALIDITY'`,
      ),
    )
  ).map(({ kind }) => kind);
}

const UNSORTED =
  'SELECT count(*) AS n FROM (SELECT hash < lag(hash) OVER (ORDER BY rowid) AS back FROM own.postings) WHERE back';

test('written anew: the same rows and hits, postings sorted, in fewer bytes', async () => {
  const { store } = await tempStore();
  await store.write((db) => addEntries(db, 1, ENTRIES + 1, SENTENCE));
  const terms = (
    await store.read((db) =>
      db.all<{ hash: bigint }>(`SELECT unnest([${HASH('17')}, ${HASH('4000')}]) AS hash`),
    )
  ).map(({ hash }) => BigInt(hash));
  const search = async () => (await store.read((db) => rankWords(db, { terms, limit: 20 }))).hits;
  const [before, hits, packing] = [
    await sums(store),
    await search(),
    await store.read(storePacking),
  ];
  expect(packing).toMatchObject({ postings: ENTRIES * WORDS, sorted: 0 });
  expect(hits).toHaveLength(20);
  const { before: bytes, after } = await store.rebuild();
  expect(after).toBeLessThan(bytes);
  expect(await sums(store)).toEqual(before);
  expect(await search()).toEqual(hits);
  expect(await kindsOf(store, 'own.texts', 'text')).toEqual(['ZSTD']);
  expect((await store.read((db) => db.all(UNSORTED)))[0]).toEqual({ n: 0 });
  expect(await store.read(storePacking)).toMatchObject({ sorted: ENTRIES * WORDS });
});

test('many postings become sorted runs while entries are added', async () => {
  const { store } = await tempStore();
  const [each, terms] = [100, 20_000];
  const add = (commit: number) => {
    const entries = Array.from({ length: each }, (_, i) => ({
      ...entry(`${commit}-${i}`, 'w'),
      terms: {
        hashes: BigInt64Array.from({ length: terms }, (_, k) =>
          BigInt.asIntN(64, BigInt(k * each + i) * 0x9e3779b97f4a7c15n),
        ),
        counts: new Int32Array(terms).fill(1 + commit),
      },
    }));
    return store.write((db) => commitBatch(db, batch(entries)));
  };
  const rows = () =>
    store.read((db) =>
      db.all(`SELECT count(*) AS rows, bit_xor(hash(p)) AS sum FROM own.postings p WHERE n <= 300`),
    );
  for (const commit of [0, 1, 2]) await add(commit);
  const before = await rows();
  expect(await store.read(storePacking)).toMatchObject({ sorted: 0, postings: 6_000_000 });
  await add(3);
  expect(await rows()).toEqual(before);
  expect(await store.read(storePacking)).toMatchObject({ sorted: 2_000_000, postings: 8_000_000 });
  const ofRun = UNSORTED.replace('own.postings', 'own.postings WHERE n <= 100');
  expect(await store.read((db) => db.all(ofRun))).toEqual([{ n: 0 }]);
});

test('ended between copy and swap: the old file stands, and what was begun is swept with its temporary files', async () => {
  const { store, path } = await tempStore();
  await store.write((db) => addEntries(db, 1, 1000, SENTENCE));
  const before = await sums(store);
  await store.close();
  await copyDatabase(path);
  await writeFile(`${path}.rebuild.wal`, '');
  expect(existsSync(`${path}.rebuild`)).toBe(true);
  const booted = await bootStore({ path, clock: testClock(), lockWaitMs: 0 });
  expect(booted.report.action).toBe('opened');
  expect(existsSync(`${path}.rebuild`)).toBe(false);
  expect(await sums(booted.store)).toEqual(before);
  await booted.store.close();
});

test('another process reads the file while it is copied; one that writes to it is waited for, then named', async () => {
  const { store, path } = await tempStore();
  await store.write((db) => addEntries(db, 1, 100, SENTENCE));
  await store.release();
  await store.close();
  const reader = startChild('hold', [path, 'READ_ONLY']);
  await reader.line((line) => line === 'held');
  const stamp = await copyDatabase(path);
  reader.send('go\n');
  await reader.ended;
  await swapDatabase(path, stamp);
  const writer = startChild('hold', [path]);
  await writer.line((line) => line === 'held');
  await expect(copyDatabase(path, 50)).rejects.toThrow(/lock/i);
  expect(existsSync(`${path}.rebuild`)).toBe(false);
  writer.send('go\n');
  await writer.ended;
  const after = openStore({ path, clock: testClock(), lockWaitMs: 0 });
  expect(await after.read((db) => db.all('SELECT count(*) AS n FROM own.texts'))).toEqual([
    { n: 99 },
  ]);
  await after.close();
});
