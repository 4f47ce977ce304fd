/**
 * Turns a person's changes in crystal.json into edits before lessons are computed. The version that
 * was read is stored in the same transaction, so that no other version is overwritten.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import {
  type OwnWords,
  changedFields,
  formatCrystal,
  ownWords,
  rememberedEdits,
  withFields,
  withOwnWords,
} from '../../lessons/index.js';
import { projectFolder } from '../../config.js';
import { messageOf } from '../../errors.js';
import {
  addNewEdits,
  faultKind,
  loadLessons,
  loadProjects,
  projectStates,
  publishFile,
  saveProjectStates,
  type Db,
  markDirty,
} from '../../store/index.js';
import type { Edit, Project } from '../../types.js';
import { type ReadCrystal, isStale, readCrystal, quarantine } from '../publishing/crystal-file.js';
import { settleAuthors } from './edit-authors.js';
import type { JobContext } from '../job.js';
import { maskValue, redactorOf } from '../upkeep/mask.js';

/** The last read version of crystal.json, by project. */
export async function takenVersions(db: Db): Promise<Map<string, string | null>> {
  const states = [...(await projectStates(db)).values()];
  return new Map(states.map(({ project, crystal }) => [project, crystal]));
}

/**
 * Size and times, because no program sets the time of change. Null also for a path that leads
 * nowhere; a later write then throws.
 */
function versionOf(path: string): string | null {
  try {
    const { size, mtimeMs, ctimeMs } = statSync(path);
    return `${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    return null;
  }
}

/**
 * Stores the edits in changed files of all projects, and marks these projects for learning. An
 * unreadable file is reported when its project is learnt or written; the other files count.
 */
export async function takeAllHandEdits(context: JobContext): Promise<void> {
  const projects = [null, ...(await context.store.read((db) => loadProjects(db)))];
  const readable = projects.filter((project) => isReadable(pathOf(context, project)));
  await takeHandEdits(context, readable, (project, error) => {
    if (faultKind(error) !== 'not-writable') throw error;
    context.log.warn(
      { project: project?.slug ?? 'global', error: messageOf(error) },
      'edits by hand could not be taken in',
    );
  });
}

/** Also true without a file, because most projects have no crystal yet. */
function isReadable(path: string): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return true;
    accessSync(path, constants.R_OK);
    return stat.isFile();
  } catch {
    return false;
  }
}

function pathOf({ paths }: Pick<JobContext, 'paths'>, project: Project | null): string {
  return join(projectFolder(paths, project), 'crystal.json');
}

/** A changed crystal.json with its version at the time of reading. */
interface Found {
  project: Project | null;
  path: string;
  edits: readonly (Edit & { place: string })[];
  /** Edits in the file. They count even if the database has them. */
  remembered: readonly Edit[];
  version: string;
}

/**
 * Reads the changed files of these projects; fast if none changed.
 * @param failed receives the error of a project's files; the other files count
 */
export async function takeHandEdits(
  context: JobContext,
  projects: readonly (Project | null)[],
  failed: (project: Project | null, error: unknown) => void = (_, error) => {
    throw error;
  },
): Promise<void> {
  const taken = await context.store.read(takenVersions);
  const found: Found[] = [];
  for (const project of projects) {
    // Reading large files in one go would block the event loop.
    await setImmediate();
    try {
      const one = await findEdits(context, project, taken.get(project?.id ?? ''));
      if (one !== null) found.push(one);
    } catch (error) {
      failed(project, error);
    }
  }
  if (found.length === 0) return;
  const fresh = await context.store.write(async (db) => {
    let count = 0;
    for (const { project, path, edits, remembered: known } of found) {
      const remembered = await addNewEdits(db, project?.id ?? null, known);
      const own = await addNewEdits(db, project?.id ?? null, edits);
      if (remembered.length > 0)
        context.log.info(
          { file: path, edits: remembered.length },
          'edits that the database did not know were taken in',
        );
      // Global lessons are in every context.md.
      if (remembered.length + edits.length > 0)
        await markDirty(
          db,
          project === null ? (await loadProjects(db)).map(({ id }) => id) : [project.id],
        );
      count += own.length;
    }
    await saveProjectStates(
      db,
      found.map(({ project, version }) => ({ project: project?.id ?? '', crystal: version })),
    );
    return count;
  });
  if (fresh > 0) await settleAuthors(context);
}

async function findEdits(
  context: JobContext,
  project: Project | null,
  taken: string | null | undefined,
): Promise<Found | null> {
  const path = pathOf(context, project);
  const before = versionOf(path);
  if (before === null || before === taken) return null;
  // Masking may have written another version of the file.
  const { crystal, edits, version } = await readMasked(context, project);
  const place = relative(context.paths.home, path).replaceAll('\\', '/');
  return {
    project,
    path,
    edits: edits.map((edit) => ({ ...edit, place })),
    remembered: crystal === null ? [] : rememberedEdits(crystal),
    version,
  };
}

/** Whether a crystal has edits that are not stored yet, so that it must not be overwritten. */
export function isUntaken(
  { path, edits, problems }: ReadCrystal,
  project: Pick<Project, 'id'> | null,
  taken: ReadonlyMap<string, string | null>,
): boolean {
  return edits.length + problems.length > 0 && versionOf(path) !== taken.get(project?.id ?? '');
}

/**
 * Masks a person's words in the file itself, so that every reader gets the same text and hashes. A
 * copy keeps the parts that could not be read.
 */
async function readMasked(
  context: JobContext,
  project: Project | null,
): Promise<ReadCrystal & { version: string }> {
  const found = await withOwnFields(context, project, readVersion(context, project));
  const words = found.crystal === null ? null : ownWords(found.crystal);
  const masked = words === null ? null : (maskValue(words, await redactorOf(context)) as OwnWords);
  const isClean = masked === null || JSON.stringify(masked) === JSON.stringify(words);
  if (found.problems.length > 0) await keepCrystalAside(context, found);
  // If the file was saved again meanwhile, the next scan reads that version.
  if (isClean || isStale(found)) return found;
  // The crystal lacks items that could not be read; the copy above has them.
  await publishFile(found.path, formatCrystal(withOwnWords(found.crystal!, masked)));
  return readVersion(context, project);
}

/**
 * Restores changed fields of facts from the database, because rows prove them. The changed file is
 * kept as a copy, and `status` names it.
 */
async function withOwnFields(
  context: JobContext,
  project: Project | null,
  found: ReadCrystal & { version: string },
): Promise<ReadCrystal & { version: string }> {
  const changed = found.crystal === null ? [] : changedFields(found.crystal);
  if (changed.length === 0) return found;
  const problems = changed.map(
    ({ text }) =>
      `the fields of "${text}" were changed: they are what the logs prove, and put back`,
  );
  await keepCrystalAside(context, { ...found, problems });
  if (isStale(found)) return found;
  const lessons = await context.store.read((db) => loadLessons(db, { owner: project?.id ?? null }));
  const known = new Map(
    lessons.flatMap(({ id, fields }) => (fields === null ? [] : [[id, fields] as const])),
  );
  const put = new Map(
    changed.flatMap(({ id }) => (known.has(id ?? '') ? [[id!, known.get(id!)!] as const] : [])),
  );
  await publishFile(found.path, formatCrystal(withFields(found.crystal!, put)));
  return readVersion(context, project);
}

/** Reads the version first, so that a file that is saved in between counts as changed. */
function readVersion(
  context: Pick<JobContext, 'paths'>,
  project: Project | null,
): ReadCrystal & { version: string } {
  const version = versionOf(pathOf(context, project)) ?? '';
  return { ...readCrystal(context.paths, project), version };
}

/** Copies a file with bad items, so that its good items count; moves an unreadable file away. */
async function keepCrystalAside(context: JobContext, read: ReadCrystal): Promise<void> {
  const bad = await quarantine(read, read.crystal === null);
  context.log.warn(
    { file: bad, problems: read.problems.slice(0, 5) },
    'an edit of crystal.json could not be read; the file is kept',
  );
}
