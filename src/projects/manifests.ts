/**
 * Packages and scripts in a project's manifests: the person chose these, even if an agent named
 * them first. Reads a few small files and runs nothing.
 */
import { readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { linesOf, readSmall } from './small-file.js';
import { object, parse } from '../text/fields.js';

/** A larger file is no manifest. */
const READ_CAP = 512 * 1024;
/** Most folders that are read per project, because its worktrees name the same packages. */
const FOLDERS = 20;

type Parse = (text: string) => Iterable<string>;

/**
 * Names of packages in lower case, without versions.
 * @param folders working folders and tops of the project's repositories; missing ones are skipped
 */
export function manifestPackages(folders: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const folder of [...new Set(folders)].filter(isLocal).sort().slice(0, FOLDERS)) {
    for (const [file, parse] of Object.entries(MANIFESTS)) {
      const text = readSmall(join(folder, file), READ_CAP);
      if (text !== null) for (const name of parse(text)) names.add(bare(name));
    }
  }
  names.delete('');
  return names;
}

/**
 * Scripts, targets and programs of the project: `run NAME` for a manifest, `./path` for the usual
 * folders. They are the project's own, even if an agent named them first.
 */
export function manifestScripts(folders: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const folder of [...new Set(folders)].filter(isLocal).sort().slice(0, FOLDERS)) {
    for (const [file, parse] of Object.entries(SCRIPTS)) {
      const text = readSmall(join(folder, file), READ_CAP);
      if (text !== null) for (const name of parse(text)) names.add(`run ${name}`);
    }
    for (const place of SCRIPT_PLACES)
      for (const file of filesIn(join(folder, place)))
        names.add(`./${place === '' ? '' : `${place}/`}${file}`);
  }
  return names;
}

/** Shells and runners, which run their argument. */
const RUNS_OTHERS =
  /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|uvx|pipx|curl|wget|docker|podman|sudo|env|(?:ba|z|da)?sh|node|deno|python[\d.]*|ruby|perl|php|cross-env|dotenv)$/;

/**
 * Programs that a manifest's scripts call, as `run NAME`: the project uses them, even if an agent
 * named them first.
 */
export function manifestPrograms(folders: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const folder of [...new Set(folders)].filter(isLocal).sort().slice(0, FOLDERS)) {
    for (const file of ['package.json', 'composer.json', 'deno.json']) {
      const { scripts, tasks } = parse(readSmall(join(folder, file), READ_CAP) ?? '');
      for (const body of [scripts, tasks].flatMap((each) => Object.values(each ?? {})))
        for (const name of typeof body === 'string' ? programsOf(body) : [])
          names.add(`run ${name}`);
    }
  }
  return names;
}

function programsOf(body: string): string[] {
  return body.split(/&&|\|\||[;|&]/).flatMap((step) => {
    const program =
      step
        .trim()
        .split(/\s+/)
        .find((word) => !/^\w+=/.test(word)) ?? '';
    return /^[a-z][\w.-]*$/.test(program) && !RUNS_OTHERS.test(program) ? [program] : [];
  });
}

/** Where projects keep their own scripts. */
const SCRIPT_PLACES = ['', 'bin', 'ci', 'dev', 'hack', 'script', 'scripts', 'tools'];
/** Most files that are read in one folder of scripts. */
const FILES = 500;

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((each) => each.isFile())
      .slice(0, FILES)
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Whether a folder is local: `//host/…` would access the network. */
function isLocal(folder: string): boolean {
  return isAbsolute(folder) && !/^[\\/]{2}/.test(folder);
}

/** `flask[async]>=2,<3` -> `flask`. */
function bare(requirement: string): string {
  return requirement
    .trim()
    .replace(/(?:[\s=<>~!^[;(]|(?<=.)@).*$/s, '')
    .toLowerCase();
}

function* npm(text: string): Iterable<string> {
  for (const [section, value] of Object.entries(parse(text))) {
    if (/^(?:dev|peer|optional)?dependencies$/i.test(section)) yield* Object.keys(object(value));
  }
}

function* composer(text: string): Iterable<string> {
  const { require, 'require-dev': dev } = parse(text);
  for (const value of [require, dev]) yield* Object.keys(object(value));
}

function* requirements(text: string): Iterable<string> {
  for (const line of linesOf(text)) if (/^\s*[A-Za-z]/.test(line)) yield line;
}

/** Keys and quoted requirements in lists of dependencies; for `[dependencies.x]` the x. */
function* toml(text: string): Iterable<string> {
  let isTable = false;
  let isList = false;
  for (const line of linesOf(text)) {
    const head = /^\s*\[+([^[\]]{1,200})\]/.exec(line)?.[1];
    if (head !== undefined && !isList) {
      isTable = /(?:^|[.-])dependencies$|^dependency-groups$|^project\.optional-dependencies$/.test(
        head,
      );
      const single = /dependencies\.["']?([\w@/.-]+)["']?$/.exec(head)?.[1];
      if (single !== undefined) yield single;
      continue;
    }
    const [, key, value = ''] = /^\s*["']?([\w@/.-]+)["']?\s*=\s*(.*)$/s.exec(line) ?? [];
    const opens = value.startsWith('[') && (isTable || key === 'dependencies');
    if (isTable && key !== undefined && !opens) yield key;
    if (opens || isList) {
      for (const [, requirement] of line.matchAll(/["']([^"']{1,200})["']/g)) yield requirement!;
      isList = !/\]\s*(?:#.*)?$/s.test(line);
    }
  }
}

function* goMod(text: string): Iterable<string> {
  yield* foundIn(text, /^\s*(?:require\s+)?([\w.-]+\.[a-z]{2,}\/\S+)\s+v\d/);
}

function* gemfile(text: string): Iterable<string> {
  yield* foundIn(text, /^\s*gem(?:\s*\()?\s*["']([\w.-]+)["']/);
}

/**
 * Captured groups of a pattern. Each line is matched alone, because on the whole text `\s` and `^`
 * try every blank line again.
 */
function* foundIn(text: string, pattern: RegExp): Iterable<string> {
  for (const line of linesOf(text)) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) yield found;
  }
}

const MANIFESTS: Readonly<Record<string, Parse>> = {
  'package.json': npm,
  'requirements.txt': requirements,
  'requirements-dev.txt': requirements,
  'pyproject.toml': toml,
  'Cargo.toml': toml,
  'go.mod': goMod,
  Gemfile: gemfile,
  'composer.json': composer,
};

function* jsonScripts(text: string): Iterable<string> {
  const { scripts, tasks, bin } = parse(text);
  for (const each of [scripts, tasks, bin]) yield* Object.keys(object(each));
}

/**
 * Targets of a makefile or justfile (`name: …` at the start of a line); no variables or patterns.
 */
function* targets(text: string): Iterable<string> {
  for (const names of foundIn(text, /^(\w[\w./-]*(?: [\w./=:"'-]+)*?)\s*::?(?!=)/))
    yield names.split(' ')[0]!;
}

/** Keys below `tasks:`. */
function* taskfile(text: string): Iterable<string> {
  yield* foundIn(text.slice(Math.max(0, text.search(/^tasks:/m))), /^ {2}["']?([\w:.-]+)["']?:/);
}

/**
 * Keys of the tables that define programs and tasks, and tables of one task: `[tasks.lint]`,
 * `[tasks."test:ci"]`.
 */
function* tomlScripts(text: string): Iterable<string> {
  let isTable = false;
  for (const line of linesOf(text)) {
    const head = /^\s*\[+([^[\]]{1,200})\]/.exec(line)?.[1];
    if (head !== undefined) {
      isTable =
        /^(?:project\.(?:gui-)?scripts|tool\.(?:poetry\.scripts|poe\.tasks|pdm\.scripts|taskipy\.tasks)|tasks|alias)$/.test(
          head,
        );
      const single = /^(?:tasks|tool\.poe\.tasks)\.["']?([\w:./-]+)["']?$/.exec(head)?.[1];
      if (single !== undefined) yield single;
      continue;
    }
    const key = /^\s*["']?([\w:./-]+)["']?\s*=/.exec(line)?.[1];
    if (isTable && key !== undefined) yield key;
  }
}

const SCRIPTS: Readonly<Record<string, Parse>> = {
  'package.json': jsonScripts,
  'composer.json': jsonScripts,
  'deno.json': jsonScripts,
  Makefile: targets,
  makefile: targets,
  GNUmakefile: targets,
  justfile: targets,
  Justfile: targets,
  'Taskfile.yml': taskfile,
  'Taskfile.yaml': taskfile,
  'pyproject.toml': tomlScripts,
  'mise.toml': tomlScripts,
  '.mise.toml': tomlScripts,
};
