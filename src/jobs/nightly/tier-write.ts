/** Writes a tier in slices, whatever its size: rows of the database, and rows that only the old file still has. */
import { randomBytes } from 'node:crypto';
import { open, rename, unlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { badName, bytesOfTerms, publishParts, type TextKey, type TierHead } from '../../store/index.js';
import { tierLine, type TierRow } from './tier-file.js';
import { scanTier } from './tier-stream.js';

/** Bytes of text in memory at once. */
const SLICE_BYTES = 8 * 2 ** 20;

interface TierWriting {
  path: string;
  /** Rows of the database without their texts, in the order of the log. */
  fresh: readonly TierHead[];
  /** Texts by `n`; those that the database lacks are absent. */
  textsOf: (keys: readonly TextKey[]) => Promise<ReadonlyMap<number, string>>;
  /** Ids that belong to another tier now: their rows in the old file are dropped. */
  moved: ReadonlySet<string>;
  /** Called with the path to which a file was moved because it could not be read in full. */
  onDamaged: (kept: string) => void;
}

interface WrittenTier {
  rows: number;
  /** Of them without a text, although the entry has one. */
  textless: number;
  sha256: string;
}

/**
 * Writes a tier; without rows it removes the file.
 *
 * @throws Error if the file does not read back as it was written
 */
export async function writeTier({ path, fresh, textsOf, moved, onDamaged }: TierWriting): Promise<WrittenTier> {
  await using old = await openOldTier(path, (id) => !moved.has(id));
  if (old?.damaged) {
    const bad = badName(path);
    await rename(path, bad);
    onDamaged(bad);
  }
  const items = mergeHeads(fresh, old?.rows ?? new Map<string, OldRow>());
  let textless = 0;
  if (items.length === 0) {
    await unlink(path).catch(() => undefined);
    return { rows: 0, textless, sha256: '' };
  }
  const { sha256 } = await publishParts(path, gzipped(linesOf(items, old, textsOf, () => textless++)));
  const back = await scanTier(
    path,
    () => undefined,
    () => false,
  );
  if (back === null || back.damaged || back.rows !== items.length || back.sha256 !== sha256)
    throw new Error(`${path} holds ${back?.rows ?? 0} of ${items.length} entries after writing`);
  return { rows: items.length, textless, sha256 };
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
  rev: unknown;
  hash: unknown;
  path: string;
  seq: number;
  /** Characters of its text; -1 without one. */
  chars: number;
  at: number;
  bytes: number;
}

type Item = { head: TierHead; old: OldRow | null } | { head: null; old: OldRow };

/**
 * Merges the rows of a tier: those of the database, and what only the old file still has (texts that the database lacks, rows
 * that were lost with it). Sorted by path, seq and id, as the database returns them. Pure.
 */
function mergeHeads(fresh: readonly TierHead[], old: ReadonlyMap<string, OldRow>): Item[] {
  const known = new Set(fresh.map(({ row }) => row.id));
  const kept = [...old.values()].filter(({ id }) => !known.has(id));
  const items = fresh.map((head): Item => ({ head, old: old.get(head.row.id) ?? null }));
  if (kept.length === 0) return items;
  const placed = [...items, ...kept.map((row): Item => ({ head: null, old: row }))].map((item) => ({
    item,
    place: placeOf(item),
  }));
  return placed.sort((a, b) => inOrder(a.place, b.place)).map(({ item }) => item);
}

type TierOrder = readonly [path: string, seq: number, id: string];

function placeOf({ head, old }: Item): TierOrder {
  return head ? [String(head.row['path']), Number(head.row['seq']), head.row.id] : [old.path, old.seq, old.id];
}

function inOrder(x: TierOrder, y: TierOrder): number {
  return x[0] < y[0] ? -1 : x[0] > y[0] ? 1 : x[1] - y[1] || (x[2] < y[2] ? -1 : x[2] > y[2] ? 1 : 0);
}

async function* linesOf(
  items: readonly Item[],
  old: OldTier | null,
  textsOf: TierWriting['textsOf'],
  onTextless: () => void,
): AsyncGenerator<string> {
  for (let from = 0; from < items.length;) {
    let [to, bytes] = [from, 0];
    for (; to < items.length && (to === from || bytes < SLICE_BYTES); to++) bytes += bytesOfTerms(items[to]!.head?.length ?? 0);
    const slice = items.slice(from, to);
    const texts = await textsOf(slice.flatMap(({ head }) => head ?? []));
    for (const { head, old: before } of slice) {
      if (head === null) {
        yield await old!.lineOf(before);
        continue;
      }
      const text = texts.get(head.n) ?? null;
      // The same version of an entry: the database may have less of its text than the file, never more.
      const isSame = before !== null && (before.hash === head.row['hash'] || (text === null && before.rev === head.row['rev']));
      const isLonger = isSame && before.chars > (text?.length ?? -1);
      const told = isLonger ? ((JSON.parse(await old!.lineOf(before)) as TierRow).text ?? null) : text;
      if (told === null) onTextless();
      yield tierLine({ ...head.row, text: told });
    }
    from = to;
  }
}

function gzipped(lines: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  const gzip = createGzip({ level: 6 });
  // An error while producing lines destroys the stream, and is thrown there.
  pipeline(Readable.from(lines), gzip, () => undefined);
  return gzip;
}

interface OldTier extends AsyncDisposable {
  rows: ReadonlyMap<string, OldRow>;
  damaged: boolean;
  /** The line of a row, including its newline. */
  lineOf(row: OldRow): Promise<string>;
}

/** Unpacks the file beside itself, so that its rows can be read in another order; null when it does not exist. */
async function openOldTier(path: string, wanted?: (id: string) => boolean): Promise<OldTier | null> {
  const spill = join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`);
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
          rev: row.rev,
          hash: row['hash'],
          path: String(row['path']),
          seq: Number(row['seq']),
          chars: row.text?.length ?? -1,
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
  for (let done = 0; done < bytes.length;) done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}
