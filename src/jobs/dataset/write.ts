/**
 * Writes the home's rows as a dataset of Parquet files. Each file is replaced by rename, so a
 * reader never sees half of one. The manifest is written after the files, so a killed run is
 * detected and repeated.
 */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { pathsOf } from '../../config.js';
import { AppError, EXIT } from '../../errors.js';
import { matchFolders } from '../../projects/globs.js';
import {
  DATASET_TABLES,
  accountNames,
  acquireLock,
  copyDatasetPart,
  datasetFacts,
  datasetLayout,
  faultKind,
  limitMemory,
  loadProjects,
  openStore,
  publishMade,
  purgedEntries,
  purgedInDataset,
  withDatasetMonth,
  withoutUsers,
  type DatasetColumn,
  type DatasetFacts,
  type Db,
  type Store,
} from '../../store/index.js';
import type { JobContext } from '../job.js';
import {
  interrupted,
  modeOf,
  notWritten,
  ownFiles,
  placeOf,
  removeFile,
  sweepTemps,
  textOf,
} from './folder.js';
import {
  aliasesOf,
  joinOptions,
  manifestOf,
  manifestPath,
  pathOf,
  planDataset,
  readManifest,
  reportOf,
  shapeOf,
  writerOf,
  type DatasetFile,
  type DatasetManifest,
  type DatasetOptions,
  type DatasetReport,
} from './plan.js';

type Context = Pick<JobContext, 'paths' | 'config' | 'clock' | 'redactKey' | 'signal' | 'userHome'>;

/**
 * Memory of the engine. The first amount keeps a laptop usable, and most homes need no more. The
 * engine packs texts in groups of 2,048, and a file holds that many together: a month of texts of
 * 64 KiB each failed with 768 and was written with 1,024.
 */
const MEMORY_MB = [256, 1024, 2048];

/**
 * @param folder absolute
 * @throws AppError exit 14 for a folder that cannot be written, 11 while another process writes a
 * dataset of this home
 */
export async function writeDataset(
  context: Context,
  folder: string,
  asked: DatasetOptions,
): Promise<DatasetReport> {
  const { paths, config, clock } = context;
  if (`${folder}${sep}`.startsWith(`${paths.home}${sep}`))
    throw new AppError('DATASET_IN_HOME', `${folder} lies in dripstone's own home`, {
      hint: 'name a folder beside it, for example ~/dripstone-dataset',
      exitCode: EXIT.usage,
    });
  const lock = await acquireLock({
    path: paths.datasetLock,
    clock,
    as: 'writer',
    waitMs: config.store.lock_wait_ms,
  });
  const named = pathsOf(paths.home).store;
  const store = openStore({
    path: paths.store,
    named,
    clock,
    lockWaitMs: config.store.lock_wait_ms,
    readOnly: true,
    threads: 1,
  });
  try {
    return await new Writing(context, folder, store).run(asked);
  } finally {
    await store.close();
    lock.release();
  }
}

/** What the home has for one file; `project` in the dataset's spelling. */
interface HomePart extends DatasetFacts {
  slug: string | null;
}

/** Everything that is known before the first file is written. */
interface Known {
  options: DatasetOptions;
  users: Map<string, string>;
  layout: Map<string, DatasetColumn[]>;
  excluded: string[];
  purged: number;
  parts: HomePart[];
  shape: string;
}

class Writing {
  private readonly writer: string;
  private readonly manifest: string;
  /** Mode of new folders: the same as the dataset's own. */
  private readonly mode: number;

  constructor(
    private readonly context: Context,
    private readonly folder: string,
    private readonly store: Store,
  ) {
    this.writer = writerOf(context.redactKey);
    this.mode = modeOf(folder);
    this.manifest = placeOf(folder, manifestPath(this.writer));
  }

  async run(asked: DatasetOptions): Promise<DatasetReport> {
    const { folder, writer } = this;
    const text = textOf(this.manifest);
    const before = text === null ? null : readManifest(text, this.manifest);
    const known = await this.read((db) => this.look(db, joinOptions(asked, before)));
    const plan = planDataset(known.parts, before, known.shape);
    const drop = [...new Set([...plan.drop, ...this.strays(before, known.parts)])];
    const files = new Map(plan.keep.map((file) => [file.path, file]));
    const pending = new Set([...drop, ...plan.write.map((part) => pathOf(part, this.writer))]);
    sweepTemps(folder, writer, before?.pending ?? []);
    if (pending.size > 0) await this.publish(known, files, pending);
    const counts = { added: 0, rewritten: 0, removed: 0, unchanged: plan.keep.length };
    for (const path of drop) counts.removed += removeFile(this.folder, path) ? 1 : 0;
    for (const unit of unitsOf(plan.write)) {
      if (this.context.signal.aborted) throw interrupted(this.folder);
      for (const { path, file, was } of await this.writeUnit(known, unit)) {
        if (file) files.set(path, file);
        pending.delete(path);
        counts[was]++;
      }
      await this.publish(known, files, pending);
    }
    if (
      plan.write.length + drop.length > 0 ||
      before?.complete !== true ||
      before.purged !== known.purged
    ) {
      await this.publish(known, files, null);
      if (known.purged > 0) await this.prove(files);
    }
    return reportOf(this.writer, known, before, [...files.values()], counts);
  }

  /** Reads everything that decides the files, in one snapshot. */
  private async look(db: Db, options: DatasetOptions): Promise<Known> {
    const { config, userHome, redactKey } = this.context;
    const layout = await datasetLayout(db);
    const users = options.users
      ? new Map<string, string>()
      : aliasesOf(redactKey, [...(await accountNames(db)), basename(userHome)]);
    const isExcluded = matchFolders(config.exclude, userHome);
    const excluded = (await loadProjects(db))
      .filter(({ folders }) => folders.some(isExcluded))
      .map(({ slug }) => slug);
    const parts: HomePart[] = [];
    for (const { name, month } of DATASET_TABLES) {
      const facts = await datasetFacts(db, name, layout.get(name)!);
      const written = facts.filter(
        ({ project }) => project === null || !excluded.includes(project),
      );
      parts.push(
        ...(written.length > 0 ? written : [emptyPart(name, month)]).map((each) =>
          named(each, users),
        ),
      );
    }
    return {
      ...{ options, users, layout, excluded, purged: await purgedEntries(db), parts },
      shape: shapeOf(options, layout, users),
    };
  }

  /** Repeats a read that ran out of memory with more. */
  private async read<T>(fn: (db: Db, isLarge: boolean) => Promise<T>, at = 0): Promise<T> {
    try {
      return await this.store.read(async (db) => {
        await limitMemory(db, MEMORY_MB[at]!);
        return fn(db, at > 0);
      });
    } catch (error) {
      if (faultKind(error) !== 'memory' || at === MEMORY_MB.length - 1) throw error;
      return this.read(fn, at + 1);
    }
  }

  /**
   * Writes the files of one month of a table from one snapshot, and counts their rows again in it.
   */
  private writeUnit(known: Known, unit: readonly HomePart[]): Promise<Written[]> {
    const { table, month } = unit[0]!;
    return this.read((db, isLarge) =>
      withDatasetMonth(db, table, month, async () => {
        const counted = await datasetFacts(db, table, known.layout.get(table)!, { month });
        const now = counted.map((facts) => named(facts, known.users));
        const written: Written[] = [];
        for (const { slug, ...facts } of unit) {
          const part =
            now.find((each) => each.slug === slug) ??
            (facts.rows === 0 ? { ...facts, slug } : undefined);
          const path = pathOf(facts, this.writer);
          if (part) written.push(await this.writePart(db, known, part, path, isLarge));
          else
            written.push({
              path,
              file: null,
              was: removeFile(this.folder, path) ? 'removed' : 'unchanged',
            });
        }
        return written;
      }),
    );
  }

  private async writePart(
    db: Db,
    { layout, options, users }: Known,
    { slug, ...facts }: HomePart,
    path: string,
    isLarge: boolean,
  ): Promise<Written> {
    const target = placeOf(this.folder, path);
    const isNew = !existsSync(target);
    const source = { ...facts, project: slug };
    const { written, bytes, sha256 } = await publishMade(target, this.mode, async (temp) => {
      const shape = { isWordless: !options.texts, users };
      const rows = await copyDatasetPart(db, source, temp, {
        columns: layout.get(facts.table)!,
        shape,
        isLarge,
      });
      if (rows !== facts.rows) throw new Error(`${path} has ${rows} rows instead of ${facts.rows}`);
    }).catch((error: unknown) => {
      throw notWritten(target, error);
    });
    return {
      path,
      file: { ...facts, path, bytes, sha256, missing: 0 },
      was: isNew ? 'added' : written ? 'rewritten' : 'unchanged',
    };
  }

  /** @param pending files still to be written or removed; null: none, the dataset is complete */
  private async publish(
    known: Known,
    files: ReadonlyMap<string, DatasetFile>,
    pending: ReadonlySet<string> | null,
  ): Promise<void> {
    const { options, shape, purged } = known;
    const facts = {
      writer: this.writer,
      options,
      shape,
      purged,
      complete: pending === null,
      pending: [...(pending ?? [])],
    };
    const text = `${JSON.stringify(manifestOf(facts, [...files.values()]), null, 1)}\n`;
    await publishMade(this.manifest, this.mode, (temp) =>
      writeFile(temp, text, { flag: 'wx', mode: 0o600 }),
    ).catch((error: unknown) => {
      throw notWritten(this.manifest, error);
    });
  }

  /**
   * Files of ours that no plan contains: what a killed run was about to write, or all of them when
   * the manifest is lost.
   */
  private strays(before: DatasetManifest | null, parts: readonly HomePart[]): string[] {
    const known = new Set(parts.map((part) => pathOf(part, this.writer)));
    return (before?.pending ?? ownFiles(this.folder, this.writer)).filter(
      (path) => !known.has(path) && existsSync(join(this.folder, path)),
    );
  }

  /** @throws AppError if a file still contains a purged entry */
  private async prove(files: ReadonlyMap<string, DatasetFile>): Promise<void> {
    const paths = [...files.values()]
      .filter(({ table }) => table === 'entries' || table === 'tool_calls')
      .map(({ path }) => path);
    const found = await this.read((db) =>
      purgedInDataset(
        db,
        paths.map((path) => join(this.folder, path)),
      ),
    );
    if (found > 0)
      throw new AppError('DATASET_HOLDS_PURGED', `${found} purged rows stand in ${this.folder}`, {
        hint: `run the command again; if it says so once more, delete ${this.manifest}: then everything is written again`,
      });
  }
}

interface Written {
  path: string;
  /** null: its rows have disappeared from the home since planning. */
  file: DatasetFile | null;
  was: 'added' | 'rewritten' | 'removed' | 'unchanged';
}

function named(facts: DatasetFacts, users: ReadonlyMap<string, string>): HomePart {
  return {
    ...facts,
    slug: facts.project,
    project: facts.project === null ? null : withoutUsers(facts.project, users),
  };
}

/** A table without rows gets a file too: engines reject a table without files. */
function emptyPart(table: string, time: string | null): DatasetFacts {
  const month = time === null ? 'all' : null;
  return { ...{ table, month, project: null, rows: 0, sum: '', oldest: null, newest: null } };
}

function unitsOf(parts: readonly HomePart[]): HomePart[][] {
  const units = new Map<string, HomePart[]>();
  for (const part of parts) {
    const key = JSON.stringify([part.table, part.month]);
    units.set(key, [...(units.get(key) ?? []), part]);
  }
  return [...units.values()];
}
