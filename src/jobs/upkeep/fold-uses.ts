/** Moves readers' notes of shown items into the store, each note once. */
import { createReadStream, existsSync } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { addUses, metaValue, setMeta, type Use } from '../../store/index.js';
import type { JobContext } from '../job.js';
import { shortHash } from '../../text/fingerprint.js';
import { parse } from '../../text/fields.js';

/** The file that was read last: a run that is killed after the commit does not remove it. */
const FOLDED = 'uses_folded';
const TYPES: readonly unknown[] = ['lesson', 'entry', 'episode', 'note'] satisfies Use['type'][];
/** Limit on notes that are in memory at once. */
const TOGETHER = 10_000;
/** Identifies a file: each note begins with its time in milliseconds. */
const HEAD_BYTES = 1024;

/** @returns number of uses that were new */
export async function foldUses({ paths, store }: JobContext): Promise<number> {
  const moved = `${paths.uses}.folding`;
  // A file of a killed run is finished first; new notes follow next time.
  if (!existsSync(moved)) {
    if (!existsSync(paths.uses)) return 0;
    await rename(paths.uses, moved);
  }
  const name = await nameOf(moved);
  const added = await store.write(async (db) => {
    if ((await metaValue(db, FOLDED))?.split(' ')[0] === name) return 0;
    let [uses, count]: [Use[], number] = [[], 0];
    for await (const line of createInterface({ input: createReadStream(moved) })) {
      const use = useIn(line);
      if (use === null) continue;
      count++;
      if (uses.push(use) < TOGETHER) continue;
      await addUses(db, uses);
      uses = [];
    }
    await addUses(db, uses);
    await setMeta(db, FOLDED, name);
    return count;
  });
  await unlink(moved);
  return added;
}

async function nameOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return shortHash(buffer.subarray(0, bytesRead), 64);
  } finally {
    await file.close();
  }
}

/** Null for a line that is no use: many processes write the file, and a line may be cut. */
function useIn(line: string): Use | null {
  const use = parse(line) as Partial<Use>;
  const { time, type, id, door, agent = null, session = null, project = null } = use;
  const isUse =
    typeof time === 'string' &&
    !Number.isNaN(Date.parse(time)) &&
    TYPES.includes(type) &&
    typeof id === 'string' &&
    typeof door === 'string';
  return isUse ? { time, type: type!, id, door, agent, session, project } : null;
}
