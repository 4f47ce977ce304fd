/** Finds the project that a person means: by folder, slug, name, or the present folder. */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { AppError, EXIT } from '../errors.js';
import {
  loadProjects,
  type Store,
  loadLessons,
  projectSessions,
  loadFolders,
} from '../store/index.js';
import { type Project, isShown } from '../types.js';
import { folderKey, isHomeFolder, isWithin } from '../projects/folder-path.js';
import { lookAtFolder, type FolderFacts, mergeFacts } from '../projects/folder-project.js';
import { wholeOf } from '../projects/parts.js';
import { remoteKey } from '../projects/remote.js';
import type { Config } from '../config.js';
import { matchFolders } from '../projects/globs.js';
import type { Reader } from './recall.js';

interface ProjectSources {
  store: Store;
  userHome: string;
}

/**
 * @param spec what was typed after `--project`, or null for the project of `cwd`
 * @returns null for all projects: `all` was typed, or `cwd` lies outside any known project
 * @throws AppError exit 2 for an unknown or ambiguous project, with the candidates
 */
export async function chooseProject(
  from: ProjectSources,
  spec: string | null,
  cwd: string,
): Promise<Project | null> {
  if (spec === 'all') return null;
  const known = await from.store.read((db) => loadProjects(db));
  if (spec === null) return projectOfFolder(known, cwd, from.userHome);
  const matches = [
    ({ slug, id }: Project) => slug === spec || id === spec,
    ({ name, folders }: Project) => name === spec && folders.length > 0,
    ({ name, aliases }: Project) => name === spec || aliases.includes(spec),
  ].map((matches) => [...new Set(known.filter(matches).map((each) => wholeOf(each, known)))]);
  const named = matches.find((found) => found.length > 0) ?? [];
  if (named.length === 1) return named[0]!;
  if (named.length > 1) throw ambiguous(spec, named);
  const inFolder = looksLikeFolder(spec)
    ? projectOfFolder(known, resolve(cwd, spec), from.userHome)
    : null;
  if (inFolder) return inFolder;
  const near = known.filter(
    (project) => project.slug.startsWith(spec) || project.name.includes(spec),
  );
  if (near.length === 1) return near[0]!;
  throw near.length > 1 ? ambiguous(spec, near) : unknown(spec, known);
}

function looksLikeFolder(spec: string): boolean {
  return isAbsolute(spec) || spec.startsWith('.') || spec.includes('/') || existsSync(spec);
}

/**
 * The project whose folder contains `cwd` (the deepest wins), else the one with the same git remote
 * or main worktree.
 */
export function projectOfFolder(
  known: readonly Project[],
  cwd: string,
  userHome: string,
): Project | null {
  const key = folderKey(cwd);
  const facts = lookAtFolder(cwd);
  const top = facts.top === null ? null : folderKey(facts.top);
  // A home folder contains all projects. A repository inside a project's folder is not part of it.
  const isTheirs = (folder: string): boolean =>
    isWithin(key, folder) &&
    (key === folder || !isHomeFolder(folder, folderKey(userHome))) &&
    (top === null || isWithin(folder, top) || isHomeFolder(top, folderKey(userHome)));
  const holding = known
    .flatMap((project) => project.folders.map((folder) => ({ project, folder: folderKey(folder) })))
    .filter(({ folder }) => isTheirs(folder))
    .sort((a, b) => b.folder.length - a.folder.length);
  if (holding[0]) return holding[0].project;
  const main =
    facts.main === null
      ? null
      : known.find((project) =>
          project.folders.some((folder) => folderKey(folder) === folderKey(facts.main!)),
        );
  if (main) return main;
  const { remote } = facts;
  const isSame = (other: string | null): boolean =>
    remote !== null && other !== null && remoteKey(other) === remoteKey(remote);
  return (
    known.find((project) => isSame(project.remote)) ??
    known.find((project) => project.aliases.some(isSame)) ??
    null
  );
}

function ambiguous(spec: string, found: readonly Project[]): AppError {
  // Slugs of clones differ only by four characters, so the folder is shown, too.
  const lines = found.map(
    ({ slug, folders }) => `\n  ${[slug, ...folders.slice(0, 1)].join('  ')}`,
  );
  return new AppError('PROJECT_AMBIGUOUS', `${spec} may mean${lines.join('')}`, {
    hint: 'name one of these slugs, or its folder',
    exitCode: EXIT.usage,
  });
}

function unknown(spec: string, known: readonly Project[]): AppError {
  return new AppError('PROJECT_UNKNOWN', `no project is called ${spec}`, {
    hint:
      known.length === 0
        ? 'run `dripstone run` first'
        : `known: ${known
            .slice(0, 20)
            .map((project) => project.slug)
            .join(', ')}`,
    exitCode: EXIT.usage,
  });
}

// Lists the known projects with their counts.

/** Every project, as `projects list --json` prints it. */
export async function listProjects(app: Reader) {
  return await app.store.read(async (db) => {
    const [sessions, lessons] = [await projectSessions(db), await loadLessons(db)];
    const known = await loadProjects(db);
    const whole = known.filter((project) => wholeOf(project, known) === project);
    return whole.map((project) => ({
      slug: project.slug,
      name: project.name,
      remote: project.remote,
      folders: project.folders,
      aliases: project.aliases,
      sessions: sessions.get(project.id) ?? 0,
      lessons: lessons.filter((lesson) => lesson.project === project.id && isShown(lesson)).length,
      in_config: namesOf(app, project).length > 0,
    }));
  });
}

/** Names in config.yaml for folders of a project. */
export function namesOf(
  { config, userHome }: { config: Config; userHome: string },
  { folders }: Project,
): string[] {
  return Object.keys(config.projects).filter((name) =>
    folders.some(matchFolders(config.projects[name]!, userHome)),
  );
}

// Finds the project of a reading command, also in a repository without any session yet.

interface From {
  store: Store;
  config: Config;
  userHome: string;
  storeExists: boolean;
}

/** The project of a folder, or the one that its first session will get. Writes nothing. */
export async function foreseeProject(from: From, folder: string): Promise<Project> {
  const [rows, known] = from.storeExists
    ? await from.store.read(
        async (db) => [await loadFolders<FolderFacts>(db), await loadProjects(db)] as const,
      )
    : [[], []];
  const facts = new Map(rows.map((row) => [row.cwd, row.facts]));
  facts.set(folder, mergeFacts(facts.get(folder) ?? null, lookAtFolder(folder)));
  // Loaded on demand: the patterns of `projects:` need a package that most commands do not.
  const { planProjects } = await import('../projects/plan-projects.js');
  const plan = planProjects([...facts.values()], known, from.config.projects, from.userHome);
  return plan.projects.find((project) => project.id === plan.folderToProject.get(folder))!;
}

/**
 * Like `chooseProject`, but a repository without a session gets its future project instead of all
 * projects, because other projects have nothing about it.
 */
export async function projectHere(
  app: From,
  spec: string | null,
  cwd: string,
): Promise<Project | null> {
  const known = app.storeExists ? await chooseProject(app, spec, cwd) : null;
  const top = known === null && spec === null ? lookAtFolder(cwd).top : null;
  if (top === null || isHomeFolder(folderKey(top), folderKey(app.userHome))) return known;
  return foreseeProject(app, cwd);
}

/** Whether no session of a project was read. */
export async function isUnknown(from: { store: Store }, { id }: Project): Promise<boolean> {
  return !(await from.store.read((db) => loadProjects(db))).some((project) => project.id === id);
}
