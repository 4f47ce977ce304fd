/** Which project a person means: by folder, slug, name, or the folder they stand in. */
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { AppError, EXIT } from '../errors.js';
import { loadProjects, type Store } from '../store/index.js';
import type { Project } from '../types.js';
import { folderKey, isHomeFolder, isWithin } from '../projects/folder-path.js';
import { lookAtFolder } from '../projects/folder-project.js';
import { remoteKey } from '../projects/remote.js';

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
  // A project without a folder may have become part of another one, which has its name and slug as
  // aliases; one that has a folder goes by its own name.
  const living = known.filter((project) => project.folders.length > 0);
  const heirs = living.filter((project) => project.aliases.includes(spec));
  const slugs = known.filter((project) => project.slug === spec || project.id === spec);
  const own = slugs.length > 0 ? slugs : living.filter((project) => project.name === spec);
  const exact =
    heirs.length === 1 && own.every((project) => project.folders.length === 0) ? heirs : own;
  const named =
    exact.length > 0
      ? exact
      : known.filter((project) => project.name === spec || project.aliases.includes(spec));
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
 * The project whose folder holds `cwd` (the deepest wins), else the one with the same git remote or
 * main worktree.
 */
export function projectOfFolder(
  known: readonly Project[],
  cwd: string,
  userHome: string,
): Project | null {
  const key = folderKey(cwd);
  const facts = lookAtFolder(cwd);
  const top = facts.top === null ? null : folderKey(facts.top);
  // A home holds everything, and a repository is no part of the folder that it lies in.
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
  // Slugs of clones differ by four characters that nobody knows by heart; the folder says which one
  // is meant.
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
