/**
 * A file that holds texts longer than the engine can fold in: the checkpoint fails after each commit, and the engine gives up.
 * The texts are cut under a larger limit; what they were is kept in a file beside the database.
 */
import { totalmem } from 'node:os';
import { Readable, pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { first, type Db } from '../db.js';
import { openDatabase } from '../open-database.js';
import { publishParts } from '../publish.js';
import { metaValue, setMeta } from '../rows/meta.js';
import { messageOf } from '../../errors.js';

/** Longest text that stays, in bytes; as what is read now is stored. */
const LONGEST = 64 * 1024;
/** Bytes that are kept at each end. */
const END = 32_000;
const META = 'texts_cut';

/** What was cut, so that it can be told. */
export interface CutTexts {
  time: string;
  texts: number;
  /** Holds the whole texts, one JSON object a line. */
  file: string;
}

/** Whether the engine had not the memory to fold its log into the file. What was committed stays committed. */
export function isUnfoldable(error: unknown): boolean {
  const message = messageOf(error);
  return (
    /failed to create checkpoint|checkpoint failed/i.test(message) &&
    /failed to (pin|allocate|offload)|out of memory|could not allocate/i.test(message)
  );
}

/** Half of the machine's memory, for the minutes that this takes. */
function roomyMb(): number {
  return Math.round(Math.min(4096, Math.max(1024, totalmem() / 2 ** 21)));
}

/** Call it while this process has the file closed. */
export async function mendLargeTexts(path: string, now: Date): Promise<void> {
  // The log must not be folded in before the long texts are cut.
  const database = await openDatabase(path, { memoryLimitMb: roomyMb(), checkpointMb: 1_000_000 });
  try {
    const db = await database.connect();
    const found = await db.all<{ n: number }>(`SELECT n FROM own.texts WHERE strlen(text) > ${LONGEST} ORDER BY n`);
    if (found.length > 0) {
      const file = `${path}.long-texts.damaged-${now.toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}.jsonl.gz`;
      await publishParts(file, gzipped(linesOf(db, found)));
      await db.run(
        `UPDATE own.texts SET text = left(text, (${END} * length(text) / strlen(text))::BIGINT) || chr(10) || '[… ' ||
          (strlen(text) - 2 * ${END}) || ' bytes left out …]'
           || chr(10) || right(text, (${END} * length(text) / strlen(text))::BIGINT) WHERE strlen(text) > ${LONGEST}`,
      );
      const before = await cutTexts(db);
      await setMeta(
        db,
        META,
        JSON.stringify({ time: now.toISOString(), texts: found.length + (before?.texts ?? 0), file } satisfies CutTexts),
      );
    }
    await db.run('CHECKPOINT');
  } finally {
    database.close();
  }
}

/** What was cut when the file could not be folded; null when that never happened. */
export async function cutTexts(db: Db): Promise<CutTexts | null> {
  const value = await metaValue(db, META);
  return value === null ? null : (JSON.parse(value) as CutTexts);
}

async function* linesOf(db: Db, found: readonly { n: number }[]): AsyncGenerator<string> {
  for (const { n } of found) {
    yield `${JSON.stringify(
      await first(
        db,
        'SELECT e.id, e.rev, e.agent, e.session, t.text FROM own.texts t LEFT JOIN ' +
          `own.entries e ON e.n = t.n WHERE t.n = ${BigInt(n)}`,
      ),
    )}\n`;
  }
}

function gzipped(lines: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  const gzip = createGzip();
  pipeline(Readable.from(lines), gzip, () => undefined);
  return gzip;
}
