/**
 * The format of export, import and sync: crystals with their tombstones, notes, receipts and the
 * hashes of purged items, as gzipped JSON of texts by their names in the home.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { AppError, EXIT, messageOf } from '../../errors.js';
import { withCommas } from '../../text/amounts.js';
import { isObject, parse } from '../../text/fields.js';
import type { JobContext } from '../job.js';
import { MOST_VALUES, redactorOf, valuesIn } from '../upkeep/mask.js';

const VERSION = 2;
const MIB = 1024 * 1024;
/**
 * Others may write an import, and a small file can unpack to gigabytes. So bytes, files and values
 * are limited before anything is parsed; an export has the same limits.
 */
export const MOST_BYTES = 64 * MIB;
const MOST_NOTES = MIB;
const MOST_FILES = 4096;
/** Only these names are written or read; none leads out of the home. */
const NAME =
  /^(?:purged\.txt|receipts\.jsonl|(?:global|projects\/(?!\.)[\w.@+-]{1,80})\/(?:crystal\.json|notes\.md))$/;

/** Texts by their names in the home. */
type Bundle = ReadonlyMap<string, string>;

/**
 * Packs the home; the same files give the same bytes. Notes are masked here, because the person
 * wrote them by hand.
 * @throws AppError if the home exceeds the limits of an import
 */
export async function packHome(
  context: Pick<JobContext, 'paths' | 'redactKey' | 'clock' | 'config'>,
): Promise<Buffer> {
  const { home, projects } = context.paths;
  const slugs = existsSync(projects) ? readdirSync(projects).sort() : [];
  const names = [
    'purged.txt',
    'receipts.jsonl',
    ...['global', ...slugs.map((slug) => `projects/${slug}`)].flatMap((folder) => [
      `${folder}/crystal.json`,
      `${folder}/notes.md`,
    ]),
  ].filter((name) => NAME.test(name) && existsSync(join(home, name)));
  const redact = await redactorOf(context);
  const files: Record<string, string> = {};
  for (const name of names) {
    const text = readFileSync(join(home, name), 'utf8');
    const isNotes = name.endsWith('/notes.md');
    if (isNotes && text.length > MOST_NOTES) throw tooLarge(join(home, name), MOST_NOTES);
    files[name] = isNotes ? redact([text])[0]! : text;
  }
  const bytes = Buffer.from(
    `${JSON.stringify({ format: 'dripstone', version: VERSION, files })}\n`,
  );
  if (bytes.length > MOST_BYTES) throw tooLarge('what this home would export', MOST_BYTES);
  return gzipSync(bytes, { level: 9 });
}

function tooLarge(what: string, most: number): AppError {
  return new AppError(
    'EXPORT_TOO_LARGE',
    `${what} is larger than ${most / MIB} MiB, and no import would read it`,
    { hint: 'nothing was written; shorten notes.md, or forget what is old' },
  );
}

export function notWritten(path: string, cause: unknown): AppError {
  const hint = 'name a folder that is writable';
  return new AppError('NOT_WRITTEN', `${path} cannot be written: ${messageOf(cause)}`, {
    hint,
    cause,
  });
}

export function refuse(file: string, why: string): AppError {
  return new AppError('NOT_AN_EXPORT', `${file} is not an export of dripstone: ${why}`, {
    hint: 'nothing was imported; make one with `dripstone export FILE`',
  });
}

/** @throws AppError exit 1 if dripstone did not write the file, exit 13 if a newer version did */
export function unpackHome(file: string, bytes: Buffer): Bundle {
  let text: string;
  try {
    text = gunzipSync(bytes, { maxOutputLength: MOST_BYTES }).toString('utf8');
  } catch (error) {
    throw refuse(file, messageOf(error));
  }
  if (text.startsWith('manifest.json\0'))
    throw refuse(file, 'an older build wrote it: update dripstone there, and write it again');
  if (valuesIn(text) > MOST_VALUES)
    throw refuse(file, `it has more than ${withCommas(MOST_VALUES)} values`);
  const { format, version, files } = parse(text);
  if (format !== 'dripstone' || typeof version !== 'number')
    throw refuse(file, 'another program wrote it');
  if (version > VERSION) throw newer(file, version);
  const found = Object.entries(isObject(files) ? files : {});
  if (found.length > MOST_FILES) throw refuse(file, `it has more than ${MOST_FILES} files`);
  for (const [name, each] of found) {
    if (!NAME.test(name) || typeof each !== 'string')
      throw refuse(file, `it contains ${JSON.stringify(name)}`);
    if (name.endsWith('/notes.md') && each.length > MOST_NOTES)
      throw refuse(file, `${name} is larger than 1 MiB`);
  }
  return new Map(found as [string, string][]);
}

/** @throws AppError exit 13 */
export function newer(file: string, version: number): AppError {
  return new AppError(
    'EXPORT_NEWER',
    `${file} has version ${version}, which is newer than this program`,
    { hint: 'update dripstone; nothing was imported', exitCode: EXIT.config },
  );
}
