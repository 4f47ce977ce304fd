/** Brings rows, projects and edits back from tiers and crystals when the database is new: the logs they came from may be gone. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { rememberedEdits, type Crystal } from '../../distill/index.js';
import {
  addEdit,
  addPurged,
  badName,
  loadProjects,
  loadTiers,
  metaValue,
  restoreEntries,
  saveFolders,
  saveProjects,
  saveTiers,
  setMeta,
  setSessionProjects,
} from '../../store/index.js';
import type { PreparedEntry, Project } from '../../types.js';
import { lookAtFolder } from '../../projects/folder-project.js';
import { folderOf, readCrystal } from '../publishing/crystal-file.js';
import { foldUses } from './fold-uses.js';
import type { JobContext } from '../job.js';
import { sweepHome } from './sweep.js';
import { rowToEntry } from '../nightly/tier-file.js';
import { scanTier, type TierScan } from '../nightly/tier-stream.js';

export interface Recovered {
  projects: number;
  tiers: number;
  entries: number;
  edits: number;
}

/** Says in the database that tiers and crystals were looked at; a run that was killed before looks again. */
const RECOVERED = 'recovered';

/** False for a database that is new, or whose recovery was cut short. */
export async function isRecovered({ store }: Pick<JobContext, 'store'>): Promise<boolean> {
  return (await store.read((db) => metaValue(db, RECOVERED))) !== null;
}

/**
 * What must be true before the first job: no leftovers of killed runs, rows back from tiers when the database is new, and what
 * readers noted folded in.
 */
export async function prepareStore(context: JobContext): Promise<Recovered | null> {
  await sweepHome(context.paths);
  await context.store.settle();
  let recovered: Recovered | null = null;
  if (!(await isRecovered(context))) {
    recovered = await recoverHome(context);
    await context.store.write((db) => setMeta(db, RECOVERED, 'yes'));
  } else recovered = await recoverStrays(context);
  await foldUses(context);
  return recovered;
}

/** Entries, and characters of their texts, in one transaction. */
const TOGETHER = { rows: 2000, chars: 4 * 2 ** 20 };
const TIER_NAME = /^(\d{4}-\d\d-\d\d)-[0-9a-f]{8}\.jsonl\.gz$/;

/** May be run twice: ids are made from content, and edits and projects are stored once. */
async function recoverHome(context: JobContext): Promise<Recovered> {
  const total: Recovered = { projects: 0, tiers: 0, entries: 0, edits: 0 };
  if (existsSync(context.paths.purged))
    await context.store.write((db) => addPurged(db, readFileSync(context.paths.purged, 'utf8').split('\n').filter(Boolean)));
  total.edits += await recoverEdits(context, null, readCrystal(context.paths, null).crystal);
  for (const slug of slugsOf(context)) {
    const { crystal } = readCrystal(context.paths, { slug });
    const project = crystal === null ? null : await recoverProject(context, slug, crystal);
    if (project) total.projects++;
    total.edits += await recoverEdits(context, project, crystal);
    for (const file of tierFiles(folderOf(context.paths, { slug }))) {
      total.entries += await recoverTier(context, project, file);
      total.tiers++;
    }
  }
  if (total.tiers + total.edits + total.projects > 0)
    context.log.info({ ...total }, 'the database is new: rows and edits were brought back from tiers and crystals');
  return total;
}

/**
 * Rows of tiers that the database does not know: it is an older copy, or its last commits were lost, and the logs may be gone.
 * Nothing is read when every tier is known.
 */
async function recoverStrays(context: JobContext): Promise<Recovered | null> {
  const { projects, known } = await context.store.read(async (db) => ({
    projects: await loadProjects(db),
    known: new Set((await loadTiers(db)).map(({ path }) => path)),
  }));
  const total: Recovered = { projects: 0, tiers: 0, entries: 0, edits: 0 };
  for (const project of projects) {
    for (const file of tierFiles(folderOf(context.paths, project)).filter(({ path }) => !known.has(path))) {
      total.entries += await recoverTier(context, project, file);
      total.tiers++;
    }
  }
  if (total.tiers === 0) return null;
  context.log.info({ ...total }, 'rows were brought back from tiers that the database did not know');
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

/** The id that was fixed at first sight, and the slug that agents' files point to, stay. */
async function recoverProject(context: JobContext, slug: string, crystal: Crystal): Promise<Project | null> {
  if (crystal.project === null) return null;
  const { id, name, aliases } = crystal.project;
  const remote = typeof crystal.project['remote'] === 'string' ? crystal.project['remote'] : null;
  const project: Project = { id, slug, name, remote, folders: [], aliases };
  await context.store.write((db) => saveProjects(db, [project]));
  return project;
}

async function recoverEdits(context: JobContext, project: Project | null, crystal: Crystal | null): Promise<number> {
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
  const list = (at: string): string[] => (existsSync(at) && statSync(at).isDirectory() ? readdirSync(at).sort() : []);
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

async function recoverTier(context: JobContext, project: Project | null, file: TierFile): Promise<number> {
  const now = context.clock.now().toISOString();
  const cwds = new Map<string, number>();
  let first: PreparedEntry | null = null;
  let added = 0;
  let [waiting, chars]: [PreparedEntry[], number] = [[], 0];
  const commit = async (): Promise<void> => {
    const entries = waiting;
    [waiting, chars] = [[], 0];
    if (entries.length > 0) added += (await context.store.write((db) => restoreEntries(db, entries, now))).added;
  };
  const read = (await scanTier(file.path, async (row) => {
    const { cwd } = row;
    if (typeof cwd === 'string') cwds.set(cwd, (cwds.get(cwd) ?? 0) + 1);
    const entry = rowToEntry(row);
    if (entry === null) return;
    first ??= entry;
    waiting.push(entry);
    chars += entry.text.length;
    if (waiting.length >= TOGETHER.rows || chars >= TOGETHER.chars) await commit();
  }))!;
  await commit();
  if (read.damaged) {
    const bad = badName(file.path);
    await rename(file.path, bad);
    context.log.warn({ file: bad, rows: read.rows }, 'a tier could not be read in full; what could be read was taken');
  }
  if (first !== null && project) {
    await recoverFolders(context, project, cwds);
    await noteTier(context, project, first, file, read, now);
  }
  return added;
}

async function noteTier(
  { store }: JobContext,
  project: Project,
  { agent, session }: PreparedEntry,
  { path, day, state }: TierFile,
  { damaged, rows: entries, sha256 }: TierScan,
  now: string,
): Promise<void> {
  await store.write(async (db) => {
    await setSessionProjects(db, [{ agent, session, project: project.id }]);
    // lastN 0: the next night compares it with the database and finds it equal, or completes it.
    const tier = { project: project.id, agent, session, day, path, state, entries, lastN: 0, sha256, written: now };
    if (!damaged) await saveTiers(db, [tier]);
  });
}

/** A folder tells which project a log belongs to when that log is read again. */
async function recoverFolders(context: JobContext, project: Project, counts: ReadonlyMap<string, number>): Promise<void> {
  const [main] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  if (!main) return;
  const known = await context.store.read((db) => loadProjects(db));
  if (known.some((each) => each.folders.includes(main[0]))) return;
  await context.store.write((db) => saveFolders(db, [{ cwd: main[0], project: project.id, facts: lookAtFolder(main[0]) }]));
}
