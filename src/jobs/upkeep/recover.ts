/**
 * Restores rows, projects and edits from tiers and crystals if the database is new, because their
 * logs may have been deleted.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '../../config.js';
import { rememberedEdits, type Crystal } from '../../lessons/index.js';
import {
  addEdit,
  addPurged,
  badName,
  hashOf,
  loadProjects,
  loadTiers,
  restoreEntries,
  saveFolders,
  saveProjects,
  saveTiers,
  setSessionProjects,
  type Db,
  type Tier,
} from '../../store/index.js';
import { sessionKey, type PreparedEntry, type Project } from '../../types.js';
import { lookAtFolder } from '../../projects/folder-project.js';
import { readCrystal } from '../publishing/crystal-file.js';
import type { JobContext } from '../job.js';
import { rowToEntry, tierRows } from '../nightly/tier-file.js';

export interface Recovered {
  projects: number;
  tiers: number;
  entries: number;
  edits: number;
}

/** Most entries, characters of text, and tiers in one transaction. */
const TOGETHER = { rows: 2000, chars: 4 * 2 ** 20, tiers: 500 };
const TIER_NAME = /^(\d{4}-\d\d-\d\d)-[0-9a-f]{8}\.jsonl\.gz$/;

/** May run twice, because ids depend on content only. */
export async function recoverHome(context: JobContext): Promise<Recovered> {
  const total: Recovered = { projects: 0, tiers: 0, entries: 0, edits: 0 };
  const found: FoundTier[] = [];
  if (existsSync(context.paths.purged))
    await context.store.write((db) =>
      addPurged(db, readFileSync(context.paths.purged, 'utf8').split('\n').filter(Boolean)),
    );
  total.edits += await recoverEdits(context, null, readCrystal(context.paths, null).crystal);
  for (const slug of slugsOf(context)) {
    const { crystal } = readCrystal(context.paths, { slug });
    const project = crystal === null ? null : await recoverProject(context, slug, crystal);
    if (project) total.projects++;
    total.edits += await recoverEdits(context, project, crystal);
    found.push(
      ...tierFiles(projectFolder(context.paths, { slug })).map((file) => ({ ...file, project })),
    );
  }
  total.tiers = found.length;
  total.entries = await recoverTiers(context, found);
  if (total.tiers + total.edits + total.projects > 0)
    context.log.info(
      { ...total },
      'the database is new: rows and edits were brought back from tiers and crystals',
    );
  return total;
}

/**
 * Restores rows of tiers that are missing in the database: it is an older copy or lost its last
 * commits, and the logs may be gone. Reads nothing if every tier is known.
 */
export async function recoverStrays(context: JobContext): Promise<Recovered | null> {
  const { projects, known } = await context.store.read(async (db) => ({
    projects: await loadProjects(db),
    known: new Set((await loadTiers(db)).map(({ path }) => path)),
  }));
  const found = projects.flatMap((project) =>
    tierFiles(projectFolder(context.paths, project)).flatMap((file) =>
      known.has(file.path) ? [] : [{ ...file, project }],
    ),
  );
  if (found.length === 0) return null;
  const total: Recovered = {
    projects: 0,
    tiers: found.length,
    entries: await recoverTiers(context, found),
    edits: 0,
  };
  context.log.info(
    { ...total },
    'rows were brought back from tiers that the database did not know',
  );
  return total;
}

function slugsOf({ paths }: JobContext): string[] {
  return existsSync(paths.projects)
    ? readdirSync(paths.projects, { withFileTypes: true })
        .filter((each) => each.isDirectory() && !each.name.startsWith('.'))
        .map((each) => each.name)
        .sort()
    : [];
}

/** Keeps the project's id from the crystal, and the slug to which agents' files point. */
async function recoverProject(
  context: JobContext,
  slug: string,
  crystal: Crystal,
): Promise<Project | null> {
  if (crystal.project === null) return null;
  const { id, name, aliases } = crystal.project;
  const remote = typeof crystal.project['remote'] === 'string' ? crystal.project['remote'] : null;
  const project: Project = { id, slug, name, remote, folders: [], aliases };
  await context.store.write((db) => saveProjects(db, [project]));
  return project;
}

async function recoverEdits(
  context: JobContext,
  project: Project | null,
  crystal: Crystal | null,
): Promise<number> {
  const edits = crystal === null ? [] : rememberedEdits(crystal);
  await context.store.write(async (db) => {
    for (const edit of edits) await addEdit(db, project?.id ?? null, edit);
  });
  return edits.length;
}

interface TierFile {
  path: string;
  day: string;
  state: 'recent' | 'archive';
}

function tierFiles(folder: string): TierFile[] {
  const list = (at: string): string[] =>
    existsSync(at) && statSync(at).isDirectory() ? readdirSync(at).sort() : [];
  const recent = list(join(folder, 'recent')).map((name) => ({
    path: join(folder, 'recent', name),
    name,
    state: 'recent' as const,
  }));
  const archive = list(join(folder, 'archive')).flatMap((week) =>
    list(join(folder, 'archive', week)).map((name) => ({
      path: join(folder, 'archive', week, name),
      name,
      state: 'archive' as const,
    })),
  );
  return [...recent, ...archive].flatMap(({ path, name, state }) => {
    const day = TIER_NAME.exec(name)?.[1];
    return day === undefined ? [] : [{ path, day, state }];
  });
}

/** Without a project only rows are restored. */
type FoundTier = TierFile & { project: Project | null };

/** Rows of tiers, and related data, for one commit. */
interface Waiting {
  entries: PreparedEntry[];
  chars: number;
  tiers: Tier[];
  folders: { cwd: string; project: string }[];
}

/**
 * Restores many tiers per commit, because DuckDB replays all commits each time it opens the file.
 * @returns number of new entries
 */
export async function recoverTiers(
  context: JobContext,
  found: readonly FoundTier[],
): Promise<number> {
  const { store, clock, signal } = context;
  const now = clock.now().toISOString();
  const folders = new Set(
    (await store.read((db) => loadProjects(db))).flatMap((project) => project.folders),
  );
  let waiting: Waiting = { entries: [], chars: 0, tiers: [], folders: [] };
  let added = 0;
  const commit = async (): Promise<void> => {
    const group = waiting;
    waiting = { entries: [], chars: 0, tiers: [], folders: [] };
    added += await store.write((db) => restoreTiers(db, group, now));
  };
  for (const [done, { project, path, day, state }] of found.entries()) {
    signal.throwIfAborted();
    context.progress({ job: 'ingest', done, total: found.length, unit: 'tiers' });
    const cwds = new Map<string, number>();
    let first: PreparedEntry | null = null;
    let entries = 0;
    for await (const entry of entriesOf(context, path)) {
      first ??= entry;
      entries++;
      if (entry.cwd !== null) cwds.set(entry.cwd, (cwds.get(entry.cwd) ?? 0) + 1);
      waiting.entries.push(entry);
      waiting.chars += entry.text.length;
      if (waiting.entries.length >= TOGETHER.rows || waiting.chars >= TOGETHER.chars)
        await commit();
    }
    if (first === null || project === null) continue;
    const [main] = [...cwds].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    if (main !== undefined && !folders.has(main[0])) {
      folders.add(main[0]);
      waiting.folders.push({ cwd: main[0], project: project.id });
    }
    waiting.tiers.push({
      project: project.id,
      agent: first.agent,
      session: first.session,
      ...{ day, path, state, entries },
      // The next night writes the tier again, with the same or more rows.
      content: null,
      sha256: (await hashOf(path)) ?? '',
      written: now,
    });
    if (waiting.tiers.length >= TOGETHER.tiers) await commit();
  }
  await commit();
  return added;
}

/** Entries of a tier; a tier that cannot be read completely is kept as `.bad`. */
async function* entriesOf({ log }: JobContext, path: string): AsyncGenerator<PreparedEntry> {
  const found = { damaged: false };
  let rows = 0;
  for await (const row of tierRows(path, found)) {
    rows++;
    const entry = rowToEntry(row);
    if (entry !== null) yield entry;
  }
  if (!found.damaged) return;
  const bad = badName(path);
  await rename(path, bad);
  log.warn({ file: bad, rows }, 'a tier could not be read in full; what could be read was taken');
}

/** Keeps the last of several items with the same key. */
function lastBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}

async function restoreTiers(
  db: Db,
  { entries, tiers, folders }: Waiting,
  now: string,
): Promise<number> {
  const { added } = entries.length === 0 ? { added: 0 } : await restoreEntries(db, entries, now);
  const sessions = lastBy(tiers, ({ agent, session }) => sessionKey(agent, session));
  if (sessions.length > 0) await setSessionProjects(db, sessions);
  const whole = lastBy(
    tiers.filter(({ sha256 }) => sha256 !== ''),
    ({ agent, session, day }) => `${sessionKey(agent, session)}\0${day}`,
  );
  if (whole.length > 0) await saveTiers(db, whole);
  // A folder shows which project a log belongs to when the log is read again.
  await saveFolders(
    db,
    folders.map(({ cwd, project }) => ({ cwd, project, facts: lookAtFolder(cwd) })),
  );
  return added;
}
