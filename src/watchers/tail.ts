/** Reads a log on, in pieces of whole lines, each with the marks for a checkpoint after it. */
import { crc32 } from 'node:zlib';
import type { Checkpoint } from '../types.js';
import { MARK_BYTES, type ReadPlan, planRead } from './guard.js';
import { type LogBytes, type Look, lookAt, markOf } from './log-file.js';
import { type Line, type Position, createSplitter } from './split-lines.js';
import { parseAny } from '../text/fields.js';

const PIECE_BYTES = 1024 * 1024;

/** The part of a checkpoint that depends on the bytes. */
export type LogPosition = Omit<
  Checkpoint,
  'agent' | 'path' | 'state' | 'bad_lines' | 'unknown_types' | 'session' | 'last_read'
>;

/** The lines of one piece. Their bytes are valid until the next piece is requested. */
export interface Piece {
  lines: Line[];
  /** True for the bytes after the last newline, probably an incomplete line. */
  unterminated: boolean;
  /** The position right after a line of this piece. */
  placeAfter(line: Line): LogPosition;
}

export interface Tail {
  plan: ReadPlan;
  /** The position where reading starts, with the present size and time. */
  start: LogPosition;
  pieces: Generator<Piece, Ending>;
  /**
   * Whether the returned bytes are still in the file. A rewrite during reading could join old and
   * new bytes into lines that were never written. Costs one fstat unless the file changed.
   */
  isSame(): boolean;
}

export interface Ending {
  /** Why reading stopped before the end, or null. */
  fault: string | null;
  /** The position to save, if it is not the one after the last line. */
  end?: LogPosition;
}

export interface TailOptions {
  pieceBytes?: number;
}

/** @param saved the checkpoint of this file, or null */
export function tailLog(log: LogBytes, saved: Checkpoint | null, options: TailOptions = {}): Tail {
  const look = lookAt(log, saved);
  const plan = planRead(saved, look.seen);
  const before = plan.fresh ? Buffer.alloc(0) : look.before;
  const marks = createMarks(log, look.head, before, plan.from);
  const line = plan.fresh || saved === null ? 0 : saved.line;
  const midLine = before.length > 0 && before[before.length - 1] !== 0x0a;
  const state: Consumed = { to: plan.from, sum: 0 };
  return {
    plan,
    start: marks.placeAt(plan.from, line),
    pieces: readPieces(log, marks, { offset: plan.from, line, midLine }, options, state),
    isSame: checkSame(log, plan, saved, look, state),
  };
}

interface Consumed {
  /** Offset after the last byte that was read, and the checksum of all bytes since the start. */
  to: number;
  sum: number;
}

function checkSame(
  log: LogBytes,
  plan: ReadPlan,
  saved: Checkpoint | null,
  look: Look,
  state: Consumed,
): () => boolean {
  let { size, mtimeMs } = log;
  return () => {
    const now = log.now();
    if (now.size === size && now.mtimeMs === mtimeMs) return true;
    const again = lookAt(log, plan.fresh ? null : saved);
    if (!again.head.equals(look.head) || (!plan.fresh && !again.before.equals(look.before)))
      return false;
    if (sumOf(log, plan.from, state.to) !== state.sum) return false;
    const after = log.now();
    if (after.size !== now.size || after.mtimeMs !== now.mtimeMs) return false; // it changes faster than it can be checked
    ({ size, mtimeMs } = after);
    return true;
  };
}

function sumOf(log: LogBytes, from: number, to: number): number {
  const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, Math.max(1, to - from)));
  let sum = 0;
  for (let offset = from; offset < to;) {
    const bytes = readUpTo(log, buffer, offset, to);
    if (bytes.length === 0) return -1;
    sum = crc32(bytes, sum);
    offset += bytes.length;
  }
  return sum;
}

/** As many bytes before `to` as there are and as fit into the buffer. */
function readUpTo(log: LogBytes, buffer: Buffer, offset: number, to: number): Buffer {
  return buffer.subarray(0, log.read(buffer.subarray(0, Math.max(0, to - offset)), offset));
}

function* readPieces(
  log: LogBytes,
  marks: Marks,
  from: Position,
  options: TailOptions,
  state: Consumed,
): Generator<Piece, Ending> {
  const splitter = createSplitter(from);
  const buffer = Buffer.allocUnsafeSlow(
    Math.min(options.pieceBytes ?? PIECE_BYTES, Math.max(log.size - from.offset, 1)),
  );
  const placeAfter = (line: Line) => marks.placeAt(line.end, line.line);
  for (let offset = from.offset; offset < log.size;) {
    marks.keep(); // before the buffer is reused
    const bytes = readUpTo(log, buffer, offset, log.size);
    if (bytes.length === 0) break; // truncated during reading: the next look notices
    if (offset === 0 && isBinary(bytes))
      return { fault: 'no text: binary content under the name of a log' };
    marks.take(bytes);
    state.to = offset + bytes.length;
    state.sum = crc32(bytes, state.sum);
    const lines = splitter.push(bytes);
    if (lines.length > 0) yield { lines, unterminated: false, placeAfter };
    offset += bytes.length;
  }
  const rest = splitter.rest();
  if (rest !== null) yield { lines: [rest], unterminated: true, placeAfter };
  return { fault: null };
}

interface Marks {
  /** Copies the last bytes of the piece, whose buffer is reused. */
  keep(): void;
  take(bytes: Buffer): void;
  placeAt(offset: number, line: number): LogPosition;
}

/**
 * Makes marks from the consumed bytes without reading them again: a file that changes during
 * reading must not look valid. Size and time are from the opening, so that any later change is
 * noticed.
 */
function createMarks(log: LogBytes, head: Buffer, before: Buffer, from: number): Marks {
  let carried = before; // up to 1 KiB before `piece`
  let piece: Buffer = Buffer.alloc(0);
  let pieceAt = from;
  return {
    keep() {
      carried = lastBytes(carried, piece);
      pieceAt += piece.length;
      piece = Buffer.alloc(0);
    },
    take: (bytes) => void (piece = bytes),
    placeAt(offset, line) {
      const tail = lastBytes(carried, piece.subarray(0, offset - pieceAt));
      return placeOf(log, head, tail, offset, line);
    },
  };
}

/**
 * The position at `offset`.
 * @param head the log's first KiB
 * @param tail up to 1 KiB before `offset`
 */
export function placeOf(
  log: LogBytes,
  head: Buffer,
  tail: Buffer,
  offset: number,
  line: number,
): LogPosition {
  const first = head.subarray(0, Math.min(offset, MARK_BYTES));
  const { device, inode, size, mtimeMs } = log;
  return {
    device,
    inode,
    offset,
    line,
    size,
    mtime_ms: mtimeMs,
    head_length: first.length,
    head_hash: markOf(first),
    tail_length: tail.length,
    tail_hash: markOf(tail),
  };
}

function lastBytes(earlier: Buffer, later: Buffer): Buffer {
  if (later.length >= MARK_BYTES) return Buffer.from(later.subarray(later.length - MARK_BYTES));
  const kept = earlier.subarray(Math.max(0, earlier.length - (MARK_BYTES - later.length)));
  return Buffer.concat([kept, later]);
}

// Distinguishes text from binary content in files that are named like logs. Pure.

/** Number of bytes that decide whether a file is binary. */
const SAMPLE_BYTES = 64 * 1024;

/** These first bytes decide for most logs; they are few, because every log is checked. */
const GLANCE_BYTES = 1024;

/** Longer NUL runs are holes left by a power loss, not binary content. */
const HOLE_BYTES = 64;

const MAGIC: [string, number[]][] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['SQLite', [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20]],
];

/**
 * Whether a file that starts with these bytes is binary: a known magic number, or over 1 % control
 * bytes and no record.
 */
function isBinary(start: Buffer): boolean {
  const sample = start.subarray(0, SAMPLE_BYTES);
  if (MAGIC.some(([, magic]) => magic.every((byte, at) => sample[at] === byte))) return true;
  if (controlBytes(sample.subarray(0, GLANCE_BYTES)) === 0) return false;
  return controlBytes(sample) > sample.length / 100 && !hasRecord(sample);
}

/**
 * Counts bytes that JSON text never contains raw: below 0x20 except tab, newline, return; NULs only
 * in short runs.
 */
function controlBytes(sample: Buffer): number {
  let count = 0;
  let zeros = 0;
  for (let at = 0; at < sample.length; at++) {
    const byte = sample[at]!;
    if (byte === 0) zeros++;
    else {
      if (zeros > 0 && zeros <= HOLE_BYTES) count += zeros;
      zeros = 0;
      if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) count++;
    }
  }
  return zeros <= HOLE_BYTES ? count + zeros : count;
}

function hasRecord(sample: Buffer): boolean {
  return sample
    .toString('utf8')
    .split('\n')
    .some((line) => line.startsWith('{') && parseAny(line) !== null);
}
