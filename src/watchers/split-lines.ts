/**
 * Splits bytes into lines at 0x0A only. Joins a line from several pieces, without its blobs, up to
 * the cap. Pure.
 */
import { createHash, type Hash } from 'node:crypto';
import { createBlobFilter, withoutBlobs, type BlobFilter } from './blobs.js';

/** A longer line is discarded while it is read. */
export const LINE_CAP_BYTES = 64 * 1024 * 1024;

const NEWLINE = 0x0a;
const ZEROS = Buffer.alloc(64 * 1024);
const ONE_ZERO = ZEROS.subarray(0, 1);

/** Where reading starts. */
export interface Position {
  offset: number;
  /** Number of the last complete line. */
  line: number;
  /** The byte before the offset is not a newline, so the next bytes belong to `line`. */
  midLine: boolean;
}

export interface Line {
  line: number;
  /** Offset of its first byte, and after its newline. */
  offset: number;
  end: number;
  /** Content without newline and blobs; a run of NULs is one NUL. Valid until the next `push`. */
  bytes: Buffer;
  /** Number of NUL bytes in the line. */
  nuls: number;
  /** Set when the line was too long: its content was discarded. */
  lost: { size: number; hash: string } | null;
}

interface Splitter {
  /** The lines that end in this piece. */
  push(piece: Buffer): Line[];
  /** The incomplete line after the last newline, or null. */
  rest(): Line | null;
}

/** @param cap longest line in bytes, not counting NUL bytes */
export function createSplitter(start: Position, cap = LINE_CAP_BYTES): Splitter {
  let position = start.offset;
  let line = start.midLine ? start.line : start.line + 1;
  let open = openLine(position);

  const finish = (end: number, next: Line): Line => {
    line += 1;
    position = end;
    open = openLine(end);
    return next;
  };

  return {
    push(piece) {
      const lines: Line[] = [];
      let at = 0;
      for (let stop = piece.indexOf(NEWLINE); stop >= 0; stop = piece.indexOf(NEWLINE, at)) {
        const end = position + stop + 1 - at;
        const content = piece.subarray(at, stop);
        at = stop + 1;
        lines.push(
          finish(
            end,
            open.hash !== null || content.length > cap
              ? close(open, content, line, end, cap)
              : whole(content, line, position, end),
          ),
        );
      }
      if (at < piece.length) keep(open, piece.subarray(at), cap);
      position += piece.length - at;
      return lines;
    },
    rest: () =>
      open.hash !== null ? close(open, ZEROS.subarray(0, 0), line, position, cap) : null,
  };
}

interface OpenLine {
  offset: number;
  /** Copies of the kept bytes: the buffer of their piece is reused. */
  parts: Buffer[];
  size: number;
  nuls: number;
  endsInZero: boolean;
  /** Null: no byte came yet. */
  hash: Hash | null;
  filter: BlobFilter | null;
}

function openLine(offset: number): OpenLine {
  return { offset, parts: [], size: 0, nuls: 0, endsInZero: false, hash: null, filter: null };
}

/** The usual case: a line within one piece. */
function whole(content: Buffer, line: number, offset: number, end: number): Line {
  const parts = content.indexOf(0) < 0 ? null : splitZeros(content);
  const bytes = withoutBlobs(parts === null ? content : Buffer.concat(parts));
  const nuls = parts === null ? 0 : countZeros(content, parts);
  return { line, offset, end, bytes, nuls, lost: null };
}

function keep(open: OpenLine, piece: Buffer, cap: number): void {
  const parts = piece.indexOf(0) < 0 ? [piece] : splitZeros(piece);
  if (parts[0] !== piece) open.nuls += countZeros(piece, parts);
  open.hash ??= createHash('sha256');
  open.filter ??= createBlobFilter();
  for (const part of parts) {
    const isZero = part === ONE_ZERO;
    if (isZero && open.endsInZero) continue; // the run began in the previous piece
    open.endsInZero = isZero;
    if (!isZero) {
      open.size += part.length;
      open.hash.update(part);
    }
    if (open.size > cap) open.parts = [];
    else
      for (const kept of open.filter.write(part))
        open.parts.push(isInside(kept, piece) ? Buffer.from(kept) : kept);
  }
}

function isInside(kept: Buffer, piece: Buffer): boolean {
  return kept.buffer === piece.buffer;
}

function close(open: OpenLine, last: Buffer, line: number, end: number, cap: number): Line {
  keep(open, last, cap);
  const { offset, nuls, size } = open;
  const known = { line, offset, end, nuls };
  if (size > cap) {
    const hash = open.hash!.copy().digest('hex').slice(0, 16);
    return { ...known, bytes: ZEROS.subarray(0, 0), lost: { size, hash } };
  }
  const tail = open.filter!.end();
  open.filter = null;
  return { ...known, bytes: Buffer.concat([...open.parts, ...tail]), lost: null };
}

/**
 * The parts between NUL runs, with one NUL for each run. After a power loss a file may contain
 * gigabytes of NULs.
 */
function splitZeros(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (let zero = bytes.indexOf(0); zero >= 0; zero = bytes.indexOf(0, at)) {
    if (zero > at) parts.push(bytes.subarray(at, zero));
    parts.push(ONE_ZERO);
    at = zerosEnd(bytes, zero);
  }
  if (at < bytes.length) parts.push(bytes.subarray(at));
  return parts;
}

function zerosEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (
    at + ZEROS.length <= bytes.length &&
    bytes.compare(ZEROS, 0, ZEROS.length, at, at + ZEROS.length) === 0
  )
    at += ZEROS.length;
  while (at < bytes.length && bytes[at] === 0) at++;
  return at;
}

function countZeros(bytes: Buffer, parts: Buffer[]): number {
  return bytes.length - parts.reduce((sum, part) => sum + (part === ONE_ZERO ? 0 : part.length), 0);
}
