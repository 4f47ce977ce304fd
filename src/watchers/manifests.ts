/** Which packages the manifests of a project name: the person chose those, whoever spoke of them first. Reads a few small files, runs nothing. */
import { isAbsolute, join } from 'node:path';
import { readSmall } from './small-file.js';

/** Manifests are small; anything larger is not one. */
const READ_CAP = 512 * 1024;
/** Folders of one project that are looked into: its worktrees name the same packages. */
const FOLDERS = 20;

type Parse = (text: string) => Iterable<string>;

/**
 * Names of packages in lower case, without versions.
 * @param folders working folders and tops of the project's repositories; those that are gone name nothing
 */
export const manifestPackages = (folders: readonly string[]): Set<string> => {
  const names = new Set<string>();
  for (const folder of [...new Set(folders)].filter(isLocal).sort().slice(0, FOLDERS)) {
    for (const [file, parse] of Object.entries(MANIFESTS)) {
      const text = readSmall(join(folder, file), READ_CAP);
      if (text !== null) for (const name of parse(text)) names.add(bare(name));
    }
  }
  names.delete('');
  return names;
};

/** `//host/…` would call the network. */
const isLocal = (folder: string): boolean => isAbsolute(folder) && !/^[\\/]{2}/.test(folder);

/** `flask[async]>=2,<3` -> `flask`. */
const bare = (requirement: string): string => requirement.trim().replace(/(?:[\s=<>~!^[;(]|(?<=.)@).*$/s, '').toLowerCase();

function* npm(text: string): Iterable<string> {
  for (const [section, value] of Object.entries(objectOf(text))) {
    if (/^(?:dev|peer|optional)?dependencies$/i.test(section) && typeof value === 'object' && value !== null) yield* Object.keys(value);
  }
}

function* composer(text: string): Iterable<string> {
  const { require, 'require-dev': dev } = objectOf(text);
  for (const value of [require, dev]) if (typeof value === 'object' && value !== null) yield* Object.keys(value);
}

const objectOf = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};

function* requirements(text: string): Iterable<string> {
  for (const line of text.split('\n')) if (/^\s*[A-Za-z]/.test(line)) yield line;
}

/** Keys and quoted requirements of the sections and lists that are called dependencies; of `[dependencies.x]` the x. */
function* toml(text: string): Iterable<string> {
  let isTable = false;
  let isList = false;
  for (const line of text.split('\n')) {
    const head = /^\s*\[+([^\]]+)\]+/.exec(line)?.[1];
    if (head !== undefined && !isList) {
      isTable = /(?:^|[.-])dependencies$|^dependency-groups$|^project\.optional-dependencies$/.test(head);
      const single = /dependencies\.["']?([\w@/.-]+)["']?$/.exec(head)?.[1];
      if (single !== undefined) yield single;
      continue;
    }
    const [, key, value = ''] = /^\s*["']?([\w@/.-]+)["']?\s*=\s*(.*)$/.exec(line) ?? [];
    const opens = value.startsWith('[') && (isTable || key === 'dependencies');
    if (isTable && key !== undefined && !opens) yield key;
    if (opens || isList) {
      for (const [, requirement] of line.matchAll(/["']([^"']{1,200})["']/g)) yield requirement!;
      isList = !/\]\s*(?:#.*)?$/.test(line);
    }
  }
}

function* goMod(text: string): Iterable<string> {
  for (const [, path] of text.matchAll(/^\s*(?:require\s+)?([\w.-]+\.[a-z]{2,}\/\S+)\s+v\d/gm)) yield path!;
}

function* gemfile(text: string): Iterable<string> {
  for (const [, name] of text.matchAll(/^\s*gem\s*\(?\s*["']([\w.-]+)["']/gm)) yield name!;
}

const MANIFESTS: Readonly<Record<string, Parse>> = {
  'package.json': npm, 'requirements.txt': requirements, 'requirements-dev.txt': requirements, 'pyproject.toml': toml, 'Cargo.toml': toml,
  'go.mod': goMod, Gemfile: gemfile, 'composer.json': composer,
};
