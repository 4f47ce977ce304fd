/**
 * What search compares word by word: kept with each new vector, made in the background for vectors
 * that were there before.
 */
import {
  compactStates,
  liveStates,
  NOWHERE,
  openStates,
  placeWindows,
  unplacedWindows,
  type Db,
  type Signs,
  type VectorRow,
} from '../../store/index.js';
import { messageOf } from '../../errors.js';
import type { Embedder } from '../../types.js';
import type { JobContext } from '../job.js';

/** `mostStateBytes`: of the file; 2 KiB are 250 characters of prose. Tests give a smaller limit. */
type StatesContext = Pick<JobContext, 'store' | 'paths'> & { mostStateBytes?: number };

const MOST_BYTES = 2 ** 31;

/** A vector, with what is kept of its tokens. */
export type SignedRow = VectorRow & { signs?: Signs };

/** Windows a commit. */
const WINDOWS_PER_COMMIT = 200;
/**
 * So much that no row names any more is left in the file; above it and half of the file it is
 * rewritten.
 */
const DEAD_BYTES = 64 * 2 ** 20;

/**
 * Rewrites the file if most of it is dead.
 * @returns whether states are kept at all: a server gives none
 */
export async function settleStates(
  { store, paths }: StatesContext,
  embedder: Embedder,
): Promise<boolean> {
  if (embedder.embedSigned === undefined) return false;
  await store.write(async (db) => {
    const file = await openStates(db, paths.vectors);
    const size = file.size();
    file.close();
    const dead = size - (await liveStates(db));
    if (dead > DEAD_BYTES && dead > size / 2) await compactStates(db, paths.vectors);
  });
  return true;
}

/** Rows with the places of their signs; call it in the transaction that saves them. */
export async function keepStates(
  context: StatesContext,
  db: Db,
  rows: readonly SignedRow[],
): Promise<VectorRow[]> {
  const signs = rows.flatMap((row) => row.signs ?? []);
  if (signs.length === 0) return rows.map((row) => unsigned(row));
  const places = await append(context, db, signs);
  let at = 0;
  return rows.map((row) => unsigned(row, row.signs === undefined ? null : places[at++]!));
}

function unsigned({ signs: _, ...row }: SignedRow, states: number | null = null): VectorRow {
  return { ...row, states };
}

/** A full file first loses its older half, so that what is new always has a place. */
async function append(context: StatesContext, db: Db, signs: readonly Signs[]): Promise<number[]> {
  const { vectors } = context.paths;
  const bytes = signs.reduce((sum, each) => sum + each.length, 0);
  const limit = context.mostStateBytes ?? MOST_BYTES;
  let file = await openStates(db, vectors);
  try {
    if (file.size() + bytes > limit) {
      file.close();
      await compactStates(db, vectors, limit / 2);
      file = await openStates(db, vectors);
    }
    return file.size() + bytes > limit ? signs.map(() => NOWHERE) : file.append(signs);
  } finally {
    file.close();
  }
}

/**
 * Places for vectors that have none: those of an older version, and all when the file was lost.
 * Only up to half of the limit, so that what a full file lost does not come back at once.
 * @returns whether nothing is left to do
 */
export async function fillStates(
  context: StatesContext & Pick<JobContext, 'embedder'>,
  embedder: Embedder,
  isOver: () => Promise<boolean>,
): Promise<boolean> {
  const { store } = context;
  const { fingerprint } = embedder;
  for (;;) {
    if (await isOver()) return false;
    const { windows, live } = await store.read(async (db) => ({
      windows: await unplacedWindows(db, fingerprint, WINDOWS_PER_COMMIT),
      live: await liveStates(db),
    }));
    if (windows.length === 0 || live > (context.mostStateBytes ?? MOST_BYTES) / 2) return true;
    const made: Signs[] = [];
    for (const { text } of windows) {
      const signs = (await isOver()) ? null : await signsOf(context, embedder, text);
      if (signs === null) break;
      made.push(signs);
    }
    if (made.length === 0) return context.embedder.problem() !== null;
    await store.write(async (db) => {
      const places = await append(context, db, made);
      await placeWindows(
        db,
        fingerprint,
        places.map((states, i) => ({ ...windows[i]!, states })),
      );
    });
  }
}

/** None for a text that the model does not take this time; null: the model itself does not work. */
async function signsOf(
  { embedder: lease }: Pick<JobContext, 'embedder'>,
  embedder: Embedder,
  text: string,
): Promise<Signs | null> {
  try {
    return (await embedder.embedSigned!([text]))[0]!.signs;
  } catch (error) {
    if ((error as { code?: string }).code === 'EMBED_FAILED') return new Uint8Array(0);
    lease.fail(messageOf(error));
    return null;
  }
}
