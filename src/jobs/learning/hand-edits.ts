/**
 * Turns a person's changes in crystal.json into edits, before anything is learnt. The version that
 * was read is stored in the same transaction, so no other one is written over.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { join, relative } from 'node:path';
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

/** By project the version of its crystal.json that was read last. */
export async function takenVersions(db: Db): Promise<Map<string, string | null>> {
  const states = [...(await projectStates(db)).values()];
  return new Map(states.map(({ project, crystal }) => [project, crystal]));
}

/**
 * Size and times: no program sets the time of change, and a file that was only touched is read once
 * more. Null also for a path that leads nowhere; writing to it then throws.
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
 * Looks at every project's files; of those that changed since they were taken in, the edits are
 * stored, and their project is learnt again. An unreadable file is reported when its project is
 * learnt or written; the others count meanwhile.
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

/** Also where there is none: most projects have no crystal yet. */
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

/** A crystal.json that changed since it was read last, and its version at that time. */
interface Found {
  project: Project | null;
  path: string;
  edits: readonly (Edit & { place: string })[];
  /** What the file knows; its own changes count even if the database knows their edits. */
  remembered: readonly Edit[];
  version: string;
}

/**
 * Reads the changed files of these projects; cheap if none changed.
 * @param failed receives the error of a project's files; the others count
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
  // Words in the file may be masked by now, which makes another version.
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

/** True when a crystal has edits of a person that are not stored yet: it must not be written over. */
export function isUntaken(
  { path, edits, problems }: ReadCrystal,
  project: Pick<Project, 'id'> | null,
  taken: ReadonlyMap<string, string | null>,
): boolean {
  return edits.length + problems.length > 0 && versionOf(path) !== taken.get(project?.id ?? '');
}

/**
 * A person's words are masked in the file itself: everything that reads it finds no secret, and the
 * edit has the same hashes. What could not be read of it is kept beside it.
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
  // Single items that cannot be read are in no crystal; the file as it was is kept above.
  await publishFile(found.path, formatCrystal(withOwnWords(found.crystal!, masked)));
  return readVersion(context, project);
}

/**
 * Fields of facts are what rows prove: changed ones are put back as the database knows them. The
 * file as it was is kept beside it, and `status` names it.
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

/** The version is read first, so that a file that is saved in between counts as changed. */
function readVersion(
  context: Pick<JobContext, 'paths'>,
  project: Project | null,
): ReadCrystal & { version: string } {
  const version = versionOf(pathOf(context, project)) ?? '';
  return { ...readCrystal(context.paths, project), version };
}

/**
 * A file that is no crystal at all is replaced by a good one; one with single bad items is copied,
 * its good ones count.
 */
async function keepCrystalAside(context: JobContext, read: ReadCrystal): Promise<void> {
  const bad = await quarantine(read, read.crystal === null);
  context.log.warn(
    { file: bad, problems: read.problems.slice(0, 5) },
    'an edit of crystal.json could not be read; the file is kept',
  );
}
