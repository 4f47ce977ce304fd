/**
 * Removes base64 and similar data from a line before it is decoded: images fill logs and nobody
 * searches them. Works on bytes, in pieces.
 */
import { createHash, type Hash } from 'node:crypto';

/** Shortest run that counts as a blob. */
export const BLOB_BYTES = 16_384;

const BACKSLASH = 0x5c;

/** Letters, digits, `+ / = - _` and the backslash (of `\n` between the lines of wrapped base64). */
const isBlobByte = new Uint8Array(256);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_\\')
  isBlobByte[char.charCodeAt(0)] = 1;

export interface BlobFilter {
  /** Returns the bytes to keep; they may point into `piece`. */
  write(piece: Buffer): Buffer[];
  /** Returns the bytes that are still buffered, or the mark of a blob that ended here. */
  end(): Buffer[];
}

/**
 * Replaces each longest run of at least 16 KiB of base64 characters by `[blob 47 MB sha256:…]`.
 * The result depends on the bytes alone, not on how they were cut into pieces.
 */
export function createBlobFilter(): BlobFilter {
  let parts: Buffer[] = []; // the open run, while it is short
  let length = 0;
  let hash: Hash | null = null; // set once the run is a blob
  let backslashes = 0; // backslashes at the end of the run: an odd one escapes the next character and must stay

  const grow = (run: Buffer): void => {
    length += run.length;
    backslashes = trailing(run, backslashes);
    if (hash === null && length < BLOB_BYTES) return void parts.push(Buffer.from(run));
    if (hash === null) {
      hash = createHash('sha256');
      for (const part of parts) hash.update(part);
      parts = [];
    }
    hash.update(run);
  };

  const close = (): Buffer[] => {
    const out = hash === null ? parts : [Buffer.from(markOf(length, hash, backslashes))];
    parts = [];
    hash = null;
    length = backslashes = 0;
    return out;
  };

  return {
    write(piece) {
      const out: Buffer[] = [];
      let at = 0; // first byte that was not returned yet
      if (length > 0) {
        at = runEnd(piece, 0);
        grow(piece.subarray(0, at));
        if (at === piece.length) return out;
        out.push(...close());
      }
      for (let run = nextLongRun(piece, at); run !== null; run = nextLongRun(piece, at)) {
        if (run.start > at) out.push(piece.subarray(at, run.start));
        grow(piece.subarray(run.start, run.end));
        at = run.end;
        if (run.end === piece.length) return out;
        out.push(...close());
      }
      if (at < piece.length) out.push(piece.subarray(at));
      return out;
    },
    end: close,
  };
}

function markOf(length: number, hash: Hash, backslashes: number): string {
  return `[blob ${sizeText(length)} sha256:${hash.digest('hex').slice(0, 12)}]${'\\'.repeat(backslashes % 2)}`;
}

/** The next run that is long enough, or that reaches the end of the piece and may continue. */
function nextLongRun(piece: Buffer, from: number): { start: number; end: number } | null {
  // A long run covers one byte of every step, so only runs that contain one of these bytes are
  // measured.
  for (let probe = from + BLOB_BYTES - 1; ; probe += BLOB_BYTES) {
    const last = probe >= piece.length;
    const at = last ? piece.length - 1 : probe;
    if (at < from) return null;
    if (isBlobByte[piece[at]!] === 1) {
      let start = at;
      while (start > from && isBlobByte[piece[start - 1]!] === 1) start--;
      const end = runEnd(piece, at);
      if (end - start >= BLOB_BYTES || end === piece.length) return { start, end };
    }
    if (last) return null;
  }
}

function runEnd(piece: Buffer, from: number): number {
  let at = from;
  while (at < piece.length && isBlobByte[piece[at]!] === 1) at++;
  return at;
}

function trailing(run: Buffer, before: number): number {
  let count = 0;
  while (count < run.length && run[run.length - 1 - count] === BACKSLASH) count++;
  return count === run.length ? before + count : count;
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.round(bytes / 1000)} kB`
    : `${Math.round(bytes / 1_000_000)} MB`;
}

/** A whole line without its blobs; the line itself if it has none. */
export function withoutBlobs(line: Buffer): Buffer {
  if (line.length < BLOB_BYTES) return line;
  const filter = createBlobFilter();
  const parts = [...filter.write(line), ...filter.end()];
  return parts.length === 1 && parts[0]!.length === line.length ? line : Buffer.concat(parts);
}
