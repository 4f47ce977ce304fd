/** Writes and reads tiers: entries of one session and UTC day, a JSON object per line, gzipped. */
import { createReadStream } from 'node:fs';
import { Readable, pipeline } from 'node:stream';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { hashOf, publishParts, type TierKey, type TierRow } from '../../store/index.js';
import { hashedTermsOf } from '../../terms/index.js';
import { parse } from '../../text/fields.js';
import { shortHash } from '../../text/fingerprint.js';
import { entryOfRow, type PreparedEntry, sessionKey } from '../../types.js';
import { storedText } from '../reading/text-cap.js';

/** The limit of the view `archive_entries`; no longer line is written. */
const LONGEST_LINE = 64 * 2 ** 20;
/** Lines are packed together, because each write to gzip is a task of a thread. */
const BLOCK_CHARS = 64 * 2 ** 10;

/** `2026-11-20-a3f29c01.jsonl.gz`; the caller has checked that the day is a date. */
export function tierName({ agent, session, day }: TierKey): string {
  return `${day}-${shortHash(sessionKey(agent, session), 8)}.jsonl.gz`;
}

/** Turns a row into an entry with search terms; null if it is no entry or has no text. Pure. */
export function rowToEntry(row: TierRow): PreparedEntry | null {
  const entry = typeof row.text === 'string' ? entryOfRow(row) : null;
  return entry && { ...entry, text: storedText(entry.text), ...hashedTermsOf(entry.text) };
}

/**
 * Writes a tier in blocks and reads it back.
 * @throws Error if the file differs from the written rows
 */
export async function writeTier(
  path: string,
  from: AsyncIterable<TierRow>,
): Promise<{ rows: number; sha256: string }> {
  let rows = 0;
  const calls = new Set<unknown>();
  async function* blocks(): AsyncGenerator<string> {
    let block = '';
    for await (const row of from) {
      rows++;
      block += `${JSON.stringify(withOwnCommand(row, calls))}\n`;
      if (block.length < BLOCK_CHARS) continue;
      yield block;
      block = '';
    }
    yield block;
  }
  const gzip = createGzip();
  // An error of the rows destroys the stream, which then throws it.
  pipeline(Readable.from(blocks()), gzip, () => undefined);
  const { sha256 } = await publishParts(path, gzip);
  const back = { rows: 0, damaged: false };
  for await (const _ of tierRows(path, back)) back.rows++;
  if (back.rows !== rows || back.damaged || (await hashOf(path)) !== sha256)
    throw new Error(`${path} has ${back.rows} of ${rows} entries after writing`);
  return { rows, sha256 };
}

/**
 * Removes a command without its call in the tier: the result may be that of another session's call.
 * @param calls ids of the earlier calls in the tier; the row's own is added
 */
function withOwnCommand(row: TierRow, calls: Set<unknown>): TierRow {
  if (row['role'] === 'tool_call') calls.add(row['call']);
  const isForeign =
    row['role'] === 'tool_result' && row['call'] !== null && !calls.has(row['call']);
  return isForeign ? { ...row, command: null } : row;
}

/**
 * Rows of a tier; for a truncated file, the rows before the end.
 * @param found set if the file has bytes or lines that do not belong in a tier
 */
export async function* tierRows(
  path: string,
  found: { damaged: boolean } = { damaged: false },
): AsyncGenerator<TierRow> {
  const source = createReadStream(path);
  // With this flag a truncated file gives its rows instead of an error. A complete file ends with
  // its unpacked length, which is compared below.
  const text = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  let [end, unpacked] = [Buffer.alloc(0), 0];
  source.on('data', (chunk) => {
    end = Buffer.concat([end, Buffer.from(chunk).subarray(-4)]).subarray(-4);
  });
  pipeline(source, text, () => undefined);
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of text as AsyncIterable<Buffer>) {
      unpacked += chunk.length;
      yield chunk;
    }
  }
  try {
    for await (const line of linesOf(counted())) {
      const row = line === null ? {} : parse(line.toString('utf8'));
      if (typeof row['id'] === 'string') yield row as TierRow;
      else found.damaged = true;
    }
  } catch {
    found.damaged = true;
  }
  if (end.length < 4 || end.readUInt32LE() !== unpacked % 2 ** 32) found.damaged = true;
}

/** Lines without their newline; null for a line that is too long. */
async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer | null> {
  let parts: Buffer[] = [];
  let size = 0;
  const line = (): Buffer | null => (size > LONGEST_LINE ? null : Buffer.concat(parts));
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, from)) {
      parts.push(chunk.subarray(from, end));
      size += end - from;
      yield line();
      [parts, size, from] = [[], 0, end + 1];
    }
    size += chunk.length - from;
    if (size > LONGEST_LINE) parts = [];
    else parts.push(chunk.subarray(from));
  }
  // The last newline may be missing after an edit by hand.
  if (size > 0) yield line();
}
