/**
 * Writes a tier in slices, whatever its size: rows of the database, and rows that only the old file
 * still has.
 */
import { randomBytes } from 'node:crypto';
import { open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import {
  badName,
  bytesOfTerms,
  publishParts,
  type TextKey,
  type TierHead,
} from '../../store/index.js';
import { tierLine } from './tier-file.js';
import { scanTier } from './tier-stream.js';

/** Bytes of text in memory at once. */
const SLICE_BYTES = 8 * 2 ** 20;
const BLOCK_CHARS = 64 * 2 ** 10;

interface TierWriting {
  path: string;
  /** Rows of the database without their texts, in the order of the log. */
  fresh: readonly TierHead[];
  /** Texts by `n`. */
  textsOf: (keys: readonly TextKey[]) => Promise<ReadonlyMap<number, string>>;
  /** Ids that belong to another tier now: their rows in the old file are dropped. */
  moved: ReadonlySet<string>;
  /** Called with the path to which a file was moved because it could not be read in full. */
  onDamaged: (kept: string) => void;
}

interface WrittenTier {
  rows: number;
  sha256: string;
}

/**
 * Writes a tier; without rows it removes the file.
 *
 * @throws Error if the file does not read back as it was written
 */
export async function writeTier({
  path,
  fresh,
  textsOf,
  moved,
  onDamaged,
}: TierWriting): Promise<WrittenTier> {
  await using old = await openOldTier(path, (id) => !moved.has(id));
  if (old?.damaged) {
    const bad = badName(path);
    await rename(path, bad);
    onDamaged(bad);
  }
  const items = mergeHeads(fresh, old?.rows ?? new Map<string, OldRow>());
  if (items.length === 0) {
    await unlink(path).catch(() => undefined);
    return { rows: 0, sha256: '' };
  }
  const { sha256 } = await publishParts(path, gzipped(linesOf(items, old, textsOf)));
  const back = await scanTier(
    path,
    () => undefined,
    () => false,
  );
  if (back === null || back.damaged || back.rows !== items.length || back.sha256 !== sha256)
    throw new Error(`${path} holds ${back?.rows ?? 0} of ${items.length} entries after writing`);
  return { rows: items.length, sha256 };
}

/** Writes a tier again with those of its rows that stay, in order. @returns its hash */
export async function rewriteTier(path: string, stays: (id: string) => boolean): Promise<string> {
  await using old = await openOldTier(path, stays);
  const rows = [...(old?.rows.values() ?? [])];
  return (
    await publishParts(
      path,
      gzipped(
        (async function* () {
          for (const row of rows) yield await old!.lineOf(row);
        })(),
      ),
    )
  ).sha256;
}

/** A row of the old file; its line is in the spill file. */
interface OldRow {
  id: string;
  path: string;
  seq: number;
  at: number;
  bytes: number;
}

/** A row of the database, or one that only the old file has. */
type TierItem = TierHead | OldRow;

/**
 * Merges the rows of a tier: those of the database, and those that only the old file still has.
 * Sorted by path, seq and id, as the database returns them. Pure.
 */
function mergeHeads(fresh: readonly TierHead[], old: ReadonlyMap<string, OldRow>): TierItem[] {
  const known = new Set(fresh.map(({ row }) => row.id));
  const kept = [...old.values()].filter(({ id }) => !known.has(id));
  if (kept.length === 0) return [...fresh];
  return [...fresh, ...kept]
    .map((item) => ({ item, place: placeOf(item) }))
    .sort((a, b) => inOrder(a.place, b.place))
    .map(({ item }) => item);
}

type TierOrder = readonly [path: string, seq: number, id: string];

function placeOf(item: TierItem): TierOrder {
  return 'row' in item
    ? [String(item.row['path']), Number(item.row['seq']), item.row.id]
    : [item.path, item.seq, item.id];
}

function inOrder(x: TierOrder, y: TierOrder): number {
  return x[0] < y[0]
    ? -1
    : x[0] > y[0]
      ? 1
      : x[1] - y[1] || (x[2] < y[2] ? -1 : x[2] > y[2] ? 1 : 0);
}

async function* linesOf(
  items: readonly TierItem[],
  old: OldTier | null,
  textsOf: TierWriting['textsOf'],
): AsyncGenerator<string> {
  for (let from = 0; from < items.length;) {
    let [to, bytes] = [from, 0];
    for (; to < items.length && (to === from || bytes < SLICE_BYTES); to++) {
      const item = items[to]!;
      bytes += 'row' in item ? bytesOfTerms(item.length) : 0;
    }
    const slice = items.slice(from, to);
    const texts = await textsOf(slice.filter((item) => 'row' in item));
    for (const item of slice)
      yield 'row' in item
        ? tierLine({ ...item.row, text: texts.get(item.n) ?? null })
        : await old!.lineOf(item);
    from = to;
  }
}

function gzipped(lines: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  const gzip = createGzip({ level: 6 });
  // An error while producing lines destroys the stream, and is thrown there.
  pipeline(Readable.from(inBlocks(lines)), gzip, () => undefined);
  return gzip;
}

/**
 * Each write to the packer is a task of a thread, which took half of the time of a tier when it was
 * a line.
 */
async function* inBlocks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let block = '';
  for await (const line of lines) {
    block += line;
    if (block.length < BLOCK_CHARS) continue;
    yield block;
    block = '';
  }
  if (block !== '') yield block;
}

interface OldTier extends AsyncDisposable {
  rows: ReadonlyMap<string, OldRow>;
  damaged: boolean;
  /** The line of a row, including its newline. */
  lineOf(row: OldRow): Promise<string>;
}

/**
 * Unpacks the file beside itself, so that its rows can be read in another order; null when it does
 * not exist.
 */
async function openOldTier(
  path: string,
  wanted?: (id: string) => boolean,
): Promise<OldTier | null> {
  const spill = join(
    dirname(path),
    `.${basename(path)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`,
  );
  let handle: FileHandle | null = null;
  const rows = new Map<string, OldRow>();
  let at = 0;
  const close = async (): Promise<void> => {
    await handle?.close();
    if (handle) await unlink(spill).catch(() => undefined);
  };
  try {
    const scan = await scanTier(
      path,
      async (row) => {
        handle ??= await open(spill, 'wx+', 0o600);
        const line = Buffer.from(tierLine(row));
        await writeWhole(handle, line, at);
        rows.set(row.id, {
          id: row.id,
          path: String(row['path']),
          seq: Number(row['seq']),
          at,
          bytes: line.length,
        });
        at += line.length;
      },
      wanted,
    );
    if (scan === null) return null;
    const lineOf = async (row: OldRow): Promise<string> => {
      const { buffer } = await handle!.read(Buffer.alloc(row.bytes), 0, row.bytes, row.at);
      return buffer.toString('utf8');
    };
    return { rows, damaged: scan.damaged, lineOf, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function writeWhole(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;)
    done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}
