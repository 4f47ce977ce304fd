/**
 * Takes what readers noted as shown, and their calls of a model, into the store, each note once: the hash of a folded file stands
 * in the same transaction.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { rename, unlink } from 'node:fs/promises';
import { addUses, finishLlmCall, metaValue, parseCalls, setMeta, type Use } from '../../store/index.js';
import type { JobContext } from '../job.js';

const FOLDED = 'uses_folded';
const TYPES: readonly Use['type'][] = ['lesson', 'entry', 'episode', 'note'];

/** @returns number of uses that were new */
export async function foldUses({ paths, store }: JobContext): Promise<number> {
  const moved = `${paths.uses}.folding`;
  // A folding file that a killed run left is finished first; new notes wait for the next time.
  if (!existsSync(moved)) {
    if (!existsSync(paths.uses)) return 0;
    await rename(paths.uses, moved);
  }
  const text = readFileSync(moved, 'utf8');
  const hash = createHash('sha256').update(text).digest('hex');
  const uses = parseUses(text);
  const added = await store.write(async (db) => {
    if ((await metaValue(db, FOLDED)) === hash) return 0;
    if (uses.length > 0) await addUses(db, uses);
    for (const call of parseCalls(text)) await finishLlmCall(db, call);
    await setMeta(db, FOLDED, hash);
    return uses.length;
  });
  await unlink(moved);
  return added;
}

/** Lines that are no uses are left out: the file is written by many processes and may hold half a line. */
function parseUses(text: string): Use[] {
  return text.split('\n').flatMap((line) => {
    try {
      const { time, type, id, door, agent, session, project } = JSON.parse(line) as Partial<Use>;
      if (typeof time !== 'string' || Number.isNaN(Date.parse(time)) || typeof id !== 'string' || typeof door !== 'string')
        return [];
      const known = TYPES.find((each) => each === type);
      return known
        ? [{ time, type: known, id, door, agent: agent ?? null, session: session ?? null, project: project ?? null }]
        : [];
    } catch {
      return [];
    }
  });
}
