/**
 * Reads a project's own files. Agents and people read them anyway, so the page does not repeat
 * them. They are read again at each rendering and never stored.
 */
import { readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { readSmall } from '../../projects/small-file.js';
import type { Project } from '../../types.js';

const READ_CAP = 256 * 1024;

/** Files that agents load by themselves in a repository, and that people read first. */
const NAMES = [
  'CLAUDE.md',
  'AGENTS.md',
  '.claude/CLAUDE.md',
  '.github/copilot-instructions.md',
  'GEMINI.md',
  '.cursorrules',
  '.windsurfrules',
  '.clinerules',
  'README.md',
  'README.rst',
  'README',
  'CONTRIBUTING.md',
  '.github/CONTRIBUTING.md',
  'docs/CONTRIBUTING.md',
  '.gitlab-ci.yml',
  '.circleci/config.yml',
];
const RULES = [
  '.cursor/rules',
  '.claude/rules',
  '.github/instructions',
  '.clinerules',
  '.windsurf/rules',
];
const WORKFLOWS = '.github/workflows';

/** The texts of such files in a project's folders. */
export function readOwnFiles(project: Project | null): string[] {
  return (project?.folders ?? []).flatMap((folder) =>
    [
      ...NAMES.map((name) => join(folder, name)),
      ...RULES.flatMap((name) => rulesBelow(join(folder, name))),
      ...listed(join(folder, WORKFLOWS)).map(({ name }) => join(folder, WORKFLOWS, name)),
    ].flatMap(
      (path) => readSmall(path, READ_CAP)?.replace(/^---\r?\n[\s\S]*?\n---\r?\n/, '') ?? [],
    ),
  );
}

/** Limit on folders and files. */
const MOST_FOLDERS = 50;
const MOST_FILES = 200;

/** Files with rules in a folder and below it; none if it cannot be read. */
function rulesBelow(folder: string): string[] {
  const found: string[] = [];
  const folders = [folder];
  for (let at = 0; at < Math.min(folders.length, MOST_FOLDERS) && found.length < MOST_FILES; at++) {
    for (const entry of listed(folders[at]!)) {
      const path = join(folders[at]!, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (/\.(?:md|mdc)$/i.test(entry.name)) found.push(path);
    }
  }
  return found.slice(0, MOST_FILES);
}

function listed(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
