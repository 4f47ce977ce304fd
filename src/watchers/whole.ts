/**
 * Reads logs whole after each change, because any byte may change the meaning of the others
 * (documents) or because nothing can be read from the middle (`.jsonl.zst`).
 */
import { Decompress } from 'fzstd';
import { messageOf } from '../errors.js';
import type { Checkpoint, Shape } from '../types.js';
import { withoutBlobs } from './blobs.js';
import { MARK_BYTES, isSameTime, planRead } from './guard.js';
import { ChangedLog, type LogBytes, lookAt } from './log-file.js';
import { isOverfull, parseLine } from './records.js';
import { createSplitter, LINE_CAP_BYTES, type Line } from './split-lines.js';
import { type Piece, type LogPosition, type Tail, placeOf } from './tail.js';

/** Records in order, or null when the content is not a session. */
type Unfold = (content: unknown) => unknown[] | null;

/** A log that is read whole: one JSON value, JSON lines, or a text. */
type WholeShape = Extract<Shape, 'document' | 'replay' | 'page'>;

/** Reads the records of a document, a compressed log or a database for `tailRecords`. */
export type Source = (log: LogBytes, saved: Checkpoint | null) => Omit<Tail, 'isSame'>;

/** Like `tailLog`, for a log that is not read on from an offset. */
export function tailRecords(log: LogBytes, saved: Checkpoint | null, source: Source): Tail {
  return {
    ...source(log, saved),
    isSame: () => log.now().size === log.size && log.now().mtimeMs === log.mtimeMs,
  };
}

/** Gives all records of a log; returns their number. */
type ReadAll = (
  log: LogBytes,
  placeAfter: Piece['placeAfter'],
) => Generator<Piece, { lines: number; fault: string | null }>;

/** A source whose position is the start or the end of the log. */
function whole(read: ReadAll): Source {
  return (log, saved) => {
    const look = lookAt(log, saved);
    // A rewrite may keep size, head and tail, so the time decides as well.
    const same =
      !planRead(saved, look.seen).fresh &&
      saved?.offset === log.size &&
      isSameTime(saved.mtime_ms, log.mtimeMs);
    const place = (offset: number, line: number): LogPosition => {
      const tail = Buffer.alloc(Math.min(MARK_BYTES, offset));
      if (offset > 0) log.read(tail, offset - tail.length);
      return placeOf(log, look.head, tail, offset, line);
    };
    const start = same ? place(log.size, saved.line) : place(0, 0);
    const pieces = function* (): Tail['pieces'] {
      if (same || log.size === 0) return { fault: null };
      const { lines, fault } = yield* read(log, () => start);
      return { fault, end: place(log.size, lines) };
    };
    return { plan: { from: 0, fresh: !same }, start, pieces: pieces() };
  };
}

/** Line n is the n-th record. An incomplete document is a fault until the file changes. */
export function documentSource(unfold: Unfold, shape: WholeShape = 'document'): Source {
  return whole(function* (log, placeAfter) {
    const { lines, fault } = readRecords(log, shape, unfold);
    yield { lines, unterminated: false, placeAfter };
    return { lines: lines.length, fault };
  });
}

function readRecords(
  log: LogBytes,
  shape: WholeShape,
  unfold: Unfold,
): { lines: Line[]; fault: string | null } {
  if (log.size > LINE_CAP_BYTES)
    return { lines: [], fault: `longer than the limit: ${log.size} bytes` };
  const bytes = Buffer.alloc(log.size);
  const read = bytes.subarray(0, log.read(bytes, 0));
  const { content, fault } = shape === 'replay' ? linesOf(read) : contentOf(read, shape);
  try {
    const records = content === undefined ? null : unfold(content);
    const lines = (records ?? []).map((record, index) => ({
      ...{ line: index + 1, offset: index, end: index + 1, nuls: 0, lost: null },
      bytes: withoutBlobs(Buffer.from(JSON.stringify(record))),
    }));
    return { lines, fault: fault ?? (records === null ? 'readable, but no session' : null) };
  } catch (error) {
    // Another error's message may quote the record, which is not masked yet.
    const reason =
      error instanceof RangeError
        ? 'nested too deep'
        : `the adapter cannot read it (${(error as Error).name})`;
    return { lines: [], fault: reason };
  }
}

interface Content {
  /** Undefined if it cannot be parsed. */
  content: unknown;
  fault: string | null;
}

function contentOf(bytes: Buffer, shape: WholeShape): Content {
  const text = (): string => bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (shape === 'page') return { content: text(), fault: null };
  if (isOverfull(bytes))
    return { content: undefined, fault: `too many values in ${bytes.length} bytes` };
  try {
    return { content: JSON.parse(text()), fault: null };
  } catch (error) {
    const fault = error instanceof RangeError ? 'nested too deep' : 'not JSON';
    return { content: undefined, fault };
  }
}

/** The objects of JSON lines, and the first bad line. Ignores an incomplete last line for now. */
function linesOf(bytes: Buffer): Content {
  const splitter = createSplitter({ offset: 0, line: 0, midLine: false }, LINE_CAP_BYTES);
  const content: object[] = [];
  let fault: string | null = null;
  const take = (line: Line, isWhole: boolean): void => {
    const { values, bad } = parseLine(line);
    if (isWhole || bad === null) content.push(...values);
    if (isWhole && bad !== null) fault ??= `line ${line.line}: ${bad}`;
  };
  for (const line of splitter.push(bytes)) take(line, true);
  const rest = splitter.rest();
  if (rest !== null) take(rest, false);
  return { content, fault };
}

// Compressed logs (`.jsonl.zst`). Offsets count decompressed bytes.

/** Compressed bytes per step, since a frame may expand a thousandfold. */
const INPUT_BYTES = 64 * 1024;
/** A larger log is a decompression bomb or a mistake. */
const OUTPUT_CAP_BYTES = 16 * 1024 ** 3;

export function isCompressed(path: string): boolean {
  return path.endsWith('.zst');
}

export const compressedSource = whole(function* (log, placeAfter) {
  const splitter = createSplitter({ offset: 0, line: 0, midLine: false });
  let waiting: Uint8Array[] = [];
  const decompressor = new Decompress((data) => void waiting.push(data));
  const input = Buffer.alloc(Math.min(INPUT_BYTES, log.size));
  let [lines, total] = [0, 0];
  let fault: string | null = null;
  for (let offset = 0; offset < log.size && fault === null;) {
    const count = log.read(input.subarray(0, Math.min(input.length, log.size - offset)), offset);
    if (count === 0) throw new ChangedLog('cut while it was read');
    offset += count;
    try {
      decompressor.push(Uint8Array.prototype.slice.call(input, 0, count), offset >= log.size);
    } catch (error) {
      fault = `damaged zstd: ${messageOf(error)}`;
    }
    for (const data of waiting) {
      total += data.length;
      if (total > OUTPUT_CAP_BYTES) fault = 'damaged zstd: it never ends';
      const found = splitter.push(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
      lines += found.length;
      if (found.length > 0) yield { lines: found, unterminated: false, placeAfter };
    }
    waiting = [];
  }
  const rest = splitter.rest();
  if (rest === null) return { lines, fault };
  // Nobody appends to a compressed log.
  yield { lines: [rest], unterminated: fault !== null, placeAfter };
  return { lines: lines + 1, fault };
});
