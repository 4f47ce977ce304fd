/** Copies of context.md that `link --copy` keeps inside repositories, for agents that may not read outside them. */
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HomePaths } from '../config.js';
import { COPY } from '../links/line.js';
import { readLinks } from '../links/registry.js';
import type { Project } from '../types.js';

/** Paths of a project's copies; a repository, or a folder of ours in it, that is gone gets none again. */
export const copiesOf = (paths: Pick<HomePaths, 'links'>, project: Pick<Project, 'slug'> | null): string[] =>
  readLinks(paths.links).flatMap(({ repo, slug, copy }) => {
    if (!copy || repo === null || project === null || slug !== project.slug) return [];
    const path = join(repo, COPY);
    // A folder that became a link meanwhile would lead the copy out of the repository.
    return lstatSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true ? [path] : [];
  });
