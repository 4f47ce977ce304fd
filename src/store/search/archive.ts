import { closeSync, existsSync, openSync, readSync, readdirSync, renameSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { messageOf } from '../../errors.js';
import { ENTRY_COLUMNS, entryFields } from '../../types.js';
import { publishFile } from '../publish.js';

/** Folder of the projects' files in the home. */
export function archiveRoot(home: string): string {
  return join(home, 'projects');
}

/**
 * Creates `projects/.empty/archive/0/empty.jsonl.gz`, since the view `archive_entries` reads a
 * glob, and a glob without a file is an error.
 */
export async function ensureEmptyTier(projects: string): Promise<void> {
  const folder = join(projects, '.empty', 'archive', '0');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await publishFile(join(folder, 'empty.jsonl.gz'), gzipSync(''));
}

/**
 * DuckDB's error for a file that does not begin as a gzip stream; an incomplete end causes no
 * error.
 */
function isNoGzip(error: unknown): boolean {
  return /not a GZIP stream/i.test(messageOf(error));
}

function beginsAsGzip(path: string): boolean {
  const head = Buffer.alloc(10);
  const file = openSync(path, 'r');
  try {
    return (
      readSync(file, head, 0, head.length, 0) === head.length && head.readUInt16BE(0) === 0x1f8b
    );
  } finally {
    closeSync(file);
  }
}

/** Names of quarantined files: `x.bad`, then `x.bad-2`; none is overwritten. */
export function badName(path: string): string {
  const taken = new Set(readdirSync(dirname(path)));
  const name = basename(path);
  let number = 1;
  while (taken.has(number === 1 ? `${name}.bad` : `${name}.bad-${number}`)) number++;
  return number === 1 ? `${path}.bad` : `${path}.bad-${number}`;
}

/** Quarantined files of a tier, oldest first. */
export function keptBad(path: string): string[] {
  const [folder, name] = [dirname(path), `${basename(path)}.bad`];
  const numberOf = (bad: string): number => Number(/-(\d+)$/.exec(bad)?.[1] ?? 1);
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter(
      (each) =>
        each === name || (each.startsWith(`${name}-`) && /^\d+$/.test(each.slice(name.length + 1))),
    )
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map((each) => join(folder, each));
}

/**
 * Renames a tier that does not begin as a gzip stream, since one such file makes the view
 * `archive_entries` fail. Skips a tier that is missing or cannot be read or renamed, so that the
 * others are still archived and searched.
 * @returns its new name
 */
function quarantineUnlessGzip(path: string): string | null {
  try {
    if (beginsAsGzip(path)) return null;
    const bad = badName(path);
    renameSync(path, bad);
    return bad;
  } catch {
    return null;
  }
}

function list(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map(({ name }) => join(folder, name));
}

/** Queries the archive; if a tier is not a gzip file, renames it and queries once more. */
export async function askArchive<T>(projects: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!isNoGzip(error)) throw error;
    const archives = list(projects)
      .map((folder) => join(folder, 'archive'))
      .filter((folder) => existsSync(folder));
    for (const week of archives.flatMap(list))
      for (const name of readdirSync(week))
        if (name.endsWith('.jsonl.gz')) quarantineUnlessGzip(join(week, name));
    return ask();
  }
}

/** Longest line of a tier that the view reads; longer ones are skipped. */
const LINE_BYTES = 64 * 2 ** 20;

/**
 * The select of `archive_entries`: reads the archive tiers straight from their files.
 *
 * @param projects folder of the projects' files; an empty tier below it keeps the glob from being
 * empty
 */
export function archiveView(projects: string): string {
  const folder = slashed(projects);
  const glob = quoted(`${asGlob(projects)}/*/archive/*/*.jsonl.gz`);
  const isHere = folder.includes('\\')
    ? `\n  WHERE starts_with(filename, ${quoted(`${folder}/`)})`
    : '';
  const columns = entryFields('entry', 'place', 'text').map(
    (name) => `"${name}": '${ENTRY_COLUMNS[name].type}'`,
  );
  const others: Record<string, string> = {
    rev: 'NULL::INTEGER AS rev',
    project: 'coalesce(s.slug, p.slug) AS project',
  };
  return `
  SELECT ${Object.keys(ENTRY_COLUMNS)
    .map((name) => others[name] ?? `t."${name}"`)
    .join(', ')}, t.filename AS tier
  FROM read_json(${glob}, format = 'newline_delimited', compression = 'gzip', ignore_errors = true, filename = true,
    maximum_object_size = ${LINE_BYTES}, columns = {${columns.join(', ')}}) t
  LEFT JOIN own.session_facts s ON s.agent = t.agent AND s.session = t.session
  LEFT JOIN own.folders f ON f.cwd = t.cwd LEFT JOIN own.projects p ON p.id = f.project${isHere}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function slashed(folder: string): string {
  return process.platform === 'win32' ? folder.replaceAll('\\', '/') : folder;
}

/**
 * Escapes a folder for DuckDB's globs: a special character becomes a set of one. A backslash cannot
 * be escaped; it becomes `?`, and the view compares the names that it finds.
 */
export function asGlob(folder: string): string {
  return slashed(folder).replace(/[[*?]/g, '[$&]').replaceAll('\\', '?');
}
