/** The context.md of a project, or a valid empty one when nothing is known yet. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HomePaths, projectFolder } from '../config.js';
import { countTokens, emptyContext, heldOutPage, isSilentToday } from '../context/index.js';
import type { Project } from '../types.js';

export interface ContextFile {
  path: string;
  text: string;
  tokens: number;
}

/**
 * The page as an agent gets it now: on a held-out day its head alone, even while the file still
 * holds another day's.
 */
export function pageNow(
  from: { paths: HomePaths } & Parameters<typeof isSilentToday>[0],
  project: Project | null,
): ContextFile {
  const page = readContext(from.paths, project);
  const head = heldOutPage(project);
  return isSilentToday(from) ? { ...page, text: head, tokens: countTokens(head) } : page;
}

export function readContext(paths: HomePaths, project: Project | null): ContextFile {
  const path = join(projectFolder(paths, project), 'context.md');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : emptyContext(project);
  return { path, text, tokens: countTokens(text) };
}
