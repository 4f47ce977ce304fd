/** Decides which folders are one project. Pure; the order of folders does not matter. */
import type { Project } from '../types.js';
import { folderKey } from './folder-path.js';
import type { FolderFacts } from './folder-project.js';
import { matchFolders } from './globs.js';
import { groupFolders, type Group } from './group-folders.js';
import { remoteKey } from './remote.js';
import { shortHash } from '../text/fingerprint.js';

interface ProjectPlan {
  /** Every project including known ones, sorted by id. */
  projects: Project[];
  /** Folder as given -> project id. */
  folderToProject: Map<string, string>;
}

/**
 * @param folders all folders ever seen, with their facts
 * @param known projects as stored: their ids, slugs and names stay
 * @param names config `projects`: name -> globs of folders
 * @param home the person's home folder
 */
export function planProjects(
  folders: readonly FolderFacts[],
  known: readonly Project[],
  names: Record<string, string[]>,
  home: string,
): ProjectPlan {
  const named = Object.keys(names)
    .sort()
    .map((name) => ({ name, matches: matchFolders(names[name]!, home) }));
  const nameOf = (folder: string): string | null =>
    named.find((each) => each.matches(folder))?.name ?? null;
  const groups = groupFolders(folders, { home, nameOf, sameRemote: aliasesOf(known) });
  const byId = [...known].sort((a, b) => (a.id < b.id ? -1 : 1));
  const owners = matchKnown(groups, byId);
  const projects = new Map(
    byId.map((project) => [project.id, { ...project, folders: [] as string[] }]),
  );
  const folderToProject = new Map<string, string>();
  for (const group of groups) {
    const owner = owners.get(group);
    const project =
      owner === undefined ? newProject(group, projects) : withAliases(projects.get(owner)!, group);
    project.folders = [...project.folders, ...group.folders].sort();
    projects.set(project.id, project);
    for (const folder of group.folders) folderToProject.set(folder, project.id);
  }
  for (const [from, into] of absorbed(known, projects, folderToProject)) {
    // What that project had absorbed now belongs to this one too.
    const names = [from.slug, from.name, ...from.aliases.filter((alias) => !isRemote(alias))];
    into.aliases = [...new Set([...into.aliases, ...names])]
      .filter((each) => each !== into.name && each !== into.slug)
      .sort();
  }
  dropTaken([...projects.values()]);
  return {
    projects: [...projects.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
    folderToProject,
  };
}

/**
 * A project that was split off again keeps its own names: if the other kept them, they would mean
 * both.
 */
function dropTaken(projects: readonly Project[]): void {
  const living = projects.filter(({ folders }) => folders.length > 0);
  const owners = new Map(
    living.flatMap(({ id, slug, name }) =>
      [slug, name].map((word): [string, string] => [word, id]),
    ),
  );
  for (const project of projects)
    project.aliases = project.aliases.filter(
      (alias) => (owners.get(alias) ?? project.id) === project.id,
    );
}

/**
 * Projects whose folders all belong to another project now; whoever asks for them means that one.
 */
export function absorbed(
  known: readonly Project[],
  projects: ReadonlyMap<string, Project>,
  folderToProject: ReadonlyMap<string, string>,
): [Project, Project][] {
  return known.flatMap((project): [Project, Project][] => {
    const now = [...new Set(project.folders.map((folder) => folderToProject.get(folder)))];
    const into =
      now.length === 1 && now[0] !== undefined && now[0] !== project.id
        ? projects.get(now[0])
        : undefined;
    return into === undefined || projects.get(project.id)!.folders.length > 0
      ? []
      : [[project, into]];
  });
}

/** Remotes that known projects have had: two names of one repository. */
function aliasesOf(known: readonly Project[]): string[][] {
  return known.map((project) =>
    [project.remote, ...project.aliases].filter(
      (each): each is string => each !== null && isRemote(each),
    ),
  );
}

function isRemote(alias: string): boolean {
  return alias.includes('/') && !alias.startsWith('/');
}

/**
 * Which known project each group is: by the name that the person gave it, then by remote, then by a
 * former folder. One project goes to one group.
 */
function matchKnown(groups: readonly Group[], known: readonly Project[]): Map<Group, string> {
  const owners = new Map<Group, string>();
  const taken = new Set<string>();
  /** A group and a project that name the same; of several projects the first. */
  const claim = (
    ofGroup: (group: Group) => Iterable<string>,
    ofProject: (project: Project) => Iterable<string>,
  ) => {
    const named = new Map<string, Project[]>();
    for (const project of known)
      for (const name of ofProject(project)) named.set(name, [...(named.get(name) ?? []), project]);
    for (const group of groups) {
      if (owners.has(group)) continue;
      const ids = [...ofGroup(group)].flatMap((name) =>
        (named.get(name) ?? []).map(({ id }) => id),
      );
      const [id] = ids.filter((each) => !taken.has(each)).sort();
      if (id === undefined) continue;
      owners.set(group, id);
      taken.add(id);
    }
  };
  const idsOf = ({ id }: Project): string[] => [id];
  const foldersOf = ({ folders }: Project): string[] => folders.map(folderKey);
  claim(
    ({ name }) => (name === null ? [] : [`${name}\0${idOf(`name:${name}`)}`]),
    ({ name, id }) => [`${name}\0${id}`],
  );
  claim(
    ({ name, keys }) => (name === null ? [] : [...keys].map((key) => `${name}\0${key}`)),
    (project) => foldersOf(project).map((key) => `${project.name}\0${key}`),
  );
  claim(
    ({ remotes }) => remotes,
    ({ remote }) => (remote === null ? [] : [remoteKey(remote)]),
  );
  claim(
    ({ remotes }) => remotes,
    ({ aliases }) => aliases.filter(isRemote).map(remoteKey),
  );
  // Made from this remote on another machine, and imported before the first log of it was read
  // here.
  claim(({ remotes }) => remotes.map(idOf), idsOf);
  // Only the folder counts: the first of folders that the config no longer joins is not the joined
  // project, and after the loss of a database the crystal has only the id.
  claim((group) => [firstIdOf(group)], idsOf);
  claim(({ keys }) => keys, foldersOf);
  return owners;
}

function idOf(text: string): string {
  return shortHash(text, 16);
}

/** The id that a new group gets. */
function firstIdOf({ remotes, name, main }: Group): string {
  return idOf(remotes.length === 1 ? remotes[0]! : name === null ? main : `name:${name}`);
}

function newProject(group: Group, others: ReadonlyMap<string, Project>): Project {
  const remote = group.remotes[0] ?? null;
  const wanted = firstIdOf(group);
  const id = others.has(wanted) ? idOf(`folder:${group.main}`) : wanted;
  const name = group.name ?? group.title;
  return {
    id,
    slug: slugOf(name, id, new Set([...others.values()].map((each) => each.slug))),
    name,
    remote,
    folders: [],
    aliases: [],
  };
}

/**
 * Later names and a replaced remote are aliases. Remotes side by side, joined by the config or by
 * worktrees, are not: they would stay joined without the config.
 */
function withAliases(project: Project, group: Group): Project {
  const remote = project.remote ?? group.remotes[0] ?? null;
  const remotes = group.remotes.length === 1 ? group.remotes : [];
  const name = group.name ?? project.name;
  const later = [...remotes, project.name, ...(group.name === null ? [group.title] : [])].filter(
    (each) => each !== '' && each !== name && each !== remote,
  );
  return {
    ...project,
    name,
    remote,
    aliases: [...new Set([...project.aliases, ...later])].filter((each) => each !== remote).sort(),
  };
}

/** Longest name in a slug: far below the limit of file systems, and paths stay readable. */
const SLUG_NAME = 40;

/**
 * A name that is safe as a path segment on every system, and the first four hex digits of the id,
 * or more if another slug has them.
 */
export function slugOf(name: string, id: string, taken: ReadonlySet<string>): string {
  const safe = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-._]+|(?<![-._])[-._]+$/g, '')
    .slice(0, SLUG_NAME)
    .replace(/[-._]+$/, '');
  const base = safe === '' ? 'project' : safe;
  for (let digits = 4; digits < id.length; digits += 2) {
    const slug = `${base}-${id.slice(0, digits)}`;
    if (!taken.has(slug)) return slug;
  }
  return `${base}-${id}`;
}
