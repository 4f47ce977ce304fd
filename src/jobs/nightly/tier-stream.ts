/** Streams a tier from beginning to end: rows one by one, and the hash of its bytes. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { pipeline as finished } from 'node:stream/promises';
import { constants, createGunzip } from 'node:zlib';
import type { TierRow } from './tier-file.js';
import { parse } from '../../text/fields.js';

/** As in the view `archive_entries`: we write no longer line. */
const LONGEST_LINE = 64 * 2 ** 20;

/** Reading waits for a returned promise. */
type OnRow = (row: TierRow) => void | Promise<void>;

export interface TierScan {
  /** SHA-256 of the file's bytes; empty when it could not be read to its end. */
  sha256: string;
  rows: number;
  /** The file contains bytes or lines that do not belong in a tier. */
  damaged: boolean;
}

/**
 * @param wanted by id: only these rows are parsed and passed on; absent: all
 * @returns null when the file does not exist
 */
export async function scanTier(
  path: string,
  onRow: OnRow,
  wanted?: (id: string) => boolean,
): Promise<TierScan | null> {
  // Streams that find it out themselves take a millisecond, and most tiers are new.
  if (!existsSync(path)) return null;
  const hash = createHash('sha256');
  const source = createReadStream(path);
  // With this flag a truncated file gives the rows before the cut instead of an error. A complete
  // file ends with its unpacked length, which is compared below.
  const text = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  let [end, unpacked] = [Buffer.alloc(0), -1];
  source.on('data', (chunk) => {
    hash.update(chunk);
    end = Buffer.concat([end, Buffer.from(chunk).subarray(-4)]).subarray(-4);
  });
  const ended = new Promise<Error | null>((resolve) =>
    pipeline(source, text, (error) => resolve(error ?? null)),
  );
  const scan: TierScan = { sha256: '', rows: 0, damaged: false };
  let failure: { error: unknown } | null = null;
  const take = async (line: Buffer): Promise<void> => {
    const row = rowOf(line, wanted);
    if (row === null) scan.damaged = true;
    else scan.rows++;
    if (typeof row !== 'object' || row === null) return;
    await Promise.resolve(onRow(row)).catch((error: unknown) => {
      failure = { error };
      throw error;
    });
  };
  try {
    unpacked = await eachLine(text, take, () => {
      scan.damaged = true;
    });
  } catch (error) {
    if (failure !== null) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    scan.damaged = true;
  }
  if (end.length < 4 || end.readUInt32LE() !== unpacked % 2 ** 32) scan.damaged = true;
  if ((await ended) === null) scan.sha256 = hash.digest('hex');
  else scan.damaged = true;
  return scan;
}

const ID_AT = '{"id":"';
const ID_CHARS = 32;

/** @returns null for a line that is not ours; an unwanted row is not parsed */
function rowOf(line: Buffer, wanted?: (id: string) => boolean): TierRow | 'other' | null {
  const begins = line.toString('latin1', 0, ID_AT.length + ID_CHARS);
  if (
    wanted &&
    begins.startsWith(ID_AT) &&
    line.at(-1) === 0x7d &&
    !wanted(begins.slice(ID_AT.length))
  )
    return 'other';
  const row = parse(line.toString('utf8'));
  if (typeof row.id !== 'string') return null;
  return !wanted || wanted(row.id) ? (row as TierRow) : 'other';
}

/**
 * @param cut called for an incomplete line: too long, or without its newline
 * @returns bytes that were read
 */
async function eachLine(
  stream: AsyncIterable<Buffer>,
  take: (line: Buffer) => Promise<void>,
  cut: () => void,
): Promise<number> {
  let parts: Buffer[] = [];
  let size = 0;
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      if (size + end - from > LONGEST_LINE) cut();
      else await take(Buffer.concat([...parts, chunk.subarray(from, end)]));
      [parts, size, from] = [[], 0, end + 1];
    }
    size += chunk.length - from;
    if (size > LONGEST_LINE) parts = [];
    else if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  // A file that somebody edited by hand may lack the last newline.
  if (size > LONGEST_LINE) cut();
  else if (size > 0) await take(Buffer.concat(parts));
  return bytes;
}

/** SHA-256 of a file's bytes; null when it cannot be read to its end. */
export async function hashOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  return finished(createReadStream(path), hash).then(
    () => hash.digest('hex'),
    () => null,
  );
}
