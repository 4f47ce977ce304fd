/** Compressed logs (`.jsonl.zst`): read whole, in pieces, whenever they change. */
import { Decompress } from 'fzstd';
import { messageOf } from '../errors.js';
import type { Checkpoint } from '../types.js';
import { planRead } from './guard.js';
import { ChangedLog, lookAt, type LogBytes } from './log-file.js';
import { createSplitter, type Line } from './split-lines.js';
import type { Piece, LogPosition, Tail } from './tail.js';
import { wholePlace } from './document.js';

/** Compressed bytes given to the decompressor at once; a frame may expand a thousandfold. */
const INPUT_BYTES = 64 * 1024;
/** A larger log is a decompression bomb or a mistake. */
const OUTPUT_CAP_BYTES = 16 * 1024 ** 3;

export function isCompressed(path: string): boolean {
  return path.endsWith('.zst');
}

/** As `tailLog`; offsets count decompressed bytes, and the position is nothing or everything. */
export function tailCompressed(log: LogBytes, saved: Checkpoint | null): Tail {
  const look = lookAt(log, saved);
  const guarded = planRead(saved, look.seen);
  const same = !guarded.fresh && saved !== null && saved.offset === log.size && saved.offset > 0;
  const plan = same || guarded.fresh ? guarded : { from: 0, reason: guarded.reason, fresh: true };
  const place = (offset: number, line: number): LogPosition =>
    wholePlace(log, look.head, offset, line);
  const nothing = place(0, 0);
  const state: Progress = { lines: 0, fault: null };
  return {
    plan,
    start: same ? place(log.size, saved.line) : nothing,
    pieces: same ? none() : decompressed(log, state, () => nothing),
    end: () => (same ? null : place(log.size, state.lines)),
    holds: () => log.now().size === log.size && log.now().mtimeMs === log.mtimeMs,
    fault: () => state.fault,
  };
}

interface Progress {
  lines: number;
  fault: string | null;
}

function* none(): Generator<Piece, void> {}

function* decompressed(
  log: LogBytes,
  state: Progress,
  placeAfter: (line: Line) => LogPosition,
): Generator<Piece, void> {
  const splitter = createSplitter({ offset: 0, line: 0, midLine: false });
  for (const bytes of outputOf(log, state)) {
    const lines = splitter.push(bytes);
    state.lines += lines.length;
    if (lines.length > 0) yield { lines, unterminated: false, placeAfter };
  }
  const rest = splitter.rest();
  if (rest === null) return;
  state.lines += 1;
  yield { lines: [rest], unterminated: state.fault !== null, placeAfter }; // a compressed log is never appended to
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
