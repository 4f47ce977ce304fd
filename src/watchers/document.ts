/**
 * Logs in which any byte may change the meaning of the others: read whole after each change, with
 * their records returned as lines.
 */
import type { Checkpoint, Shape } from '../types.js';
import { withoutBlobs } from './blobs.js';
import { MARK_BYTES, isSameTime, planRead } from './guard.js';
import { type LogBytes, lookAt } from './log-file.js';
import { isOverfull, parseLine } from './records.js';
import { createSplitter, LINE_CAP_BYTES, type Line } from './split-lines.js';
import { type Piece, type LogPosition, type Tail, placeOf } from './tail.js';

/** Records in order, or null when the content is not a session. */
type Unfold = (content: unknown) => unknown[] | null;

/** A log that is read whole: one JSON value, JSON lines, or a text. */
type WholeShape = Extract<Shape, 'document' | 'replay' | 'page'>;

/**
 * As `tailLog`; line n is the n-th record, and the position is nothing or everything. An incomplete
 * document is a fault until the file changes.
 */
export function tailDocument(
  log: LogBytes,
  saved: Checkpoint | null,
  unfold: Unfold,
  shape: WholeShape = 'document',
): Tail {
  const look = lookAt(log, saved);
  const guarded = planRead(saved, look.seen);
  // A rewrite may keep size, head and tail, so the time decides as well.
  const same =
    !guarded.fresh &&
    saved !== null &&
    saved.offset === log.size &&
    isSameTime(saved.mtimeMs, log.mtimeMs);
  const nothing = wholePlace(log, look.head, 0, 0);
  const state: Progress = { lines: 0, fault: null };
  const pieces = function* (): Generator<Piece, void> {
    if (same || log.size === 0) return;
    const lines = readRecords(log, LINE_CAP_BYTES, shape, unfold, state);
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
    // Another error's message may quote the record, which is not redacted yet.
    state.fault =
      error instanceof RangeError
        ? 'nested too deep'
        : `the adapter cannot read it (${(error as Error).name})`;
    return [];
  }
}

interface Content {
  /** Undefined when it cannot be read. */
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

/**
 * The objects of JSON lines. An incomplete last line is ignored for now, and the first bad line is
 * named.
 */
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

/**
 * The position in a log that is read whole or not at all.
 * @param head the log's first KiB
 * @param offset 0, or the log's size
 */
export function wholePlace(log: LogBytes, head: Buffer, offset: number, line: number): LogPosition {
  const tail = Buffer.alloc(Math.min(MARK_BYTES, offset));
  if (offset > 0) log.read(tail, offset - tail.length);
  return placeOf(log, head, tail, offset, line);
}
