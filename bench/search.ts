/**
 * Latency of search by words and by meaning over made-up stores. Usage: tsx bench/search.ts [ENTRIES ...]   (default 10000 100000)
 * Words follow Zipf's law; vectors are random unit vectors, which costs the same as real ones.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commitBatch, openStore, saveVectors, searchVectors, searchWords, type Store } from '../src/store/index.js';
import { hashedTermsOf, hashTerm } from '../src/terms/index.js';
import type { PreparedEntry } from '../src/types.js';

const clock = { now: () => new Date(), mono: () => performance.now() };
const VOCABULARY = 30_000;
let seed = 42;
const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
const word = (): string => `w${Math.floor(VOCABULARY ** random())}`;
const vector = (): Float32Array => {
  const v = Float32Array.from({ length: 384 }, () => random() - 0.5);
  const norm = Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
  return v.map((x) => x / norm);
};

const makeEntry = (n: number): PreparedEntry => {
  const text = Array.from({ length: 60 }, word).join(' ');
  return {
    id: n.toString(16).padStart(32, '0'), agent: 'claude-code', session: `s${n >> 8}`, seq: n, time: '2026-11-20T10:00:00.000Z', role: 'assistant', origin: 'agent', tool: null, text,
    hash: n.toString(16).padStart(16, '0'), call: null, command: null, exit: null, outcome: null, error: null, files: [], cwd: '/w', branch: null, marks: [], copied: false,
    path: '/l.jsonl', line: n, ...hashedTermsOf(text),
  };
};

const fill = async (store: Store, count: number): Promise<void> => {
  for (let from = 0; from < count; from += 5_000) {
    const entries = Array.from({ length: Math.min(5_000, count - from) }, (_, i) => makeEntry(from + i));
    const checkpoint = {
      agent: 'claude-code', path: '/l.jsonl', device: '1', inode: '1', offset: from, line: from, headLength: 0, headHash: '', tailLength: 0, tailHash: '', size: from, mtimeMs: 1,
      state: '{}', badLines: 0, unknownTypes: {}, session: null, lastRead: '2026-11-20T10:00:00.000Z',
    };
    await store.write(async (db) => {
      await commitBatch(db, { checkpoint, entries, sessions: [], bad: [] });
      await saveVectors(db, entries.map(({ id }) => ({ owner: 'entry' as const, id, rev: 1, fingerprint: 'bench', part: 0, text: 'x', vector: vector() })));
    });
  }
};

const times = async (name: string, run: () => Promise<unknown>): Promise<void> => {
  await run();
  const taken: number[] = [];
  for (let i = 0; i < 30; i++) {
    const begun = performance.now();
    await run();
    taken.push(performance.now() - begun);
  }
  taken.sort((a, b) => a - b);
  console.log(`  ${name}: p50 ${taken[15]!.toFixed(0)} ms, p95 ${taken[28]!.toFixed(0)} ms`);
};

for (const count of process.argv.length > 2 ? process.argv.slice(2).map(Number) : [10_000, 100_000]) {
  const home = await mkdtemp(join(tmpdir(), 'dripstone-bench-'));
  const store = openStore({ path: join(home, 'memory.duckdb'), clock, lockWaitMs: 0 });
  const begun = performance.now();
  await fill(store, count);
  console.log(`${count} entries (filled in ${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  await times('words', () => store.read((db) => searchWords(db, { terms: [word(), word(), word()].map(hashTerm), limit: 200 })));
  await times('meaning', () => store.read((db) => searchVectors(db, { vector: vector(), fingerprint: 'bench', limit: 200 })));
  await store.close();
  await rm(home, { recursive: true });
}
