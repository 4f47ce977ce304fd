/**
 * `vectors.bin`: for each window with a vector, the model's state of each token, one bit a
 * dimension. A query is compared with the best windows token by token. The database is
 * authoritative: `own.vectors.states` says where a window's bytes are and how many, so a database
 * row that is read anyway leads to them. Bytes that no row refers to are unused. If the file is lost or
 * truncated, its windows are embedded again.
 *
 * Format: 8 bytes `DRIPVEC2`, 8 random bytes that `meta.token_states` repeats, then the windows.
 * Only the holder of the home's lock writes: bytes first, synced, then the commit of the rows that
 * name them.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fdatasync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { type Db, first } from '../db.js';
import { metaValue, setMeta } from '../rows/meta.js';

/** Asynchronous, since a slow disk takes long. */
const synced = promisify(fdatasync);

const HEAD = 16;
const MAGIC = 'DRIPVEC2';
const EPOCH = 'token_states';
/** A window's size is a multiple of this: 64 dimensions of a token. */
const UNIT = 8;
/**
 * A place is offset x this + units. The longest window needs fewer units: 12,288 for 256 tokens of
 * 3,072 dimensions.
 */
const UNITS = 16_384;
/** The place of a window that cannot be stored. */
const NOWHERE = 0;

/** Bytes of a window's tokens. */
export type Signs = Uint8Array;

function offsetOf(place: number): number {
  return Math.floor(place / UNITS);
}

function bytesOf(place: number): number {
  return (place % UNITS) * UNIT;
}

/** The file, opened by its one writer; close it before the transaction ends. */
interface StatesFile {
  /** Bytes, including unused ones. */
  size(): number;
  /** Appends and syncs. @returns a place for each window; NOWHERE if the window is too long */
  append(windows: readonly Signs[]): Promise<number[]>;
  close(): void;
}

/**
 * Opens the file for appending, inside `store.write`. Cuts off bytes after the last one in use,
 * since their commit failed. If the file is missing, too short, or from another database, starts a
 * new one and deletes the vectors of its windows.
 */
export async function openStates(db: Db, path: string): Promise<StatesFile> {
  rmSync(`${path}.new`, { force: true });
  const end = await endOf(db);
  const file = openSync(path, 'a+', 0o600);
  try {
    if ((await metaValue(db, EPOCH)) !== epochOf(file) || fstatSync(file).size < end)
      await begin(db, file);
    else ftruncateSync(file, end);
    return opened(file);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function opened(file: number): StatesFile {
  let end = fstatSync(file).size;
  let isOpen = true;
  return {
    size: () => end,
    append: async (windows) => {
      const places = windows.map((signs) => {
        const units = signs.length / UNIT;
        if (!Number.isInteger(units) || units === 0 || units >= UNITS) return NOWHERE;
        const place = end * UNITS + units;
        end += signs.length;
        return place;
      });
      writeAll(file, Buffer.concat(windows.filter((_, i) => places[i] !== NOWHERE)));
      await synced(file);
      return places;
    },
    close: () => {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}

/** End of the bytes in use. */
async function endOf(db: Db): Promise<number> {
  const last = await first<{ place: number | null }>(
    db,
    'SELECT max(states) AS place FROM own.vectors WHERE states > 0',
  );
  return last?.place == null ? HEAD : offsetOf(last.place) + bytesOf(last.place);
}

function epochOf(file: number): string | null {
  const head = Buffer.alloc(HEAD);
  if (readSync(file, head, 0, HEAD, 0) < HEAD || head.toString('latin1', 0, 8) !== MAGIC)
    return null;
  return head.toString('hex', 8);
}

async function begin(db: Db, file: number): Promise<void> {
  const epoch = randomBytes(8);
  ftruncateSync(file, 0);
  writeAll(file, Buffer.concat([Buffer.from(MAGIC, 'latin1'), epoch]));
  await db.run('DELETE FROM own.vectors WHERE states > 0');
  await setMeta(db, EPOCH, epoch.toString('hex'));
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
}

/**
 * Rewrites the file with only the bytes in use, without purged texts and old versions. Call it
 * inside `store.write`. If that does not commit, the new file matches no row, and the next writer
 * starts a new one.
 */
export async function compactStates(db: Db, path: string): Promise<void> {
  if ((await metaValue(db, EPOCH)) === null) return rmSync(path, { force: true });
  const current = await openStates(db, path);
  current.close();
  const places = await db.all<{ place: number }>(
    'SELECT DISTINCT states AS place FROM own.vectors WHERE states > 0 ORDER BY states',
  );
  const [from, to] = [openSync(path, 'r'), openSync(`${path}.new`, 'w', 0o600)];
  const epoch = randomBytes(8);
  try {
    writeAll(to, Buffer.concat([Buffer.from(MAGIC, 'latin1'), epoch]));
    const moved = copyPlaces(from, to, places);
    await synced(to);
    await db.run(
      'CREATE OR REPLACE TEMP TABLE moved_states (was BIGINT NOT NULL, place BIGINT NOT NULL)',
    );
    await db.append('moved_states', {
      was: places.map(({ place }) => BigInt(place)),
      place: moved.map(BigInt),
    });
    await db.run(
      'UPDATE own.vectors v SET states = m.place FROM moved_states m WHERE v.states = m.was',
    );
    await db.run('DROP TABLE moved_states');
    await setMeta(db, EPOCH, epoch.toString('hex'));
  } finally {
    closeSync(from);
    closeSync(to);
  }
  renameSync(`${path}.new`, path);
}

function copyPlaces(from: number, to: number, places: readonly { place: number }[]): number[] {
  let end = HEAD;
  return places.map(({ place }) => {
    const bytes = Buffer.alloc(bytesOf(place));
    readSync(from, bytes, 0, bytes.length, offsetOf(place));
    writeAll(to, bytes);
    const moved = end * UNITS + (place % UNITS);
    end += bytes.length;
    return moved;
  });
}

/** Number of bytes in use. */
export async function liveStates(db: Db): Promise<number> {
  const sql = `SELECT coalesce(sum((states % ${UNITS}) * ${UNIT}), 0)::DOUBLE AS bytes FROM own.vectors WHERE states > 0`;
  return (await first<{ bytes: number }>(db, sql))?.bytes ?? 0;
}

/**
 * The bytes at these places; call it inside `store.read`, so that no other process writes. Leaves
 * out unreadable places, and all places of a file from another database.
 */
export async function readStates(
  db: Db,
  path: string,
  places: readonly number[],
): Promise<Map<number, Signs>> {
  const found = new Map<number, Signs>();
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return found;
  }
  try {
    if (places.length === 0 || (await metaValue(db, EPOCH)) !== epochOf(file)) return found;
    for (const place of places) {
      const bytes = new Uint8Array(bytesOf(place));
      if (readSync(file, bytes, 0, bytes.length, offsetOf(place)) === bytes.length)
        found.set(place, bytes);
    }
    return found;
  } finally {
    closeSync(file);
  }
}
