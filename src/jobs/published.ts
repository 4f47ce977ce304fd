/** The context.md files as they lie on disk. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '../config.js';
import type { Project } from '../types.js';
import { folderOf } from './crystal-file.js';
import { think } from './think.js';

export interface ContextLine {
  slug: string;
  path: string;
  lines: number;
  tokens: number;
}

/** Every project's context.md that exists, in the given order. */
export const publishedContexts = async (paths: HomePaths, projects: readonly Project[]): Promise<ContextLine[]> => {
  const found = projects
    .map((project) => ({ slug: project.slug, path: join(folderOf(paths, project), 'context.md') }))
    .filter(({ path }) => existsSync(path));
  const texts = found.map(({ path }) => readFileSync(path, 'utf8'));
  const tokens = texts.length === 0 ? [] : await think('count', texts);
  return found.map((each, index) => ({ ...each, lines: texts[index]!.split('\n').length - 1, tokens: tokens[index]! }));
};
