import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { publishFile } from './publish.js';

/** Where projects keep their files, below the home. */
export const archiveRoot = (home: string): string => join(home, 'projects');

/**
 * Makes `projects/.empty/archive/0/empty.jsonl.gz`: the view `archive_entries` reads a glob, and a glob without any file is an error.
 */
export async function ensureEmptyTier(projects: string): Promise<void> {
  const folder = join(projects, '.empty', 'archive', '0');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await publishFile(join(folder, 'empty.jsonl.gz'), gzipSync(''));
}
