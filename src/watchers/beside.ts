/** Reads small files beside a log with data that the log lacks, such as the working folder. */
import { readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { openLog, UnreadableLog } from './log-file.js';

/** Limits for one file, and for all files together. */
const MOST_BYTES = 1024 * 1024;
const MOST_BYTES_OF_ALL = 32 * 1024 * 1024;

/**
 * Reads files beside a log.
 * @param relative the log's path in its place
 * @param names paths relative to the log's folder; a path that leads out of the place is not read
 * @returns texts by name, without those that cannot be read
 */
export function readBeside(
  { path, relative }: { path: string; relative: string },
  names: readonly string[],
): Record<string, string> {
  const found: Record<string, string> = {};
  const folder = dirname(path);
  const inside = names.filter(
    (name) => !posix.join(posix.dirname(relative), name).startsWith('..'),
  );
  let bytes = 0;
  for (const name of inside.flatMap((each) => namesOf(folder, each))) {
    const text = bytes < MOST_BYTES_OF_ALL ? textOf(join(folder, name)) : null;
    bytes += text?.length ?? 0;
    if (text !== null) found[name] = text;
  }
  return found;
}

/** Expands `parts/*` to the names of that folder's files. */
function namesOf(folder: string, name: string): string[] {
  if (!name.endsWith('/*')) return [name];
  try {
    return readdirSync(join(folder, name.slice(0, -2)))
      .sort()
      .map((file) => name.slice(0, -1) + file);
  } catch {
    return [];
  }
}

function textOf(path: string): string | null {
  try {
    const file = openLog(path);
    try {
      if (file.size > MOST_BYTES) return null;
      const bytes = Buffer.alloc(file.size);
      return bytes.subarray(0, file.read(bytes, 0)).toString('utf8');
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof UnreadableLog) return null;
    throw error;
  }
}
