/** What an export holds: crystals with their tombstones, notes, config, and the hashes of what was purged. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { HomePaths } from '../config.js';
import { AppError, EXIT, messageOf } from '../errors.js';
import { packTar, unpackTar, type TarFile } from './tar.js';

const VERSION = 1;
/** A gzip bomb must not fill the memory. */
const MOST_BYTES = 512 * 1024 * 1024;
/** Nothing else is written to or read from an archive; a path that leads elsewhere is not among them. */
const NAME =
  /^(?:manifest\.json|config\.yaml|purged\.txt|(?:global|projects\/(?!\.)[\w.@+-]{1,80})\/(?:crystal\.json|notes\.md))$/;

/** The texts of an archive's files, by their names in the home. */
export type Exported = Map<string, string>;

/** The home's files as one .tar.gz; the same files give the same bytes. */
export const packHome = (paths: HomePaths): Buffer => {
  const slugs = existsSync(paths.projects)
    ? readdirSync(paths.projects)
        .filter((name) => !name.startsWith('.'))
        .sort()
    : [];
  const folders = ['global', ...slugs.map((slug) => `projects/${slug}`)];
  const names = ['config.yaml', 'purged.txt', ...folders.flatMap((folder) => [`${folder}/crystal.json`, `${folder}/notes.md`])];
  const manifest: TarFile = {
    name: 'manifest.json',
    bytes: Buffer.from(`${JSON.stringify({ format: 'dripstone', version: VERSION })}\n`),
  };
  const files = names.flatMap((name) => {
    const path = join(paths.home, ...name.split('/'));
    return NAME.test(name) && existsSync(path) ? [{ name, bytes: readFileSync(path) }] : [];
  });
  return gzipSync(packTar([manifest, ...files]), { level: 9 });
};

const refuse = (file: string, why: string): AppError =>
  new AppError('NOT_AN_EXPORT', `${file} is no export of dripstone: ${why}`, {
    hint: 'nothing was imported; make one with `dripstone export FILE`',
  });

/** @throws AppError exit 1 for anything but an export of ours, exit 13 for one of a newer version */
export const unpackHome = (file: string, bytes: Buffer): Exported => {
  let files: TarFile[];
  try {
    files = unpackTar(gunzipSync(bytes, { maxOutputLength: MOST_BYTES }));
  } catch (error) {
    throw refuse(file, messageOf(error));
  }
  const strange = files.find(({ name }) => !NAME.test(name) || name.includes('\\') || (sep !== '/' && name.includes(sep)));
  if (strange) throw refuse(file, `it holds ${JSON.stringify(strange.name)}`);
  const found = new Map(files.map(({ name, bytes: content }) => [name, content.toString('utf8')]));
  if (found.size !== files.length) throw refuse(file, 'it holds one name twice');
  checkVersion(file, found.get('manifest.json') ?? '');
  return found;
};

const checkVersion = (file: string, manifest: string): void => {
  let told: { format?: unknown; version?: unknown };
  try {
    told = JSON.parse(manifest) as typeof told;
  } catch {
    throw refuse(file, 'its manifest cannot be read');
  }
  if (told?.format !== 'dripstone' || typeof told.version !== 'number') throw refuse(file, "its manifest is another program's");
  if (told.version > VERSION) throw newer(file, told.version);
};

/** @throws AppError exit 13 */
export const newer = (file: string, version: number): AppError =>
  new AppError('EXPORT_NEWER', `${file} has version ${version}; this program knows ${VERSION}`, {
    hint: 'update dripstone; nothing was imported',
    exitCode: EXIT.config,
  });
