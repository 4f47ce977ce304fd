/** The context.md files as they lie on disk. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HomePaths } from '../config.js';
import { countTokens } from '../context/index.js';
import type { Project } from '../types.js';
import { folderOf } from './crystal-file.js';

export interface ContextLine {
  slug: string;
  path: string;
  lines: number;
  tokens: number;
}

/** Every project's context.md that exists, in the given order. */
export const publishedContexts = (paths: HomePaths, projects: readonly Project[]): ContextLine[] =>
  projects.flatMap((project) => {
    const path = join(folderOf(paths, project), 'context.md');
    if (!existsSync(path)) return [];
    const text = readFileSync(path, 'utf8');
    return [{ slug: project.slug, path, lines: text.split('\n').length - 1, tokens: countTokens(text) }];
  });
