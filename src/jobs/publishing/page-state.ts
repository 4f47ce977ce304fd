/**
 * Decides which pages are current: their inputs and files have not changed. Otherwise each round of
 * the daemon would render the pages of all projects.
 */
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type HomePaths, projectFolder } from '../../config.js';
import { COPY } from '../../links/line.js';
import { readLinks } from '../../links/registry.js';
import { compiledFile } from '../../place.js';
import { partsOf } from '../../projects/parts.js';
import { lacksAny, type Looked } from '../../projects/tree.js';
import { editsByOwner, pageVersions, projectStates, saveProjectStates } from '../../store/index.js';
import type { Project } from '../../types.js';
import type { JobContext } from '../job.js';
import type { ProjectGroup } from '../learning/passed-over.js';
import { readOwnFiles } from './own-files.js';
import { shortHash } from '../../text/fingerprint.js';

/** Repositories that are read before other work gets a turn. */
const AT_ONCE = 10;
const keyOf = (project: Project | null): string => project?.id ?? '';

interface Pages {
  /** Whether writing the page again would change nothing. */
  isCurrent(project: Project | null): boolean;
  /**
   * Records written pages.
   * @param named the names of each page in the tree; null if some are missing, since git must then
   * be asked each time
   */
  note(group: ProjectGroup, named: readonly (readonly Looked[] | null)[]): Promise<void>;
}

/** Reads the inputs of pages before writing, so that a later change makes the page stale. */
export async function openPages(context: JobContext, all: readonly Project[]): Promise<Pages> {
  const { store } = context;
  const { versions, states, edits } = await store.read(async (db) => ({
    versions: await pageVersions(db),
    states: await projectStates(db),
    edits: await editsByOwner(db, [null, ...all.map(({ id }) => id)]),
  }));
  const sources = await sourcesOfAll(context, all, versions);
  const filesOf = (project: Project | null): string =>
    filesAsTheyAre(context.paths, project, partsOf(project, all));
  // Edits without a crystal: only the database has the person's words, so the page is not current.
  const lacksCrystal = (project: Project | null): boolean =>
    edits(project?.id ?? null).length > 0 &&
    !existsSync(join(projectFolder(context.paths, project), 'crystal.json'));
  return {
    isCurrent(project) {
      const state = states.get(keyOf(project));
      const names = state?.page_names ?? null;
      return (
        names !== null &&
        !lacksCrystal(project) &&
        state!.page_sources === sources.get(keyOf(project)) &&
        state!.page_files === filesOf(project) &&
        !lacksAny(project?.folders ?? [], JSON.parse(names) as Looked[])
      );
    },
    async note(group, named) {
      const noted = group.map((project, at) => ({
        project: keyOf(project),
        page_sources: sources.get(keyOf(project)) ?? '',
        // Read after the files were written.
        page_files: filesOf(project),
        page_names: named[at] === null ? null : JSON.stringify(named[at]),
      }));
      await store.write((db) => saveProjectStates(db, noted));
    },
  };
}

/** Digests of the inputs of each page, by its key. */
async function sourcesOfAll(
  context: JobContext,
  all: readonly Project[],
  versions: ReadonlyMap<string, string>,
): Promise<Map<string, string>> {
  const common = commonSources(context);
  const sources = new Map([[keyOf(null), digest([common, [...versions].sort().join()])]]);
  for (const [at, project] of all.entries()) {
    // Many repositories take long, so other work gets a turn.
    if (at % AT_ONCE === 0) await setImmediate();
    const own = [
      versions.get(project.id) ?? '',
      versions.get('') ?? '',
      project,
      partsOf(project, all),
      treeOf(project),
    ];
    sources.set(keyOf(project), digest([common, ...own]));
  }
  return sources;
}

/** Common inputs of all pages; with the day, so that a missed change is wrong for one day only. */
function commonSources(context: JobContext): unknown[] {
  const { config, clock } = context;
  const program = statSync(compiledFile('jobs/compute-thread.js'), { throwIfNoEntry: false });
  const day = clock.now().toISOString().slice(0, 10);
  return [program?.mtimeMs, program?.size, day, config.context];
}

/** The inputs of a page from the repository. */
function treeOf(project: Project): unknown[] {
  const tops = project.folders.filter((folder) => isAbsolute(folder) && existsSync(folder));
  const repositories = tops.map((folder) => existsSync(join(folder, '.git')));
  return [tops, repositories, tops.length === 0 ? [] : readOwnFiles(project)];
}

function digest(what: unknown): string {
  return shortHash(JSON.stringify(what), 32);
}

function filesAsTheyAre(
  paths: HomePaths,
  project: Project | null,
  parts: readonly Project[],
): string {
  const folder = projectFolder(paths, project);
  const own = ['', 'detail', 'episodes'].flatMap((name) => pagesIn(join(folder, name)));
  const others = [
    ...parts.map((part) => join(projectFolder(paths, part), 'context.md')),
    ...copiesOf(paths, [project, ...parts]),
  ];
  return digest([...own, ...others].map(fileVersion));
}

function pagesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function fileVersion(path: string): unknown[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  return [path, stat?.size, stat?.mtimeMs, stat?.ctimeMs];
}

// Copies of context.md that an earlier version put into repositories are updated until `unlink`.

/** Paths of projects' copies, except in repositories or folders that were deleted. */
export function copiesOf(
  paths: Pick<HomePaths, 'links'>,
  projects: readonly (Pick<Project, 'slug'> | null)[],
): string[] {
  return readLinks(paths.links).flatMap(({ repo, slug, copy }) => {
    if (
      !copy ||
      repo === null ||
      !projects.some((project) => project !== null && project.slug === slug)
    )
      return [];
    const path = join(repo, COPY);
    // A link in place of the folder could lead the copy out of the repository.
    return lstatSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true
      ? [path]
      : [];
  });
}
