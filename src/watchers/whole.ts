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

interface Progress {
  lines: number;
  fault: string | null;
}

/**
 * Like `tailLog`, but the position is the start or the end of the log.
 * @param read gives the lines; its state gets the reason if it stops before the end
 */
function tailWhole(
  log: LogBytes,
  saved: Checkpoint | null,
  read: (state: Progress) => Generator<Pick<Piece, 'lines' | 'unterminated'>, void>,
): Tail {
  const look = lookAt(log, saved);
  const guarded = planRead(saved, look.seen);
  // A rewrite may keep size, head and tail, so the time decides as well.
  const same =
    !guarded.fresh &&
    saved !== null &&
    saved.offset === log.size &&
    isSameTime(saved.mtime_ms, log.mtimeMs);
  const place = (offset: number, line: number): LogPosition => {
    const tail = Buffer.alloc(Math.min(MARK_BYTES, offset));
    if (offset > 0) log.read(tail, offset - tail.length);
    return placeOf(log, look.head, tail, offset, line);
  };
  const nothing = place(0, 0);
  const state: Progress = { lines: 0, fault: null };
  const pieces = function* (): Generator<Piece, void> {
    if (same || log.size === 0) return;
    for (const piece of read(state)) {
      state.lines += piece.lines.length;
      yield { ...piece, placeAfter: () => nothing };
    }
  };
  return {
    plan: same || guarded.fresh ? guarded : { from: 0, reason: guarded.reason, fresh: true },
    start: same ? place(log.size, saved.line) : nothing,
    pieces: pieces(),
    end: () => (same ? null : place(log.size, state.lines)),
    holds: () => log.now().size === log.size && log.now().mtimeMs === log.mtimeMs,
    fault: () => state.fault,
  };
}

/** Line n is the n-th record. An incomplete document is a fault until the file changes. */
export function tailDocument(
  log: LogBytes,
  saved: Checkpoint | null,
  unfold: Unfold,
  shape: WholeShape = 'document',
): Tail {
  return tailWhole(log, saved, function* (state) {
    yield { lines: readRecords(log, LINE_CAP_BYTES, shape, unfold, state), unterminated: false };
  });
}

function readRecords(
  log: LogBytes,
  cap: number,
  shape: WholeShape,
  unfold: Unfold,
  state: Progress,
): Line[] {
  if (log.size > cap) {
    state.fault = `longer than the limit: ${log.size} bytes`;
    return [];
  }
  const bytes = Buffer.alloc(log.size);
  const read = bytes.subarray(0, log.read(bytes, 0));
  const { content, fault } = shape === 'replay' ? linesOf(read) : contentOf(read, shape);
  try {
    const records = content === undefined ? null : unfold(content);
    state.fault = fault ?? (records === null ? 'readable, but no session' : null);
    return (records ?? []).map((record, index) => ({
      ...{ line: index + 1, offset: index, end: index + 1, nuls: 0, lost: null },
      bytes: withoutBlobs(Buffer.from(JSON.stringify(record))),
    }));
  } catch (error) {
    // Another error's message may quote the record, which is not masked yet.
    state.fault =
      error instanceof RangeError
        ? 'nested too deep'
        : `the adapter cannot read it (${(error as Error).name})`;
    return [];
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
    return {
      content: undefined,
      fault: error instanceof RangeError ? 'nested too deep' : 'not JSON',
    };
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

export function tailCompressed(log: LogBytes, saved: Checkpoint | null): Tail {
  return tailWhole(log, saved, function* (state) {
    const splitter = createSplitter({ offset: 0, line: 0, midLine: false });
    for (const bytes of outputOf(log, state)) {
      const lines = splitter.push(bytes);
      if (lines.length > 0) yield { lines, unterminated: false };
    }
    const rest = splitter.rest();
    // Nobody appends to a compressed log.
    if (rest !== null) yield { lines: [rest], unterminated: state.fault !== null };
  });
}

function* outputOf(log: LogBytes, state: Progress): Generator<Buffer, void> {
  let waiting: Uint8Array[] = [];
  let total = 0;
  const decompressor = new Decompress((data) => void waiting.push(data));
  const input = Buffer.alloc(Math.min(INPUT_BYTES, Math.max(1, log.size)));
  for (let offset = 0; offset < log.size && state.fault === null;) {
    const count = log.read(input.subarray(0, Math.min(input.length, log.size - offset)), offset);
    if (count === 0) throw new ChangedLog('cut while it was read');
    offset += count;
    try {
      decompressor.push(Uint8Array.prototype.slice.call(input, 0, count), offset >= log.size);
    } catch (error) {
      state.fault = `damaged zstd: ${messageOf(error)}`;
    }
    for (const data of waiting) {
      total += data.length;
      if (total > OUTPUT_CAP_BYTES) state.fault = 'damaged zstd: it never ends';
      yield Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    }
    waiting = [];
  }
}
