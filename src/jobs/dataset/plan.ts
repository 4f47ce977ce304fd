/** Compares a dataset with the home and plans what to write. Pure. */
import { createHash, createHmac } from 'node:crypto';
import { basename } from 'node:path';
import { AppError, EXIT } from '../../errors.js';
import type { DatasetColumn, DatasetFacts, DatasetPart } from '../../store/index.js';

/** Version of the manifest and of the way rows are written. */
const VERSION = 1;

export interface DatasetOptions {
  /** False: texts of people, agents and tools are left out. */
  texts: boolean;
  /** False: names of accounts become keyed hashes. */
  users: boolean;
}

/** A file of a dataset, as in its manifest. */
export interface DatasetFile extends DatasetFacts {
  /** Below the dataset's folder, with `/`. */
  path: string;
  bytes: number;
  sha256: string;
  /** Rows without a text although the message has one: the database lacks it. */
  missing: number;
}

/** What one writer has in a dataset; written last and atomically. */
export interface DatasetManifest {
  version: number;
  writer: string;
  options: DatasetOptions;
  /** Hash of everything except the rows that decides what files look like. */
  shape: string;
  /** False while files are being written, and after a run that was killed. */
  complete: boolean;
  /** Entries that were ever purged in the home. */
  purged: number;
  /** Rows and bytes by table. */
  tables: Record<string, { files: number; rows: number; bytes: number }>;
  files: DatasetFile[];
  /**
   * Files that may be newer than the manifest says, or that will be removed; only while it is not
   * complete.
   */
  pending: string[];
}

/** The id of a home in datasets: different for each home, and nobody can derive the key from it. */
export function writerOf(key: string): string {
  return `w${createHmac('sha256', key).update('dataset').digest('hex').slice(0, 12)}`;
}

/** The alias of each account name; the same in everything that this home writes. */
export function aliasesOf(key: string, names: readonly string[]): Map<string, string> {
  // Longest first: `anna` must not become the alias of `ann` and an `a`.
  const sorted = [...new Set(names.map((name) => name.toLowerCase()))].sort(
    (a, b) => b.length - a.length || (a < b ? -1 : 1),
  );
  return new Map(
    sorted
      .filter((name) => !NOBODY.has(name))
      .map((name) => [
        name,
        `u-${createHmac('sha256', key).update(name).digest('hex').slice(0, 8)}`,
      ]),
  );
}

/** Names of accounts that identify nobody, and ordinary words. */
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

/** The path of a file below the dataset, in Hive's layout, which every engine reads. */
export function pathOf({ table, month, project }: DatasetPart, writer: string): string {
  return [
    `table=${table}`,
    `month=${month ?? NO_VALUE}`,
    `project=${project ?? NO_VALUE}`,
    `writer=${writer}`,
    'part-0.parquet',
  ].join('/');
}
/** How Hive writes NULL in a path. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__';

export function manifestPath(writer: string): string {
  return `_manifests/${writer}.json`;
}

/**
 * Options of a run: what was once left out stays out, because a nightly run without the option
 * would publish it.
 */
export function joinOptions(asked: DatasetOptions, before: DatasetManifest | null): DatasetOptions {
  return {
    texts: asked.texts && (before?.options.texts ?? true),
    users: asked.users && (before?.options.users ?? true),
  };
}

/** @throws AppError for a manifest that this program cannot continue */
export function readManifest(text: string, path: string): DatasetManifest {
  let read: Partial<DatasetManifest> | null = null;
  try {
    read = JSON.parse(text) as DatasetManifest;
  } catch {
    // Reported below.
  }
  if (typeof read?.version === 'number' && read.version > VERSION)
    throw new AppError(
      'DATASET_NEWER',
      `${path} has version ${read.version}; this program knows ${VERSION}`,
      { hint: 'update dripstone; nothing was written', exitCode: EXIT.config },
    );
  if (read?.version !== VERSION || !isOwn(read, basename(path, '.json')))
    throw new AppError('DATASET_UNREADABLE', `${path} is no manifest of a dataset`, {
      hint: 'delete it and run the command again: everything is written again; options such as --no-texts have to be typed again',
    });
  return read as DatasetManifest;
}

/**
 * Whether all files belong to this writer. Files in a manifest get removed, others may write to a
 * shared folder, and no path may lead out of this writer's own files.
 */
function isOwn({ files, pending }: Partial<DatasetManifest>, writer: string): boolean {
  const own = new RegExp(
    `^table=[^/\\\\]+/month=[^/\\\\]+/project=[^/\\\\]+/writer=${writer}/part-\\d+\\.parquet$`,
  );
  const isPath = (path: unknown): boolean => typeof path === 'string' && own.test(path);
  return (
    Array.isArray(files) &&
    Array.isArray(pending) &&
    [...files.map((file) => file?.path), ...pending].every(isPath)
  );
}

interface DatasetPlan<P extends DatasetFacts> {
  /** Files whose rows changed, or that are missing. */
  write: P[];
  /** Files that stay unchanged. */
  keep: DatasetFile[];
  /** Files whose rows are all gone from the home. */
  drop: string[];
}

/** @param before absent: nothing is known about the folder */
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
    return file.sum === facts.sum && file.rows === facts.rows && file.missing === 0;
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

/** Makes the manifest of these files. */
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
  return {
    version: VERSION,
    writer,
    options,
    shape,
    complete,
    purged,
    tables,
    files: sorted,
    pending,
  };
}

/** What a run did to a dataset. */
export interface DatasetReport {
  writer: string;
  options: DatasetOptions;
  tables: DatasetManifest['tables'];
  /** Files that are new, changed, gone, and unchanged. */
  files: { added: number; rewritten: number; removed: number; unchanged: number };
  /** Entries that were purged in the home since the last run; no file contains them any more. */
  purged: number;
  /** Rows without their text: the database lacks it. */
  missing: number;
  /** Projects that `exclude` names: rows from before the exclusion are not written. */
  excluded: string[];
  /** Times of the oldest and newest row; null without rows. */
  oldest: string | null;
  newest: string | null;
}

/** Converts a time of the database (`2026-11-02 08:12:40.04`) to the form of answers. */
function isoTime(time: string | undefined): string | null {
  return time === undefined ? null : new Date(`${time.replace(' ', 'T')}Z`).toISOString();
}

/** @param before the manifest before the run */
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
    tables: manifestOf({ writer, options, shape: '', purged, complete: true, pending: [] }, files)
      .tables,
    purged: before === null ? 0 : Math.max(0, purged - before.purged),
    missing: files.reduce(
      (sum, { table, missing }) => sum + (table === 'entries' ? missing : 0),
      0,
    ),
    oldest: isoTime(sorted(({ oldest }) => oldest)[0]),
    newest: isoTime(sorted(({ newest }) => newest).at(-1)),
  };
}
