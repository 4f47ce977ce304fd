/** What an export holds: crystals with their tombstones, notes, config, and the hashes of what was purged. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { HomePaths } from '../../config.js';
import { AppError, EXIT, messageOf } from '../../errors.js';

const VERSION = 1;
/** A gzip bomb must not fill the memory. */
const MOST_BYTES = 512 * 1024 * 1024;
/** Nothing else is written to or read from an archive; a path that leads elsewhere is not among them. */
const NAME =
  /^(?:manifest\.json|config\.yaml|purged\.txt|(?:global|projects\/(?!\.)[\w.@+-]{1,80})\/(?:crystal\.json|notes\.md))$/;

/** The texts of an archive's files, by their names in the home. */
export type Exported = Map<string, string>;

/**
 * The home's files as one .tar.gz; the same files give the same bytes.
 * @param withConfig config.yaml among them
 */
export function packHome(paths: HomePaths, withConfig = true): Buffer {
  const slugs = existsSync(paths.projects)
    ? readdirSync(paths.projects)
        .filter((name) => !name.startsWith('.'))
        .sort()
    : [];
  const folders = ['global', ...slugs.map((slug) => `projects/${slug}`)];
  const names = [
    ...(withConfig ? ['config.yaml'] : []),
    'purged.txt',
    ...folders.flatMap((folder) => [`${folder}/crystal.json`, `${folder}/notes.md`]),
  ];
  const manifest: TarFile = {
    name: 'manifest.json',
    bytes: Buffer.from(`${JSON.stringify({ format: 'dripstone', version: VERSION })}\n`),
  };
  const files = names.flatMap((name) => {
    const path = join(paths.home, ...name.split('/'));
    return NAME.test(name) && existsSync(path) ? [{ name, bytes: readFileSync(path) }] : [];
  });
  return gzipSync(packTar([manifest, ...files]), { level: 9 });
}

function refuse(file: string, why: string): AppError {
  return new AppError('NOT_AN_EXPORT', `${file} is no export of dripstone: ${why}`, {
    hint: 'nothing was imported; make one with `dripstone export FILE`',
  });
}

/** @throws AppError exit 1 for anything but an export of ours, exit 13 for one of a newer version */
export function unpackHome(file: string, bytes: Buffer): Exported {
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
}

function checkVersion(file: string, manifest: string): void {
  let told: { format?: unknown; version?: unknown };
  try {
    told = JSON.parse(manifest) as typeof told;
  } catch {
    throw refuse(file, 'its manifest cannot be read');
  }
  if (told?.format !== 'dripstone' || typeof told.version !== 'number') throw refuse(file, "its manifest is another program's");
  if (told.version > VERSION) throw newer(file, told.version);
}

/** @throws AppError exit 13 */
export function newer(file: string, version: number): AppError {
  return new AppError('EXPORT_NEWER', `${file} has version ${version}; this program knows ${VERSION}`, {
    hint: 'update dripstone; nothing was imported',
    exitCode: EXIT.config,
  });
}

// The plain half of the ustar format: regular files with short names, nothing else. A library reads much more than an export may
// hold (links, devices, long names, absolute paths), and every bit of it would have to be refused again.

const BLOCK = 512;
const MOST_NAME = 100;

export interface TarFile {
  name: string;
  bytes: Buffer;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}

function headerOf({ name, bytes }: TarFile): Buffer {
  if (Buffer.byteLength(name) > MOST_NAME) throw new Error(`${name} is too long for the archive`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(bytes.length, 12), 124);
  // No time and no owner: the same knowledge gives the same bytes.
  header.write(octal(0, 12), 136);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  header.write(`${octal(checksum(header), 7)} `, 148);
  return header;
}

function checksum(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

/** The files in the order given. @throws Error for a name of more than 100 bytes */
export function packTar(files: readonly TarFile[]): Buffer {
  const parts = files.flatMap((file) => [
    headerOf(file),
    file.bytes,
    Buffer.alloc((BLOCK - (file.bytes.length % BLOCK)) % BLOCK),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function textAt(header: Buffer, from: number, to: number): string {
  return header
    .subarray(from, to)
    .toString('utf8')
    .replace(/\0[\s\S]*$/, '')
    .trim();
}

/** @throws Error naming what is no plain file of ours: a link, a wrong checksum, an end that is missing */
export function unpackTar(bytes: Buffer): TarFile[] {
  const files: TarFile[] = [];
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return files;
    const name = textAt(header, 0, MOST_NAME);
    const size = textAt(header, 124, 136);
    if (Number.parseInt(textAt(header, 148, 156), 8) !== checksum(header))
      throw new Error(`the archive is damaged at byte ${at}`);
    const isPlain = header[156] === 0x30 || header[156] === 0;
    if (!isPlain || textAt(header, 345, 500) !== '' || !/^[0-7]+$/.test(size)) throw new Error(`${name} is no plain file`);
    const end = at + BLOCK + Number.parseInt(size, 8);
    if (end > bytes.length) throw new Error(`the archive ends within ${name}`);
    files.push({ name, bytes: bytes.subarray(at + BLOCK, end) });
    at = end + ((BLOCK - (end % BLOCK)) % BLOCK);
  }
  throw new Error('the archive has no end');
}
