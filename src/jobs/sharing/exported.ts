/**
 * What an export holds: crystals with their tombstones, notes, config, receipts, and the hashes of
 * what was purged.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { AppError, EXIT, messageOf } from '../../errors.js';
import type { JobContext } from '../job.js';
import { MOST_VALUES, redactorOf, valuesIn } from '../upkeep/mask.js';
import { packTar, unpackTar, type TarFile } from './tar.js';
import { withCommas } from '../../text/amounts.js';

const VERSION = 1;
const MIB = 1024 * 1024;
/**
 * Others can write what an import reads. 60 KB that unpack to 60 MB of empty lessons took 4.3 GB:
 * bytes, files and values are bounded before anything is parsed, and what is larger than that is
 * not written either.
 */
export const MOST_BYTES = 64 * MIB;
const MOST_NOTES = MIB;
const MOST_FILES = 4096;
/**
 * Nothing else is written to or read from an archive; a path that leads elsewhere is not among
 * them.
 */
const NAME =
  /^(?:manifest\.json|config\.yaml|purged\.txt|receipts\.jsonl|(?:global|projects\/(?!\.)[\w.@+-]{1,80})\/(?:crystal\.json|notes\.md))$/;

/** The texts of an archive's files, by their names in the home. */
export type Exported = Map<string, string>;

/** A mask that is all of a value, in YAML: bare brackets would be a list. */
const BARE_MASK = /(?<=[:,[{-][ \t]{1,8}|[,[])\[REDACTED:[\w:-]+\](?=[ \t]*(?:[,\]}]|$|[ \t]#))/gm;

/**
 * The home's files as one .tar.gz; the same files give the same bytes. Notes and config are masked:
 * they are the person's, and came past no redactor.
 * @param withConfig config.yaml among them
 * @throws AppError for a home of which no import could read all
 */
export async function packHome(
  context: Pick<JobContext, 'paths' | 'redactKey' | 'clock' | 'config'>,
  withConfig = true,
): Promise<Buffer> {
  const { paths } = context;
  const slugs = existsSync(paths.projects)
    ? readdirSync(paths.projects)
        .filter((name) => !name.startsWith('.'))
        .sort()
    : [];
  const folders = ['global', ...slugs.map((slug) => `projects/${slug}`)];
  const names = [
    ...(withConfig ? ['config.yaml'] : []),
    'purged.txt',
    'receipts.jsonl',
    ...folders.flatMap((folder) => [`${folder}/crystal.json`, `${folder}/notes.md`]),
  ];
  const manifest: TarFile = {
    name: 'manifest.json',
    bytes: Buffer.from(`${JSON.stringify({ format: 'dripstone', version: VERSION })}\n`),
  };
  const redact = await redactorOf(context);
  const files: TarFile[] = [];
  for (const name of names) {
    const path = join(paths.home, ...name.split('/'));
    if (!NAME.test(name) || !existsSync(path)) continue;
    const bytes = readFileSync(path);
    const isNotes = name.endsWith('/notes.md');
    if (isNotes && bytes.length > MOST_NOTES) throw tooLarge(path, MOST_NOTES);
    const isConfig = name === 'config.yaml';
    const masked = isNotes || isConfig ? redact([bytes.toString('utf8')])[0]! : null;
    files.push({
      name,
      bytes:
        masked === null
          ? bytes
          : Buffer.from(isConfig ? masked.replace(BARE_MASK, '"$&"') : masked),
    });
  }
  const tar = packTar([manifest, ...files]);
  if (tar.length > MOST_BYTES) throw tooLarge('what this home would export', MOST_BYTES);
  return gzipSync(tar, { level: 9 });
}

function tooLarge(what: string, most: number): AppError {
  return new AppError(
    'EXPORT_TOO_LARGE',
    `${what} is larger than ${most / MIB} MiB, and no import would read it`,
    { hint: 'nothing was written; shorten notes.md, or forget what is old' },
  );
}

export function refuse(file: string, why: string): AppError {
  return new AppError('NOT_AN_EXPORT', `${file} is no export of dripstone: ${why}`, {
    hint: 'nothing was imported; make one with `dripstone export FILE`',
  });
}

/**
 * @throws AppError exit 1 for anything but an export of ours, exit 13 for one of a newer version
 */
export function unpackHome(file: string, bytes: Buffer): Exported {
  let files: TarFile[];
  try {
    files = unpackTar(gunzipSync(bytes, { maxOutputLength: MOST_BYTES }));
  } catch (error) {
    throw refuse(file, messageOf(error));
  }
  const strange = files.find(
    ({ name }) => !NAME.test(name) || name.includes('\\') || (sep !== '/' && name.includes(sep)),
  );
  if (strange) throw refuse(file, `it holds ${JSON.stringify(strange.name)}`);
  const found = new Map(files.map(({ name, bytes: content }) => [name, content.toString('utf8')]));
  if (found.size !== files.length) throw refuse(file, 'it holds one name twice');
  checkSize(file, found);
  checkVersion(file, found.get('manifest.json') ?? '');
  return found;
}

function checkSize(file: string, found: Exported): void {
  if (found.size > MOST_FILES) throw refuse(file, `it holds more than ${MOST_FILES} files`);
  let values = 0;
  for (const [name, text] of found) {
    if (name.endsWith('/notes.md') && text.length > MOST_NOTES)
      throw refuse(file, `${name} is larger than 1 MiB`);
    if (name.endsWith('/crystal.json')) values += valuesIn(text);
  }
  if (values > MOST_VALUES)
    throw refuse(file, `its crystals hold more than ${withCommas(MOST_VALUES)} values`);
}

function checkVersion(file: string, manifest: string): void {
  let told: { format?: unknown; version?: unknown };
  try {
    told = JSON.parse(manifest) as typeof told;
  } catch {
    throw refuse(file, 'its manifest cannot be read');
  }
  if (told?.format !== 'dripstone' || typeof told.version !== 'number')
    throw refuse(file, "its manifest is another program's");
  if (told.version > VERSION) throw newer(file, told.version);
}

/** @throws AppError exit 13 */
export function newer(file: string, version: number): AppError {
  return new AppError(
    'EXPORT_NEWER',
    `${file} has version ${version}; this program knows ${VERSION}`,
    { hint: 'update dripstone; nothing was imported', exitCode: EXIT.config },
  );
}
