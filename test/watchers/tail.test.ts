/** Real files: what the tail gives, what it refuses, and where it goes on. */
import {
  appendFileSync,
  ftruncateSync,
  openSync,
  closeSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { randomFillSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Checkpoint } from '../../src/types.js';
import {
  needsReading,
  openLog,
  parseLine,
  type LogPosition,
  compressedSource,
  documentSource,
  tailLog,
  type TailOptions,
  tailRecords,
} from '../../src/watchers/index.js';
import { testFolder } from '../folder.js';
import { zstdFrame } from './zstd-frame.js';

const REST = {
  agent: 'a',
  path: 'p',
  state: '',
  bad_lines: 0,
  unknown_types: {},
  session: null,
  last_read: '2026-01-01T00:00:00.000Z',
};

/** Reads to the end of the last whole line. */
function read(
  path: string,
  saved: Checkpoint | null = null,
  options: TailOptions = {},
  tail = tailLog,
) {
  const log = openLog(path);
  const reading = tail(log, saved, options);
  const values: unknown[] = [];
  const bad: string[] = [];
  let place: LogPosition = reading.start;
  let half = '';
  let next = reading.pieces.next();
  for (; next.done !== true; next = reading.pieces.next()) {
    const piece = next.value;
    for (const line of piece.lines) {
      if (piece.unterminated) {
        half = line.bytes.toString();
        continue;
      }
      const parsed = parseLine(line);
      values.push(...parsed.values);
      if (parsed.bad !== null) bad.push(`${line.line}@${line.offset}: ${parsed.bad}`);
      place = piece.placeAfter(line);
    }
  }
  const { fault, end = place } = next.value;
  const checkpoint: Checkpoint = { ...REST, ...end };
  const holds = reading.isSame();
  log.close();
  return { values, bad, half, checkpoint, fresh: reading.plan.fresh, fault, holds };
}

function numbers(from: number, to: number) {
  return Array.from(
    { length: to - from },
    (_, i) => `${JSON.stringify({ n: from + i, pad: 'x'.repeat(60) })}\n`,
  ).join('');
}
function only(values: unknown[]) {
  return values.map((value) => (value as { n: number }).n);
}

describe('reading on', () => {
  test('takes what was appended, and nothing twice', () => {
    const path = join(testFolder({ 'a.jsonl': numbers(0, 40) }), 'a.jsonl');
    const first = read(path, null, { pieceBytes: 333 });
    expect(only(first.values)).toEqual(Array.from({ length: 40 }, (_, i) => i));
    expect(read(path, first.checkpoint)).toMatchObject({ values: [], fresh: false });
    appendFileSync(path, numbers(40, 43));
    expect(only(read(path, first.checkpoint).values)).toEqual([40, 41, 42]);
  });

  test('half a line waits, whatever byte it ends with', () => {
    const whole = Buffer.from(`${JSON.stringify({ n: 1, text: 'Grüße 🚀' })}\n`);
    for (let cut = 1; cut < whole.length; cut++) {
      const path = join(testFolder(), 'a.jsonl');
      writeFileSync(path, Buffer.concat([Buffer.from('{"n":0}\n'), whole.subarray(0, cut)]));
      const first = read(path);
      expect(only(first.values)).toEqual([0]);
      appendFileSync(path, whole.subarray(cut));
      expect(read(path, first.checkpoint).values).toEqual([{ n: 1, text: 'Grüße 🚀' }]);
    }
  });

  test.each<[string, (path: string) => void]>([
    [
      'truncated',
      (path) => {
        const fd = openSync(path, 'r+');
        ftruncateSync(fd, 100);
        closeSync(fd);
      },
    ],
    ['rewritten in place, longer', (path) => writeFileSync(path, numbers(100, 160))],
    [
      'rewritten behind its first KiB',
      (path) => {
        const fd = openSync(path, 'r+');
        writeSync(fd, numbers(700, 730), 1600);
        closeSync(fd);
      },
    ],
    [
      'replaced by rename',
      (path) => {
        writeFileSync(`${path}.new`, numbers(0, 60));
        renameSync(`${path}.new`, path);
      },
    ],
  ])('a log that was %s is read again', (_, change) => {
    const path = join(testFolder({ 'a.jsonl': numbers(0, 40) }), 'a.jsonl');
    const { checkpoint } = read(path);
    change(path);
    expect(read(path, checkpoint).fresh).toBe(true);
  });

  test('a log that moved goes on', () => {
    const folder = testFolder({ 'a.jsonl': numbers(0, 40) });
    const { checkpoint } = read(join(folder, 'a.jsonl'));
    renameSync(join(folder, 'a.jsonl'), join(folder, 'b.jsonl'));
    appendFileSync(join(folder, 'b.jsonl'), numbers(40, 41));
    expect(only(read(join(folder, 'b.jsonl'), checkpoint).values)).toEqual([40]);
  });

  test('a log rewritten under the reader does not hold; one that only grew does', () => {
    const path = join(testFolder({ 'a.jsonl': numbers(0, 400) }), 'a.jsonl');
    const disturbed = (change: () => void) => {
      const log = openLog(path);
      const tail = tailLog(log, null, { pieceBytes: 1000 });
      tail.pieces.next();
      change();
      for (const _ of tail.pieces);
      const holds = tail.isSame();
      log.close();
      return holds;
    };
    expect(disturbed(() => {})).toBe(true);
    expect(disturbed(() => appendFileSync(path, numbers(0, 1)))).toBe(true);
    expect(disturbed(() => writeFileSync(path, numbers(1000, 1500)))).toBe(false);
  });

  test('half a line is looked at once more when it was still for ten minutes', () => {
    const log = { device: '1', inode: '2', size: 100, mtimeMs: 1_000_000 };
    const saved: Checkpoint = {
      ...REST,
      ...log,
      mtime_ms: log.mtimeMs,
      offset: 90,
      line: 1,
      head_length: 0,
      head_hash: '',
      tail_length: 0,
      tail_hash: '',
      last_read: new Date(1_000_100).toISOString(),
    };
    expect(needsReading(saved, log, 1_500_000)).toBe(false);
    expect(needsReading(saved, log, 1_600_000)).toBe(true);
    expect(
      needsReading({ ...saved, last_read: new Date(1_600_000).toISOString() }, log, 9_000_000),
    ).toBe(false);
    expect(needsReading({ ...saved, offset: 100 }, log, 9_000_000)).toBe(false);
    expect(needsReading({ ...saved, size: 99 }, log, 0)).toBe(true);
    expect(needsReading(null, log, 0)).toBe(true);
  });
});

describe('what is no log', () => {
  test.each([
    ['random bytes', randomFillSync(Buffer.alloc(300_000), 0)],
    ['gzip', gzipSync(numbers(0, 50))],
    ['a database', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(5000, 1)])],
    ['UTF-16', Buffer.from(numbers(0, 50), 'utf16le')],
  ])('%s is binary', (_, bytes) => {
    const path = join(testFolder({ 'a.jsonl': bytes }), 'a.jsonl');
    expect(read(path)).toMatchObject({
      fault: expect.stringContaining('binary'),
      values: [],
      checkpoint: { offset: 0, size: bytes.length },
    });
  });
});

describe('documents', () => {
  const unfold = (document: unknown) => (document as { items?: unknown[] }).items ?? null;
  const json = (path: string, saved: Checkpoint | null = null) =>
    read(path, saved, {}, (log, last) => tailRecords(log, last, documentSource(unfold)));
  const at = (text: string) => join(testFolder({ 'a.json': text }), 'a.json');

  test('its records are its lines; nothing is read twice, and all again after any change', () => {
    const path = at(JSON.stringify({ items: [{ n: 1 }, { n: 2 }] }, null, 2));
    const first = json(path);
    expect(first).toMatchObject({
      values: [{ n: 1 }, { n: 2 }],
      checkpoint: { line: 2 },
      fault: null,
    });
    expect(json(path, first.checkpoint)).toMatchObject({ values: [], checkpoint: { line: 2 } });
    writeFileSync(path, JSON.stringify({ items: [{ n: 1 }, { n: 3 }] }, null, 2)); // same size, head and tail
    expect(
      json(path, { ...first.checkpoint, mtime_ms: first.checkpoint.mtime_ms - 1 }).values,
    ).toEqual([{ n: 1 }, { n: 3 }]);
  });
});

describe('compressed logs', () => {
  const zst = (path: string, saved: Checkpoint | null = null) =>
    read(path, saved, {}, (log, last) => tailRecords(log, last, compressedSource));

  test('are read whole, and again only when their bytes changed', () => {
    const path = join(
      testFolder({ 'a.jsonl.zst': zstdFrame(Buffer.from(numbers(0, 3000))) }),
      'a.jsonl.zst',
    );
    const first = zst(path);
    expect(only(first.values)).toEqual(Array.from({ length: 3000 }, (_, i) => i));
    expect(first.checkpoint).toMatchObject({ line: 3000, offset: first.checkpoint.size });
    expect(zst(path, first.checkpoint)).toMatchObject({ values: [], checkpoint: { line: 3000 } });
    appendFileSync(path, zstdFrame(Buffer.from(numbers(3000, 3001))));
    expect(zst(path, first.checkpoint).values).toHaveLength(3001);
  });

  test('cut or garbled ones give what can be read, then say so', () => {
    const whole = zstdFrame(Buffer.from(numbers(0, 3000)));
    for (const bytes of [whole.subarray(0, 150_000), Buffer.from('no zstd at all')]) {
      const path = join(testFolder({ 'a.jsonl.zst': bytes }), 'a.jsonl.zst');
      const found = zst(path);
      expect(found.fault).toMatch(/damaged zstd/);
      expect(found.checkpoint.offset).toBe(bytes.length);
      if (bytes.length > 1000) expect(found.values.length).toBeGreaterThan(1000);
    }
  });
});
