/** Temporary homes, an owned clock and made-up entries for the store's tests. */
import { BARE_ENTRY } from '../entry.js';
import { existsSync, rmSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { blankLesson } from '../../src/lessons/forming.js';
import { commitBatches, openStore } from '../../src/store/index.js';
import type { Db, Store } from '../../src/store/index.js';
import type { StoreOptions } from '../../src/store/open-migrated.js';
import type { Batch, Checkpoint, Clock, Lesson, PreparedEntry } from '../../src/types.js';

interface TestClock extends Clock {
  advance(ms: number): void;
  set(iso: string): void;
}

/** Stands still until it is told otherwise. */
export function testClock(start = '2026-11-20T12:00:00.000Z'): TestClock {
  let wall = Date.parse(start);
  let mono = 0;
  return {
    now: () => new Date(wall),
    mono: () => mono,
    advance(ms) {
      wall += ms;
      mono += ms;
    },
    set(iso) {
      wall = Date.parse(iso);
    },
  };
}

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dripstone-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * A database file that is made once in this process, with its log if it has one.
 * @returns lays a copy of it at a path where none is
 */
export function madeOnce(make: (path: string) => Promise<void>): (path: string) => Promise<void> {
  let made: Promise<string> | null = null;
  const first = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'dripstone-made-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'memory.duckdb');
    await make(path);
    return path;
  };
  return async (path) => {
    const from = await (made ??= first());
    for (const end of ['', '.wal'])
      if (existsSync(`${from}${end}`)) await copyFile(`${from}${end}`, `${path}${end}`);
  };
}

/** An empty store: all its tables take four times as long to make as to copy. */
export const copyEmptyStore = madeOnce(async (path) => {
  const store = openStore({ path, clock: testClock(), lockWaitMs: 0 });
  await store.read(async () => {});
  await store.close();
});

/** A store in a folder of its own; time passes only while it sleeps. */
export async function tempStore(
  options: Partial<StoreOptions> = {},
): Promise<{ store: Store; clock: TestClock; path: string; home: string }> {
  const home = options.path ? join(options.path, '..') : await tempFolder();
  const path = options.path ?? join(home, 'memory.duckdb');
  if (options.path === undefined) await copyEmptyStore(path);
  const clock = testClock();
  const store = openStore({
    path,
    clock,
    lockWaitMs: 0,
    sleep: async (ms) => clock.advance(ms),
    ...options,
  });
  onTestFinished(() => store.close());
  return { store, clock, path, home };
}

function hex(text: string, length: number): string {
  return Buffer.from(text).toString('hex').padEnd(length, '0').slice(0, length);
}

/** An entry whose id and hash follow from `id` and `text`. */
export function entry(id: string, text: string, more: Partial<PreparedEntry> = {}): PreparedEntry {
  const words = text.split(/\s+/).filter(Boolean);
  const counts = new Map<bigint, number>();
  for (const word of words) counts.set(term(word), (counts.get(term(word)) ?? 0) + 1);
  return {
    ...BARE_ENTRY,
    id: hex(id, 32),
    seq: 1000,
    time: '2026-11-20T10:00:00.000Z',
    text,
    hash: hex(text, 16),
    cwd: '/work/shop',
    branch: 'main',
    path: '/logs/a.jsonl',
    line: 1,
    terms: { hashes: BigInt64Array.from(counts.keys()), counts: Int32Array.from(counts.values()) },
    length: words.length,
    ...more,
  };
}

/** A stand-in for the term hash: the word's first bytes. */
export function term(word: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${hex(word.toLowerCase(), 16)}`));
}

export function idOf(id: string): string {
  return hex(id, 32);
}

export function checkpoint(more: Partial<Checkpoint> = {}): Checkpoint {
  return {
    agent: 'claude-code',
    path: '/logs/a.jsonl',
    device: '1',
    inode: '10',
    offset: 100,
    line: 1,
    headLength: 100,
    headHash: 'head',
    tailLength: 100,
    tailHash: 'tail',
    size: 100,
    mtimeMs: 1,
    state: '{}',
    badLines: 0,
    unknownTypes: {},
    session: 's1',
    lastRead: '2026-11-20T11:00:00.000Z',
    ...more,
  };
}

export function batch(
  entries: PreparedEntry[],
  more: Partial<Batch> & { at?: Partial<Checkpoint> } = {},
): Batch {
  return {
    checkpoint: checkpoint(more.at),
    entries,
    sessions: more.sessions ?? [],
    usage: more.usage ?? [],
    bad: more.bad ?? [],
  };
}

export function lesson(id: string, more: Partial<Lesson> = {}): Lesson {
  return blankLesson({
    id,
    kind: 'preference',
    scope: 'project',
    project: 'p1',
    text: `always ${id}`,
    key: id,
    importance: 4,
    saidBy: 'user',
    tags: ['style'],
    files: ['src/a.ts'],
    worth: 0.5,
    evidence: [
      {
        agent: 'claude-code',
        session: 's1',
        entry: idOf('e1'),
        day: '2026-11-20',
        trust: 0.9,
        supports: true,
        quote: `always ${id}`,
      },
    ],
    confidence: 0.9,
    sessions: 1,
    firstSeen: '2026-11-20',
    lastSeen: '2026-11-20',
    extractor: 1,
    ...more,
  });
}

/** Rows of every table that holds what was read, without what a re-read may change. */
export async function dump(db: Db): Promise<unknown> {
  return {
    entries: await db.all('SELECT id, rev, hash, session, agent FROM own.entries ORDER BY id, rev'),
    texts: await db.all(
      'SELECT e.id, e.rev, t.text FROM own.texts t JOIN own.entries e ON e.n = t.n ORDER BY 1, 2',
    ),
    postings: await db.all(
      'SELECT e.id, e.rev, p.hash, p.count FROM own.postings p JOIN own.entries e ON e.n = p.n ORDER BY 1, 2, 3',
    ),
    superseded: await db.all(
      'SELECT e.id, e.rev FROM own.superseded o JOIN own.entries e ON e.n = o.n ORDER BY 1, 2',
    ),
    copies: await db.all('SELECT id, agent, session FROM own.copies ORDER BY ALL'),
    bad: await db.all('SELECT path, line, reason FROM own.bad_lines ORDER BY ALL'),
  };
}

/** One batch, stored alone. */
export async function commitBatch(db: Db, one: Batch) {
  return commitBatches(db, [one]);
}

/** Entries stored more than once under the same rev. */
export async function doubledEntries(db: Db): Promise<number> {
  const [row] = await db.all<{ doubled: number }>(
    'SELECT count(*) - count(DISTINCT (id, rev)) AS doubled FROM own.entries',
  );
  return row!.doubled;
}
