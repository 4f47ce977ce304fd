/** Made-up entries for the store's tests. */
import { BARE_ENTRY } from '../entry.js';
import { blankLesson } from '../../src/lessons/forming.js';
import { commitBatches, type Db } from '../../src/store/index.js';
import type { Batch, Checkpoint, Lesson, PreparedEntry } from '../../src/types.js';

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
    head_length: 100,
    head_hash: 'head',
    tail_length: 100,
    tail_hash: 'tail',
    size: 100,
    mtime_ms: 1,
    state: '{}',
    bad_lines: 0,
    unknown_types: {},
    session: 's1',
    last_read: '2026-11-20T11:00:00.000Z',
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
    said_by: 'user',
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
    first_seen: '2026-11-20',
    last_seen: '2026-11-20',
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
