/**
 * Takes what readers noted as shown into the store, each note once: how far a file was folded
 * stands in the same transaction.
 */
import { existsSync } from 'node:fs';
import { open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { addUses, metaValue, setMeta, type Use } from '../../store/index.js';
import type { JobContext } from '../job.js';
import { shortHash } from '../../text/fingerprint.js';
import { parse } from '../../text/fields.js';

const FOLDED = 'uses_folded';
const TYPES: readonly Use['type'][] = ['lesson', 'entry', 'episode', 'note'];

/** Read at once: a million notes are 80 MB, and as one string they took 560 MB of memory. */
const SLICE_BYTES = 4 * 2 ** 20;
/** Tells one file from the next: a note begins with its time in milliseconds. */
const HEAD_BYTES = 1024;

/** @returns number of uses that were new */
export async function foldUses({ paths, store }: JobContext): Promise<number> {
  const moved = `${paths.uses}.folding`;
  // A folding file that a killed run left is finished first; new notes wait for the next time.
  if (!existsSync(moved)) {
    if (!existsSync(paths.uses)) return 0;
    await rename(paths.uses, moved);
  }
  const file = await open(moved, 'r');
  let added = 0;
  try {
    const head = shortHash(await readAt(file, 0, HEAD_BYTES), 64);
    const [name, done] = ((await store.read((db) => metaValue(db, FOLDED))) ?? '').split(' ');
    let at = name === head ? Number(done) : 0;
    for (
      let lines = await linesAt(file, at, SLICE_BYTES);
      lines.length > 0;
      lines = await linesAt(file, at, SLICE_BYTES)
    ) {
      at += lines.length;
      const text = lines.toString('utf8');
      const uses = parseUses(text);
      await store.write(async (db) => {
        if (uses.length > 0) await addUses(db, uses);
        await setMeta(db, FOLDED, `${head} ${at}`);
      });
      added += uses.length;
    }
  } finally {
    await file.close();
  }
  await unlink(moved);
  return added;
}

async function readAt(file: FileHandle, at: number, most: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, at);
  return buffer.subarray(0, bytesRead);
}

/**
 * Whole lines from there on, or what is left; of a line that is longer than a slice a piece, which
 * is no note.
 */
async function linesAt(file: FileHandle, at: number, most: number): Promise<Buffer> {
  const bytes = await readAt(file, at, most);
  const end = bytes.lastIndexOf(0x0a) + 1;
  return bytes.length < most || end === 0 ? bytes : bytes.subarray(0, end);
}

/**
 * Lines that are no uses are left out: the file is written by many processes and may hold half a
 * line.
 */
function parseUses(text: string): Use[] {
  return text.split('\n').flatMap((line) => {
    const { time, type, id, door, agent, session, project } = parse(line) as Partial<Use>;
    if (
      typeof time !== 'string' ||
      Number.isNaN(Date.parse(time)) ||
      typeof id !== 'string' ||
      typeof door !== 'string'
    )
      return [];
    const known = TYPES.find((each) => each === type);
    return known
      ? [
          {
            time,
            type: known,
            id,
            door,
            agent: agent ?? null,
            session: session ?? null,
            project: project ?? null,
          },
        ]
      : [];
  });
}
