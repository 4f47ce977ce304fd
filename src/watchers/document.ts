/** Logs that are one JSON document (`.json`), written whole after each change: read whole, their records handed on as lines. */
import type { Checkpoint } from '../types.js';
import { withoutBlobs } from './blobs.js';
import { MARK_BYTES, isSameTime, planRead } from './guard.js';
import { type LogBytes, lookAt } from './log-file.js';
import { isOverfull } from './records.js';
import { LINE_CAP_BYTES, type Line } from './split-lines.js';
import { type Piece, type Place, type Tail, type TailOptions, placeOf } from './tail.js';

export function isDocument(path: string): boolean {
  return path.endsWith('.json');
}

/** Records of a document in their order, or null when the value is no such document. */
type Unfold = (document: unknown) => unknown[] | null;

/** As `tailLog`; line n is the n-th record, the place is nothing or all. Half a document is a fault until the file changes. */
export function tailDocument(log: LogBytes, saved: Checkpoint | null, options: TailOptions, unfold: Unfold): Tail {
  const look = lookAt(log, saved);
  const guarded = (options.plan ?? planRead)(saved, look.seen);
  // A rewrite may keep size, head and tail: the time decides, too.
  const same = !guarded.fresh && saved !== null && saved.offset === log.size && isSameTime(saved.mtimeMs, log.mtimeMs);
  const nothing = wholePlace(log, look.head, 0, 0);
  const state: Progress = { lines: 0, fault: null };
  const pieces = function* (): Generator<Piece, void> {
    if (same || log.size === 0) return;
    const lines = readRecords(log, options.lineCap ?? LINE_CAP_BYTES, unfold, state);
    state.lines = lines.length;
    yield { lines, unterminated: false, placeAfter: () => nothing };
  };
  return {
    plan: same || guarded.fresh ? guarded : { from: 0, reason: guarded.reason, fresh: true },
    start: same ? wholePlace(log, look.head, log.size, saved.line) : nothing,
    pieces: pieces(),
    end: () => (same ? null : wholePlace(log, look.head, log.size, state.lines)),
    holds: () => log.now().size === log.size && log.now().mtimeMs === log.mtimeMs,
    fault: () => state.fault,
  };
}

interface Progress {
  lines: number;
  fault: string | null;
}

function readRecords(log: LogBytes, cap: number, unfold: Unfold, state: Progress): Line[] {
  const records = log.size > cap ? `longer than the limit: ${log.size} bytes` : parseDocument(log, unfold);
  if (typeof records === 'string') {
    state.fault = records;
    return [];
  }
  return records.map((bytes, index) => ({ line: index + 1, offset: index, end: index + 1, bytes, nuls: 0, lost: null }));
}

/** The records as JSON without blobs, or why there are none. */
function parseDocument(log: LogBytes, unfold: Unfold): Buffer[] | string {
  const bytes = Buffer.alloc(log.size);
  const read = bytes.subarray(0, log.read(bytes, 0));
  if (isOverfull(read)) return `too many values in ${read.length} bytes`;
  const text = read.toString('utf8').replace(/^\uFEFF/, '');
  try {
    const records = unfold(JSON.parse(text));
    return records === null ? 'JSON, but no session' : records.map((record) => withoutBlobs(Buffer.from(JSON.stringify(record))));
  } catch (error) {
    return error instanceof RangeError ? 'nested too deep' : 'not JSON';
  }
}

/**
 * The place in a log that is read whole or not at all.
 * @param head the log's first KiB
 * @param offset 0, or the log's size
 */
export function wholePlace(log: LogBytes, head: Buffer, offset: number, line: number): Place {
  const tail = Buffer.alloc(Math.min(MARK_BYTES, offset));
  if (offset > 0) log.read(tail, offset - tail.length);
  return placeOf(log, head, tail, offset, line);
}
