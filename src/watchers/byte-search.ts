/**
 * Searches every file below a folder for bytes and unpacks gzip. Runs in a separate process,
 * because closing a descriptor of the database loses DuckDB's lock.
 */
import { execFile } from 'node:child_process';
import { createReadStream, lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { compiledFile } from '../place.js';

interface ByteSearch {
  files: number;
  /** Bytes searched, after unpacking. */
  bytes: number;
  /** Files, relative to the folder, that contain a needle in their content or name. */
  hits: string[];
  /** Files that could not be read to their end. */
  unreadable: string[];
}

/** Every regular file below a folder; links are not followed. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((each) => {
    const path = join(folder, each.name);
    return each.isDirectory() ? filesBelow(path) : each.isFile() ? [path] : [];
  });
}

async function holdsIn(
  stream: AsyncIterable<Buffer>,
  needles: readonly Buffer[],
  counted: (bytes: number) => void,
): Promise<boolean> {
  const longest = Math.max(...needles.map((needle) => needle.length));
  let rest: Buffer = Buffer.alloc(0);
  let found = false;
  for await (const chunk of stream) {
    counted(chunk.length);
    const piece = Buffer.concat([rest, chunk]);
    found ||= needles.some((needle) => piece.includes(needle));
    rest = piece.subarray(Math.max(0, piece.length - longest + 1));
  }
  return found;
}

/**
 * @param needles at least one
 * @param elsewhere absolute paths of files outside the folder
 */
export async function searchBytes(
  folder: string,
  needles: readonly string[],
  elsewhere: readonly string[] = [],
): Promise<ByteSearch> {
  const wanted = needles.map((needle) => Buffer.from(needle, 'utf8'));
  const result: ByteSearch = { files: 0, bytes: 0, hits: [], unreadable: [] };
  for (const path of [...filesBelow(folder), ...elsewhere]) {
    const name = elsewhere.includes(path) ? path : relative(folder, path);
    result.files++;
    const streams =
      path.endsWith('.gz') && lstatSync(path).size > 0
        ? [createReadStream(path), createReadStream(path).pipe(createGunzip())]
        : [createReadStream(path)];
    let found = needles.some((needle) => name.includes(needle));
    for (const stream of streams) {
      try {
        found =
          (await holdsIn(
            stream as AsyncIterable<Buffer>,
            wanted,
            (bytes) => (result.bytes += bytes),
          )) || found;
      } catch {
        result.unreadable.push(name);
      }
    }
    if (found) result.hits.push(name);
  }
  return result;
}

const ENTRY = compiledFile('watchers/byte-search-child.js');

/** Runs `searchBytes` in a separate process; throws an Error with its message when it fails. */
export async function searchBytesApart(
  ...asked: Parameters<typeof searchBytes>
): Promise<ByteSearch> {
  const run = promisify(execFile)(process.execPath, [ENTRY], { maxBuffer: Infinity });
  run.child.stdin!.end(JSON.stringify(asked));
  return JSON.parse((await run).stdout) as ByteSearch;
}
