/** Takes another machine's export in: crystals are joined by the ids of their lessons, nothing is overwritten, twice is once. */
import { existsSync, readFileSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { loadConfig } from '../config.js';
import { AppError } from '../errors.js';
import { adoptCrystal, formatCrystal, joinCrystals, parseCrystal, rememberedEdits, type Crystal } from '../distill/index.js';
import { addNewEdits, addPurged, loadProjects, loadPurged, publishFile, saveProjects } from '../store/index.js';
import type { Project } from '../types.js';
import { publishProject } from './context.js';
import { takeCrystalEdits } from './crystal-edits.js';
import { folderOf, readCrystal } from './crystal-file.js';
import { newer, unpackHome, type Exported } from './exported.js';
import type { JobContext } from './job.js';
import { learnAll } from './learn.js';
import { maskValue, redactorOf, type Redact } from './mask.js';
import { normaliseRemote, remoteKey } from '../watchers/remote.js';
import { writeCrystal } from './write-crystal.js';

export interface ImportReport {
  projects: number;
  /** Lessons that were not known here before, live and past. */
  lessons: number;
  edits: number;
  /** Lines added to notes.md files. */
  notes: number;
  config: 'taken' | 'same' | 'kept' | 'refused' | 'none';
}

interface Incoming {
  /** null: the person's own. */
  slug: string | null;
  crystal: Crystal;
}

/** @throws AppError before anything is written: exit 1 for what is no export, 13 for a newer one */
export const importHome = async (context: JobContext, file: string): Promise<ImportReport> => {
  const found = unpackHome(file, readFileSync(file));
  const redact = await redactorOf(context);
  const incoming = await Promise.all([...found].filter(([name]) => name.endsWith('crystal.json')).map(([name, text]) => readIncoming(file, name, text, redact)));
  const report: ImportReport = { projects: 0, lessons: 0, edits: 0, notes: 0, config: 'none' };
  for (const each of incoming) {
    const project = await settleProject(context, each);
    const crystal = project === null ? each.crystal : adoptCrystal(each.crystal, project);
    await takeCrystalEdits(context, project);
    report.lessons += await joinCrystal(context, project, crystal);
    report.edits += (await context.store.write((db) => addNewEdits(db, project?.id ?? null, rememberedEdits(crystal)))).length;
    if (project) report.projects++;
    report.notes += await joinNotes(context, project, found.get(each.slug === null ? 'global/notes.md' : `projects/${each.slug}/notes.md`), redact);
  }
  report.config = await takeConfig(context, found);
  await takePurged(context, found);
  const projects = await context.store.read((db) => loadProjects(db));
  await learnAll(context, projects, projects);
  for (const project of [null, ...projects]) {
    await writeCrystal(context, project);
    await publishProject(context, project);
  }
  return report;
};

const readIncoming = async (file: string, name: string, text: string, redact: Redact): Promise<Incoming> => {
  const version = versionOf(text);
  if (version !== null && version > 1) throw newer(`${name} in ${file}`, version);
  const clean = parseCrystal(text).crystal === null ? text : JSON.stringify(await maskValue(JSON.parse(text.replace(/^\uFEFF/, '')), redact));
  const { crystal, problems } = parseCrystal(clean);
  const isGlobal = name === 'global/crystal.json';
  if (crystal === null || problems.length > 0 || (crystal.project === null) !== isGlobal) {
    throw new AppError('NOT_AN_EXPORT', `${name} in ${file} cannot be read: ${problems[0] ?? 'it names the wrong project'}`, { hint: 'nothing was imported; make the export anew' });
  }
  return { slug: isGlobal ? null : name.split('/')[1]!, crystal };
};

const versionOf = (text: string): number | null => {
  try {
    const { version } = JSON.parse(text) as { version?: unknown };
    return typeof version === 'number' ? version : null;
  } catch {
    return null;
  }
};

/** The project of that id or remote as it is known here; a new one keeps the name of its folder. */
const settleProject = async ({ store }: JobContext, { slug, crystal }: Incoming): Promise<Project | null> => {
  if (slug === null || crystal.project === null) return null;
  const { id, name, aliases } = crystal.project;
  const known = await store.read((db) => loadProjects(db));
  const remote = crystal.project.remote === undefined ? null : normaliseRemote(crystal.project.remote);
  const isSame = (other: string | null): boolean => remote !== null && other !== null && remoteKey(other) === remoteKey(remote);
  const here = known.find((project) => project.id === id) ?? known.find((project) => isSame(project.remote) || project.aliases.some(isSame));
  const free = known.some((project) => project.slug === slug) ? `${slug}-${id.slice(0, 6).replace(/[^\w-]/g, '')}` : slug;
  const project: Project = here ?? { id, slug: free, name: name || slug, remote, folders: [], aliases };
  await store.write((db) => saveProjects(db, [{ ...project, aliases: aliases.filter((alias) => alias !== project.name) }]));
  return project;
};

/** @returns lessons that were new */
const joinCrystal = async ({ paths }: JobContext, project: Project | null, there: Crystal): Promise<number> => {
  const { crystal: here, path } = readCrystal(paths, project);
  const idsOf = (crystal: Crystal | null): string[] => (crystal === null ? [] : [...crystal.lessons, ...crystal.history].flatMap(({ id }) => id ?? []));
  const before = new Set(idsOf(here));
  const joined = joinCrystals(here, there);
  await publishFile(path, formatCrystal(joined));
  return idsOf(joined).filter((id) => !before.has(id)).length;
};

/** Lines that these notes do not have yet are added at their end. */
const joinNotes = async ({ paths }: JobContext, project: Project | null, theirs: string | undefined, redact: Redact): Promise<number> => {
  if (theirs === undefined) return 0;
  const path = join(folderOf(paths, project), 'notes.md');
  const ours = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const lines = await redact(theirs.split('\n'));
  if (ours === '') {
    await publishFile(path, lines.join('\n'));
    return lines.filter((line) => line.trim() !== '' && !line.startsWith('> ')).length;
  }
  const known = new Set(ours.split('\n').map((line) => line.trim()));
  const fresh = lines.filter((line) => line.trim() !== '' && !known.has(line.trim()) && !/^> (?:Summary|Keywords):/.test(line));
  if (fresh.length > 0) await publishFile(path, `${ours.trimEnd()}\n\n${fresh.join('\n')}\n`);
  return fresh.length;
};

/** A config that is here is never touched. */
const takeConfig = async ({ paths }: JobContext, found: Exported): Promise<ImportReport['config']> => {
  const theirs = found.get(basename(paths.config));
  if (theirs === undefined) return 'none';
  if (!existsSync(paths.config)) {
    await publishFile(paths.config, theirs);
    try {
      loadConfig(paths.config);
      return 'taken';
    } catch {
      await unlink(paths.config);
      return 'refused';
    }
  }
  return readFileSync(paths.config, 'utf8') === theirs ? 'same' : 'kept';
};

const takePurged = async ({ store, paths }: JobContext, found: Exported): Promise<void> => {
  const marks = (found.get(basename(paths.purged)) ?? '').split('\n').filter((mark) => /^[\w:]{16,80}$/.test(mark));
  if (marks.length === 0) return;
  await store.write((db) => addPurged(db, marks));
  await publishFile(paths.purged, (await store.read((db) => loadPurged(db))).map((mark) => `${mark}\n`).join(''));
};
