/** The byte search in a process of its own. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { compiledFile } from '../place.js';
import type { ByteSearch } from './byte-search.js';

const ENTRY = compiledFile('watchers/byte-search-child.js');

/** As `searchBytes`. @throws Error with the child's words when it fails */
export const searchBytesApart = async (
  folder: string,
  needles: readonly string[],
  elsewhere: readonly string[] = [],
): Promise<ByteSearch> => {
  const child = spawn(process.execPath, [ENTRY], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  child.stdin.end(JSON.stringify({ folder, needles, elsewhere }));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`the byte search ended with ${code}: ${err.slice(0, 500)}`);
  return JSON.parse(out) as ByteSearch;
};
