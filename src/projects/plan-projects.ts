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
 * Decides which folders are one project.
 * @param folders all known folders, with their facts
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
    // Names of projects that `from` had absorbed belong to `into` now.
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

/** Removes aliases that are names of another project: after a split such a name would mean both. */
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

/** Projects whose folders all belong to another project now, with that project. */
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

/** Remotes that a known project has had name the same repository. */
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
 * The known project of each group: by the person's name for it, then by remote, then by a former
 * folder. Each project matches only one group.
 */
function matchKnown(groups: readonly Group[], known: readonly Project[]): Map<Group, string> {
  const owners = new Map<Group, string>();
  const taken = new Set<string>();
  /** Matches a group and a project with a common name; of several projects the first. */
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
  // A project of this remote may be imported from another machine before the first local log.
  claim(({ remotes }) => remotes.map(idOf), idsOf);
  // The id comes from the group's folder. A project that the config no longer joins needs its own
  // id, and after the loss of the database the crystal has only ids.
  claim((group) => [firstIdOf(group)], idsOf);
  claim(({ keys }) => keys, foldersOf);
  return owners;
}

function idOf(text: string): string {
  return shortHash(text, 16);
}

/** The id of a new group. */
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
 * Later names and a replaced remote become aliases. Several remotes of one group do not: they would
 * stay joined without the config.
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

/** Longest name in a slug, so that paths stay readable. */
const SLUG_NAME = 40;

/**
 * A name that is safe in a path on every system, with the first four hex digits of the id; with
 * more digits if another slug has them.
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
