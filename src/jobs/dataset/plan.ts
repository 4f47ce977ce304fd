/** What a dataset has, what the home has, and what follows from both. Pure. */
import { createHash, createHmac } from 'node:crypto';
import { basename } from 'node:path';
import { AppError, EXIT } from '../../errors.js';
import type { DatasetColumn, DatasetFacts, DatasetPart } from '../../store/index.js';

/** Version of the manifest and of the way rows are written. */
const VERSION = 1;

export interface DatasetOptions {
  /** False: what people, agents and tools wrote is left out. */
  texts: boolean;
  /** False: names of accounts are replaced by keyed hashes. */
  users: boolean;
}

/** A file of a dataset, as its manifest tells it. */
export interface DatasetFile extends DatasetFacts {
  /** Below the dataset's folder, with `/`. */
  path: string;
  bytes: number;
  sha256: string;
  /** Rows without a text, although the message has one: the database lacks it. */
  missing: number;
}

/** What one writer has in a dataset; written last, whole or not at all. */
export interface DatasetManifest {
  version: number;
  writer: string;
  options: DatasetOptions;
  /** Hash of everything besides the rows that decides what files look like. */
  shape: string;
  /** False while files are being written, and after a run that was killed. */
  complete: boolean;
  /** Entries that were ever purged in the home. */
  purged: number;
  /** Rows and bytes by table. */
  tables: Record<string, { files: number; rows: number; bytes: number }>;
  files: DatasetFile[];
  /** Files that may be newer than told here, or that are to go: only while it is not complete. */
  pending: string[];
}

/** An id of the home in datasets: nobody can guess the key from it, and two homes differ. */
export function writerOf(key: string): string {
  return `w${createHmac('sha256', key).update('dataset').digest('hex').slice(0, 12)}`;
}

/** What stands for each account's name; equal in everything that this home writes. */
export function aliasesOf(key: string, names: readonly string[]): Map<string, string> {
  // Longest first: `anna` must not become the alias of `ann` and an `a`.
  const sorted = [...new Set(names.map((name) => name.toLowerCase()))].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return new Map(
    sorted
      .filter((name) => !NOBODY.has(name))
      .map((name) => [name, `u-${createHmac('sha256', key).update(name).digest('hex').slice(0, 8)}`]),
  );
}

/** Accounts that tell of nobody, and words of every text. */
const NOBODY = new Set(
  (
    'root user users home admin administrator guest public shared default ubuntu debian ec2-user vagrant runner node app dev ' +
    'test build git jenkins circleci vscode codespace coder gitpod work'
  ).split(' '),
);

export function shapeOf(
  options: DatasetOptions,
  layout: ReadonlyMap<string, readonly DatasetColumn[]>,
  users: ReadonlyMap<string, string>,
): string {
  return createHash('sha256')
    .update(JSON.stringify([VERSION, options, [...layout], [...users]]))
    .digest('hex');
}

/** Where a file lies below the dataset: Hive's way, which every engine reads. */
export function pathOf({ table, month, project }: DatasetPart, writer: string): string {
  return [
    `table=${table}`,
    `month=${month ?? NO_VALUE}`,
    `project=${project ?? NO_VALUE}`,
    `writer=${writer}`,
    'part-0.parquet',
  ].join('/');
}
/** How Hive writes NULL into a path. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

export function manifestPath(writer: string): string {
  return `_manifests/${writer}.json`;
}

/** Options of a run: what was once left out stays out, or a nightly run without the option would publish it. */
export function joinOptions(asked: DatasetOptions, before: DatasetManifest | null): DatasetOptions {
  return { texts: asked.texts && (before?.options.texts ?? true), users: asked.users && (before?.options.users ?? true) };
}

/** @throws AppError for a manifest that is no longer ours to change */
export function readManifest(text: string, path: string): DatasetManifest {
  let read: Partial<DatasetManifest> | null = null;
  try {
    read = JSON.parse(text) as DatasetManifest;
  } catch {
    // Told below.
  }
  if (typeof read?.version === 'number' && read.version > VERSION)
    throw new AppError('DATASET_NEWER', `${path} has version ${read.version}; this program knows ${VERSION}`, {
      hint: 'update dripstone; nothing was written',
      exitCode: EXIT.config,
    });
  if (read?.version !== VERSION || !isOwn(read, basename(path, '.json')))
    throw new AppError('DATASET_UNREADABLE', `${path} is no manifest of a dataset`, {
      hint: 'delete it and run the command again: everything is written anew; options such as --no-texts have to be typed again',
    });
  return read as DatasetManifest;
}

/** Files that it names are removed: others may write into a shared folder, and no path may lead out of this writer's own. */
function isOwn({ files, pending }: Partial<DatasetManifest>, writer: string): boolean {
  const own = new RegExp(`^table=[^/\\\\]+/month=[^/\\\\]+/project=[^/\\\\]+/writer=${writer}/part-\\d+\\.parquet$`);
  const isPath = (path: unknown): boolean => typeof path === 'string' && own.test(path);
  return Array.isArray(files) && Array.isArray(pending) && [...files.map((file) => file?.path), ...pending].every(isPath);
}

interface DatasetPlan<P extends DatasetFacts> {
  /** Files whose rows changed, or that are not there. */
  write: P[];
  /** Files that stay as they are. */
  keep: DatasetFile[];
  /** Files whose rows are all gone from the home. */
  drop: string[];
}

/** @param before absent: nothing is known of what lies there */
export function planDataset<P extends DatasetFacts>(
  home: readonly P[],
  before: DatasetManifest | null,
  shape: string,
): DatasetPlan<P> {
  const had = new Map((before?.files ?? []).map((file) => [keyOf(file), file]));
  const unsure = new Set(before?.pending ?? []);
  const isSame = (facts: DatasetFacts): boolean => {
    const file = had.get(keyOf(facts));
    if (before?.shape !== shape || file === undefined || unsure.has(file.path)) return false;
    return file.sum === facts.sum && file.rows === facts.rows && (file.missing === 0 || file.left === facts.left);
  };
  const there = new Set(home.map(keyOf));
  return {
    write: home.filter((facts) => !isSame(facts)),
    keep: home.filter(isSame).map((facts) => had.get(keyOf(facts))!),
    drop: (before?.files ?? []).filter((file) => !there.has(keyOf(file))).map(({ path }) => path),
  };
}

function keyOf({ table, month, project }: DatasetPart): string {
  return JSON.stringify([table, month, project]);
}

/** The manifest of these files. */
export function manifestOf(
  facts: Pick<DatasetManifest, 'writer' | 'options' | 'shape' | 'purged' | 'complete' | 'pending'>,
  files: readonly DatasetFile[],
): DatasetManifest {
  const tables: DatasetManifest['tables'] = {};
  for (const { table, rows, bytes } of files) {
    const sum = (tables[table] ??= { files: 0, rows: 0, bytes: 0 });
    sum.files++;
    sum.rows += rows;
    sum.bytes += bytes;
  }
  const { writer, options, shape, complete, purged, pending } = facts;
  const sorted = [...files].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { version: VERSION, writer, options, shape, complete, purged, tables, files: sorted, pending };
}

/** What a run did to a dataset. */
export interface DatasetReport {
  writer: string;
  options: DatasetOptions;
  tables: DatasetManifest['tables'];
  /** Files that are new, changed, gone, and as they were. */
  files: { added: number; rewritten: number; removed: number; unchanged: number };
  /** Entries that were purged in the home since the last run; they are in no file any more. */
  purged: number;
  /** Rows without their text: the database lacks it. */
  missing: number;
  /** Projects that `exclude` names: what was read of them before is not written. */
  excluded: string[];
  /** Time of the oldest and of the newest row; null without any. */
  oldest: string | null;
  newest: string | null;
}

/** A time as the database writes it (`2026-11-02 08:12:40.04`), as answers have it. */
function isoTime(time: string | undefined): string | null {
  return time === undefined ? null : new Date(`${time.replace(' ', 'T')}Z`).toISOString();
}

/** @param before the manifest that was found */
export function reportOf(
  writer: string,
  { options, excluded, purged }: Pick<DatasetReport, 'options' | 'excluded' | 'purged'>,
  before: DatasetManifest | null,
  files: readonly DatasetFile[],
  counts: DatasetReport['files'],
): DatasetReport {
  const times = files.filter(({ table }) => table === 'entries');
  const sorted = (pick: (file: DatasetFile) => string | null) =>
    times
      .map(pick)
      .filter((time) => time !== null)
      .sort();
  return {
    ...{ writer, options, excluded, files: counts },
    tables: manifestOf({ writer, options, shape: '', purged, complete: true, pending: [] }, files).tables,
    purged: before === null ? 0 : Math.max(0, purged - before.purged),
    missing: files.reduce((sum, { table, missing }) => sum + (table === 'entries' ? missing : 0), 0),
    oldest: isoTime(sorted(({ oldest }) => oldest)[0]),
    newest: isoTime(sorted(({ newest }) => newest).at(-1)),
  };
}
