/**
 * Repositories that may be one under two names, where no history of git says so: asked by `status --check`,
 * never decided.
 */
import { statSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { filesOfProject, loadFolders, loadProjects, projectSpans } from '../../store/index.js';
import type { Project } from '../../types.js';
import { folderKey, isHomeFolder, isWithin } from '../../projects/folder-path.js';
import { lookAtFolder, type FolderFacts } from '../../projects/folder-project.js';
import type { JobContext } from '../job.js';

/** Fewer files that both hold are chance: every repository has a README.md. */
const LEAST_FILES = 3;
/** Share of the files known from the folder that is gone. */
const LEAST_SHARE = 0.5;
/**
 * Files looked for, those touched most; and folders that are gone, the newest first: each file is
 * looked for in every later repository.
 */
const MOST_FILES = 40;
const MOST_GONE = 20;

/** A project by its folders, and when it was worked in. */
export interface Side {
  project: Project;
  /** Folder that is gone, or top of the repository that is there. */
  folder: string;
  born: readonly string[];
  first: string;
  last: string;
}

interface Question {
  gone: Side;
  here: Side;
  /** Files touched in the one, and how many of them the other holds. */
  files: number;
  found: number;
}

/** Whether the one may go on in the other: later, and not known to have another history. */
function mayGoOn(gone: Side, here: Side): boolean {
  return (
    here.project.id !== gone.project.id &&
    here.first >= gone.last &&
    (gone.born.length === 0 || here.born.length === 0)
  );
}

/**
 * One question at most for a folder that is gone. A file that several later repositories hold tells
 * none of them.
 * @param holds whether a repository has a file
 */
export function askRenamed(
  gone: Side,
  files: readonly string[],
  later: readonly Side[],
  holds: (folder: string, file: string) => boolean,
): Question | null {
  const holders = files.map((file) => later.filter((here) => holds(here.folder, file)));
  const [best, second] = later
    .map((here) => ({
      here,
      found: holders.filter((of) => of.length === 1 && of[0] === here).length,
    }))
    .sort((a, b) => b.found - a.found);
  if (
    best === undefined ||
    best.found < Math.max(LEAST_FILES, files.length * LEAST_SHARE) ||
    best.found === second?.found
  )
    return null;
  return mayGoOn(gone, best.here)
    ? { gone, here: best.here, files: files.length, found: best.found }
    : null;
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // no permission
  }
}

function hasRemote({ remote, aliases }: Project): boolean {
  return remote !== null || aliases.some((alias) => alias.includes('/') && !alias.startsWith('/'));
}

/** The topmost folder of a project that is gone whole; null while one is there. */
function goneFolder(project: Project, userHome: string): string | null {
  const own = project.folders.filter(
    (folder) => isAbsolute(folder) && !isHomeFolder(folderKey(folder), folderKey(userHome)),
  );
  const [top] = [...own].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return top === undefined ||
    project.folders.some(isThere) ||
    !own.every((folder) => isWithin(folderKey(folder), folderKey(top)))
    ? null
    : top;
}

/** Questions on projects whose folder is gone and that had no remote. Reads only. */
export async function renamedProjects({
  store,
  userHome,
}: Pick<JobContext, 'store' | 'userHome'>): Promise<Question[]> {
  const [rows, projects, spans] = await store.read(
    async (db) =>
      [await loadFolders<FolderFacts>(db), await loadProjects(db), await projectSpans(db)] as const,
  );
  const bornOf = (project: Project, now?: FolderFacts): string[] => [
    ...rows.filter((row) => row.project === project.id).flatMap(({ facts }) => facts.born ?? []),
    ...(now?.born ?? []),
  ];
  const sides = projects.flatMap((project) => {
    const span = spans.get(project.id);
    return span === undefined ? [] : [{ project, ...span }];
  });
  const gone = sides.flatMap((side): Side[] => {
    const folder = hasRemote(side.project) ? null : goneFolder(side.project, userHome);
    return folder === null ? [] : [{ ...side, folder, born: bornOf(side.project) }];
  });
  if (gone.length === 0) return [];
  const here = sides.flatMap((side): Side[] => {
    const facts = side.project.folders
      .map((folder) => lookAtFolder(folder))
      .find(({ top }) => top !== null);
    return facts === undefined || isHomeFolder(folderKey(facts.top!), folderKey(userHome))
      ? []
      : [{ ...side, folder: facts.top!, born: bornOf(side.project, facts) }];
  });
  const newest = [...gone]
    .sort((a, b) =>
      a.last < b.last ? 1 : a.last > b.last ? -1 : a.project.id < b.project.id ? -1 : 1,
    )
    .slice(0, MOST_GONE);
  const questions: Question[] = [];
  for (const side of newest) {
    const later = here.filter((one) => mayGoOn(side, one));
    if (later.length === 0) continue;
    const paths = await store.read((db) => filesOfProject(db, side.project.id));
    const files = paths
      .map((path) => (isAbsolute(path) ? relative(side.folder, path) : path))
      .filter((file) => file !== '' && !file.split(sep).includes('..') && !isAbsolute(file));
    const question = askRenamed(
      side,
      [...new Set(files)].slice(0, MOST_FILES),
      later,
      (folder, file) => isThere(join(folder, file)),
    );
    if (question !== null) questions.push(question);
  }
  return questions;
}

/** Below the person's home as they would write it. */
function written(folder: string, userHome: string): string {
  return isWithin(folder, userHome) && folder !== userHome
    ? `~${folder.slice(userHome.length)}`
    : folder;
}

/** A question as a line, with the line of config.yaml that joins the two. */
export function describeQuestion({ gone, here, files, found }: Question, userHome: string): string {
  const folders = [gone.folder, here.folder]
    .map((folder) => JSON.stringify(written(folder, userHome)))
    .join(', ');
  return (
    `${gone.project.slug} (${gone.folder}, gone) and ${here.project.slug} (${here.folder}, ${found} of its ${files} ` +
    `files): one repository, renamed? \`projects: {${JSON.stringify(here.project.name)}: [${folders}]}\` in config.yaml ` +
    'joins them'
  );
}
