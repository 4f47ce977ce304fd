/**
 * Notes of other tools that a person said are known already: memories of agents, rules of Cursor
 * and others. Their paths stand in `already-said.json` beside context.md; what they say is read
 * again at each rendering and never stored.
 */
import { readdirSync, type Dirent } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import type { Environment } from '../../config.js';
import { readSmall } from '../../projects/small-file.js';
import { publishFile } from '../../store/index.js';
import type { Project } from '../../types.js';
import { list, parse } from '../../text/fields.js';

const READ_CAP = 256 * 1024;
const FILE = 'already-said.json';

/** What agents read in a repository by themselves: files, and folders of rules. */
const NAMES = [
  ...[
    'CLAUDE.md',
    'AGENTS.md',
    '.claude/CLAUDE.md',
    '.github/copilot-instructions.md',
    'GEMINI.md',
    '.cursorrules',
  ],
  ...['.windsurfrules', '.clinerules'],
];
const RULES = [
  '.cursor/rules',
  '.claude/rules',
  '.github/instructions',
  '.clinerules',
  '.windsurf/rules',
];
/** What people read first. */
const DOCUMENTS = [
  'README.md',
  'README.rst',
  'README',
  'CONTRIBUTING.md',
  '.github/CONTRIBUTING.md',
  'docs/CONTRIBUTING.md',
  '.gitlab-ci.yml',
  '.circleci/config.yml',
];
const WORKFLOWS = '.github/workflows';

/** The texts of the instruction files in a project's folders: the page does not repeat them. */
export function readInstructions(project: Project | null): string[] {
  return (project?.folders ?? []).flatMap((folder) =>
    [
      ...NAMES.map((name) => join(folder, name)),
      ...RULES.flatMap((name) => notesIn(join(folder, name))),
    ].flatMap((path) => readRules(path) ?? []),
  );
}

/** What people and agents read first beside instruction files, and what its CI runs. */
export function readDocuments(project: Project | null): string[] {
  return (project?.folders ?? []).flatMap((folder) =>
    [
      ...DOCUMENTS.map((name) => join(folder, name)),
      ...listed(join(folder, WORKFLOWS)).map(({ name }) => join(folder, WORKFLOWS, name)),
    ].flatMap((path) => readSmall(path, READ_CAP) ?? []),
  );
}

/**
 * Rules and memories of other tools about a project that are there now, absolute paths in order.
 * Claude Code keeps its own memory in `<its folder>/projects/<folder, each other character a
 * dash>/memory` (code.claude.com/docs/en/memory); Cursor's rules are `.cursor/rules/**.mdc`, before
 * that `.cursorrules` (docs.cursor.com). The person's setting `autoMemoryDirectory` moves Claude
 * Code's memory of every project into one folder.
 */
export function findRuleFiles({ folders }: Project, userHome: string, env: Environment): string[] {
  const claude = env['CLAUDE_CONFIG_DIR']?.split(',')[0]?.trim() || join(userHome, '.claude');
  const found = folders.flatMap((folder) => [
    ...NAMES.map((name) => join(folder, name)),
    ...RULES.flatMap((name) => notesIn(join(folder, name))),
    ...notesIn(join(claude, 'projects', folder.replace(/[^a-zA-Z0-9]/g, '-'), 'memory')),
  ]);
  const moved = movedMemory(claude, userHome);
  const all = [
    ...found,
    ...(moved === null ? [] : notesIn(moved)),
    ...ofCodex(userHome, env),
    ...ofGemini(folders, userHome, env),
  ];
  return [...new Set(all)].filter((path) => readSmall(path, READ_CAP) !== null).sort();
}

/**
 * What Codex made of earlier threads, for all projects: `memories` in its folder
 * (developers.openai.com/codex/memories). It gives the summary to each session and looks up the
 * rest in the handbook; what both were made from it never gives.
 */
function ofCodex(userHome: string, env: Environment): string[] {
  const memories = join(env['CODEX_HOME']?.trim() || join(userHome, '.codex'), 'memories');
  return ['memory_summary.md', 'MEMORY.md'].map((name) => join(memories, name));
}

/**
 * What Gemini CLI loads in each session: notes for all projects in its own GEMINI.md, where
 * `save_memory` wrote too, and private ones of a project in `tmp/<its name>/memory`
 * (geminicli.com/docs/tools/memory, google-gemini/gemini-cli#24542). The project's folder stands in
 * `.project_root` beside that; `skills` below it are no notes.
 */
function ofGemini(folders: readonly string[], userHome: string, env: Environment): string[] {
  const gemini = join(env['GEMINI_CLI_HOME']?.trim() || userHome, '.gemini');
  const ofProject = listed(join(gemini, 'tmp'))
    .map(({ name }) => join(gemini, 'tmp', name))
    .filter((folder) =>
      folders.includes(readSmall(join(folder, '.project_root'), READ_CAP)?.trim() ?? ''),
    )
    .flatMap((folder) =>
      notesIn(join(folder, 'memory')).filter(
        (path) => !path.startsWith(join(folder, 'memory', 'skills', sep)),
      ),
    );
  return [join(gemini, 'GEMINI.md'), ...ofProject];
}

/**
 * Only the person's own settings count: those of a repository are foreign text, and could name any
 * folder.
 */
function movedMemory(claude: string, userHome: string): string | null {
  const folder = parse(readSmall(join(claude, 'settings.json'), READ_CAP)).autoMemoryDirectory;
  if (typeof folder !== 'string') return null;
  const path = folder.startsWith('~/') ? join(userHome, folder.slice(2)) : folder;
  return isAbsolute(path) ? path : null;
}

/**
 * A setting may name the person's whole home as the folder of notes: more folders or files than
 * these are not looked at.
 */
const MOST_FOLDERS = 50;
const MOST_FILES = 200;

/**
 * Files of notes in a folder and below it, the upper ones first, in order of their names; none when
 * it cannot be read.
 */
function notesIn(folder: string): string[] {
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

/**
 * The text of a file of rules without what its head says to the tool; null when it is not there or
 * too large.
 */
export function readRules(path: string): string | null {
  return readSmall(path, READ_CAP)?.replace(/^---\r?\n[\s\S]*?\n---\r?\n/, '') ?? null;
}

/** Paths that a person imported for a project, by its folder in the home. */
export function readSaid(folder: string): string[] {
  // A file that a person broke names nothing: lessons are shown again, and no lesson is lost.
  const { files } = parse(readSmall(join(folder, FILE), READ_CAP));
  return list(files).filter((path) => typeof path === 'string');
}

/** Keeps the paths that count as said from now on. */
export async function writeSaid(folder: string, files: readonly string[]): Promise<void> {
  await publishFile(join(folder, FILE), `${JSON.stringify({ version: 1, files }, null, 1)}\n`);
}
