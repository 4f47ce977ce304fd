/**
 * What a person changed in crystal.json and detail/*.md becomes edits, before anything is learnt.
 * Which version of each file was taken in last is kept with the edits, in one transaction:
 * publishing writes over no other version that holds a person's words.
 */
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { DETAIL_FILES, parseDetail, type DetailFile } from '../../context/index.js';
import {
  type OwnWords,
  changedFields,
  formatCrystal,
  ownWords,
  planDetailEdits,
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
  publishFile,
  setMetas,
} from '../../store/index.js';
import type { Edit, Project } from '../../types.js';
import {
  type ReadCrystal,
  badWith,
  copyBad,
  isStale,
  readCrystal,
  quarantine,
} from '../publishing/crystal-file.js';
import { settleAuthors } from './edit-authors.js';
import type { JobContext } from '../job.js';
import {
  CRYSTAL,
  DETAILS,
  takenKey,
  takenVersions,
  versionOf,
  versionsIn,
  type Versions,
} from './file-versions.js';
import { maskValue, redactorOf } from '../upkeep/mask.js';
import { markDirty } from './dirty-projects.js';

/**
 * Looks at every project's files; of those that changed since they were taken in, the edits are
 * stored, and their project is learnt again. What cannot be read is named when its project is
 * learnt or its files are written; the others count meanwhile.
 */
export async function takeAllHandEdits(context: JobContext): Promise<void> {
  const projects = [null, ...(await context.store.read((db) => loadProjects(db)))];
  const readable = projects.filter((project) =>
    isReadable(join(projectFolder(context.paths, project), CRYSTAL)),
  );
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

/** What the changed files of a project say, and their versions when they said it. */
interface Found {
  project: Project | null;
  edits: readonly (Edit & { place: string })[];
  /**
   * What the crystal knows, with its path; its own changes count even if the database knows their
   * edits.
   */
  crystal: { path: string; remembered: readonly Edit[]; isEdited: boolean } | null;
  versions: Versions;
}

/**
 * Takes in what changed in the files of these projects; cheap when nothing did.
 * @param failed takes what the files of one threw; the others count
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
      const one = await findEdits(context, project, taken(project));
      if (one !== null) found.push(one);
    } catch (error) {
      failed(project, error);
    }
  }
  if (found.length === 0) return;
  const fresh = await context.store.write(async (db) => {
    let count = 0;
    for (const { project, crystal, edits } of found) {
      const remembered = await addNewEdits(db, project?.id ?? null, crystal?.remembered ?? []);
      const own = await addNewEdits(db, project?.id ?? null, edits);
      if (remembered.length > 0)
        context.log.info(
          { file: crystal?.path, edits: remembered.length },
          'edits that the database did not know were taken in',
        );
      // Global lessons stand in every context.md.
      if (remembered.length + own.length > 0 || crystal?.isEdited === true)
        await markDirty(
          db,
          project === null ? (await loadProjects(db)).map(({ id }) => id) : [project.id],
        );
      count += own.length;
    }
    await setMetas(
      db,
      new Map(found.map(({ project, versions }) => [takenKey(project), JSON.stringify(versions)])),
    );
    return count;
  });
  if (fresh > 0) await settleAuthors(context);
}

async function findEdits(
  context: JobContext,
  project: Project | null,
  taken: Versions,
): Promise<Found | null> {
  const folder = projectFolder(context.paths, project);
  const before = versionsIn(folder);
  const changed = Object.keys(before).filter((file) => before[file] !== taken[file]);
  if (changed.length === 0) return null;
  const details = changed.flatMap((file) =>
    file === CRYSTAL ? [] : (readDetail(join(folder, file)) ?? []),
  );
  // Its own version, since words in it may be masked by now.
  const crystal = changed.includes(CRYSTAL) ? await readMasked(context, project) : null;
  const edits = [
    ...(crystal === null ? [] : placed(context, crystal.path, crystal.edits)),
    ...placed(context, join(folder, 'detail'), await editsOf(context, project, details)),
  ];
  const versions: Record<string, string> = {
    ...before,
    ...(crystal === null ? {} : { [CRYSTAL]: crystal.version }),
  };
  // What cannot be kept is not taken in either: no write of ours may end it.
  for (const detail of details)
    if (!(await keepDetailAside(context, detail)))
      delete versions[`detail/${basename(detail.path)}`];
  const known = crystal && {
    path: crystal.path,
    remembered: crystal.crystal === null ? [] : rememberedEdits(crystal.crystal),
    isEdited: crystal.edits.length > 0,
  };
  return { project, edits, crystal: known, versions };
}

/** Edits with the file or folder that they were found in, below the home. */
function placed(
  { paths }: Pick<JobContext, 'paths'>,
  path: string,
  edits: readonly Edit[],
): (Edit & { place: string })[] {
  const place = relative(paths.home, path).replaceAll('\\', '/');
  return edits.map((edit) => ({ ...edit, place }));
}

/**
 * True when a file holds what a person wrote and no learning took in: it must not be written over
 * yet.
 * @param taken as {@link takenVersions} gives it
 */
export function isUntaken(folder: string, file: string, taken: Versions): boolean {
  if (!DETAILS.includes(file)) return false;
  const path = join(folder, file);
  const version = versionOf(path);
  if (version === null || version === taken[file]) return false;
  const detail = readDetail(path);
  return detail !== null && (isOdd(detail) || planDetailEdits([detail.file], null).length > 0);
}

/** The same of a crystal that was read. */
export function isCrystalUntaken({ path, edits, problems }: ReadCrystal, taken: Versions): boolean {
  return versionOf(path) !== taken[CRYSTAL] && edits.length + problems.length > 0;
}

// crystal.json

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
  // Saved again meanwhile: the next look takes that version in.
  if (isClean || isStale(found)) return found;
  // Single items that cannot be read stand in no crystal; the file as it was is kept above.
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

/** The version is looked at first: a file that is saved in between counts as changed. */
function readVersion(
  { paths }: Pick<JobContext, 'paths'>,
  project: Project | null,
): ReadCrystal & { version: string } {
  const version = versionOf(join(projectFolder(paths, project), CRYSTAL)) ?? '';
  return { ...readCrystal(paths, project), version };
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

// detail/*.md

type EditedFile = Parameters<typeof planDetailEdits>[0][number];

interface ReadDetail {
  path: string;
  text: string;
  /** 1-based lines that are no bullet; null when the file's hashes are missing or damaged. */
  odd: readonly number[] | null;
  file: EditedFile;
}

/** Null when it cannot be read; writing to it then throws. */
function readDetail(path: string): ReadDetail | null {
  if (!existsSync(path) || !isReadable(path)) return null;
  const [text, time] = [readFileSync(path, 'utf8'), statSync(path).mtime.toISOString()];
  const detail = parseDetail(text);
  const kind = DETAIL_FILES[basename(path, '.md') as DetailFile].at(-1)!;
  const file = { kind, bullets: detail?.bullets ?? [], missing: detail?.missing ?? [], time };
  return { path, text, odd: detail?.odd ?? null, file };
}

function isOdd({ odd }: ReadDetail): boolean {
  return odd === null || odd.length > 0;
}

async function editsOf(
  context: JobContext,
  project: Project | null,
  details: readonly ReadDetail[],
): Promise<Edit[]> {
  const files = details.map(({ file }) => file);
  return planDetailEdits(await maskBullets(context, files), project?.id ?? null);
}

/** Only what a person wrote: bullets as we wrote them were masked before. */
async function maskBullets(
  context: JobContext,
  files: readonly EditedFile[],
): Promise<readonly EditedFile[]> {
  const isOwn = ({ state }: EditedFile['bullets'][number]): boolean => state !== 'same';
  if (!files.some(({ bullets }) => bullets.some(isOwn))) return files;
  const redact = await redactorOf(context);
  return Promise.all(
    files.map(async (file) => {
      const texts = redact(file.bullets.map(({ text }) => text));
      return {
        ...file,
        bullets: file.bullets.map((bullet, i) =>
          isOwn(bullet) ? { ...bullet, text: texts[i]!.trim() } : bullet,
        ),
      };
    }),
  );
}

/**
 * What is no bullet would be lost with the next write: the file is kept beside itself, each version
 * once.
 */
async function keepDetailAside(context: JobContext, detail: ReadDetail): Promise<boolean> {
  const { path, text, odd } = detail;
  if (!isOdd(detail) || badWith(path, text) !== null) return true;
  let bad: string;
  try {
    bad = await copyBad(path, text);
  } catch (error) {
    if (faultKind(error) !== 'not-writable') throw error;
    context.log.warn(
      { file: path, error: messageOf(error) },
      'a detail file could not be kept beside itself; it is left as it is',
    );
    return false;
  }
  context.log.warn(
    { file: bad, lines: (odd ?? []).slice(0, 10) },
    'something in a detail file is no bullet; the file is kept',
  );
  return true;
}

/** Versions that were kept aside in a project's folder. */
export function badDetails(folder: string): string[] {
  const detail = join(folder, 'detail');
  return statSync(detail, { throwIfNoEntry: false })?.isDirectory() === true
    ? readdirSync(detail)
        .filter((name) => /\.md\.bad(-\d+)?$/.test(name))
        .sort()
        .map((name) => join(detail, name))
    : [];
}
