/** Reads the context.md of a project; an empty one if nothing is known yet. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HomePaths, projectFolder } from '../config.js';
import { emptyContext } from '../context/index.js';
import { countTokens } from '../text/tokens.js';
import { usage } from '../errors.js';
import type { Project } from '../types.js';
import { projectHere } from './projects.js';
import type { Reader } from './recall.js';

interface ContextFile {
  path: string;
  text: string;
  tokens: number;
}

export function readContext(paths: HomePaths, project: Project | null): ContextFile {
  const path = join(projectFolder(paths, project), 'context.md');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : emptyContext(project);
  return { path, text, tokens: countTokens(text) };
}

/**
 * The project whose page is meant; null: the notes for all projects.
 * @throws AppError (usage) for `all`, and for a name while there is no memory
 */
export async function contextProject(
  from: Reader,
  spec: string | null,
  cwd: string,
): Promise<Project | null> {
  if (spec === 'all') throw usage('context prints one project', 'name one, or leave --project out');
  if (spec !== null && !from.storeExists)
    throw usage(
      `no project is called ${spec}: there is no memory yet`,
      'run `dripstone run` first',
    );
  return projectHere(from, spec, cwd);
}

/** As `context --json` prints it. */
export function contextJson(paths: HomePaths, project: Project | null) {
  const { path, tokens, text } = readContext(paths, project);
  return { project: project?.slug ?? null, path, tokens, text };
}
