/**
 * Invented stores for measuring. Words follow Zipf's law. Vectors are random unit vectors, which
 * take the same time as real ones.
 */
import { dirname, join } from 'node:path';
import { commitBatches, openStates, saveVectors, type Store } from '../src/store/index.js';
import { findModel } from '../src/embed/model-folder.js';
import { hashedTermsOf } from '../src/terms/index.js';
import { BARE_ENTRY } from '../test/entry.js';
import type { PreparedEntry, Reading } from '../src/types.js';

export const clock = { now: () => new Date(), mono: () => performance.now() };
const VOCABULARY = 30_000;
let seed = 42;
/** mulberry32: random numbers that do not repeat within a store. */
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
export function word(): string {
  return `w${Math.floor(VOCABULARY ** random())}`;
}
export function vector(): Float32Array {
  const v = Float32Array.from({ length: 384 }, () => random() - 0.5);
  const norm = Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
  return v.map((x) => x / norm);
}

/** Random token states of a window. */
function signs(): Uint8Array {
  return Uint8Array.from({ length: 40 * 48 }, () => random() * 256);
}

/** A question as the model reads it: a dozen pieces. */
export function reading(terms: readonly string[]): Reading {
  const pieces = Array.from({ length: 12 }, (_, i) => terms[i % terms.length]!);
  return {
    vector: vector(),
    pieces,
    states: Float32Array.from({ length: 12 * 384 }, () => random() - 0.5),
  };
}

/** @param text absent: sixty invented words */
export function makeEntry(
  n: number,
  text = Array.from({ length: 60 }, word).join(' '),
): PreparedEntry {
  return {
    ...BARE_ENTRY,
    id: n.toString(16).padStart(32, '0'),
    session: `s${n >> 8}`,
    seq: n,
    time: '2026-11-20T10:00:00.000Z',
    role: 'assistant',
    origin: 'agent',
    text,
    hash: n.toString(16).padStart(16, '0'),
    cwd: '/w',
    path: '/l.jsonl',
    line: n,
    ...hashedTermsOf(text),
  };
}

export function checkpointAt(from: number) {
  return {
    agent: 'claude-code',
    path: '/l.jsonl',
    device: '1',
    inode: '1',
    offset: from,
    line: from,
    head_length: 0,
    head_hash: '',
    tail_length: 0,
    tail_hash: '',
    size: from,
    mtime_ms: 1,
    state: '{}',
    bad_lines: 0,
    unknown_types: {},
    session: null,
    last_read: '2026-11-20T10:00:00.000Z',
  };
}

/** @param fingerprint fingerprint of the model, stored with the vectors */
export async function fill(store: Store, count: number, fingerprint: string): Promise<void> {
  for (let from = 0; from < count; from += 5_000) {
    const entries = Array.from({ length: Math.min(5_000, count - from) }, (_, i) =>
      makeEntry(from + i),
    );
    const checkpoint = checkpointAt(from);
    await store.write(async (db) => {
      await commitBatches(db, [{ checkpoint, entries, sessions: [], bad: [] }]);
      const file = await openStates(db, join(dirname(store.path), 'vectors.bin'));
      const places = await file.append(entries.map(() => signs()));
      file.close();
      await saveVectors(
        db,
        entries.map(({ id }, i) => ({
          ...{ owner: 'entry' as const, id, rev: 1, fingerprint, part: 0, text: 'x' },
          ...{ vector: vector(), states: places[i]! },
        })),
      );
    });
  }
}

/** Fingerprint of the shipped model, so that the program uses the invented vectors. */
export async function shippedFingerprint(): Promise<string> {
  const folder = join(import.meta.dirname, '../models/all-MiniLM-L6-v2');
  return (await findModel(folder)).fingerprint;
}
