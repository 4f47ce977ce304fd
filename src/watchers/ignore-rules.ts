/** Which paths a project keeps to itself: `.gitignore`, `.secretsignore`, `.dripstoneignore`. The only user of `ignore`. */
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { readSmall } from './small-file.js';

const RULE_FILES = ['.gitignore', '.secretsignore', '.dripstoneignore'];
const READ_CAP = 1024 * 1024;
/** Rules of so many folders are remembered; emptied when full. */
const MEMO_LIMIT = 5_000;

/** Whether a path that a session names is ignored by the project of its folder. */
export type IgnoredPath = (path: string, cwd: string | null) => boolean;

/**
 * Reads rule files on demand, from the repository's top down to the path's folder; without git, in the working folder alone.
 * @param topOf the top of the repository that a folder lies in, or null
 */
export const createIgnoredPath = (topOf: (folder: string) => string | null): IgnoredPath => {
  const rules = new Map<string, Ignore | null>();
  const verdicts = new Map<string, boolean>();
  const rulesIn = (folder: string): Ignore | null => {
    const known = rules.get(folder);
    if (known !== undefined) return known;
    if (rules.size >= MEMO_LIMIT) rules.clear();
    const read = readRules(folder);
    rules.set(folder, read);
    return read;
  };
  return (path, cwd) => {
    if (!isAbsolute(path) && cwd === null) return false;
    const full = resolve(cwd ?? '/', path);
    const top = topOf(dirname(full)) ?? cwd;
    if (top === null || !isAbsolute(top)) return false;
    const inside = relative(top, full);
    if (inside === '' || inside.startsWith('..') || isAbsolute(inside)) return false;
    const key = `${top}\0${full}`;
    const known = verdicts.get(key);
    if (known !== undefined) return known;
    if (verdicts.size >= MEMO_LIMIT) verdicts.clear();
    const found = isIgnored(top, inside.split(sep), rulesIn);
    verdicts.set(key, found);
    return found;
  };
};

/** The nearest folder that says anything decides, as in git; an ignored folder ignores all below it. */
const isIgnored = (top: string, parts: string[], rulesIn: (folder: string) => Ignore | null): boolean => {
  for (let depth = 1; depth <= parts.length; depth++) {
    const isFolder = depth < parts.length;
    if (verdict(top, parts.slice(0, depth), isFolder, rulesIn)) return true;
  }
  return false;
};

const verdict = (top: string, parts: string[], isFolder: boolean, rulesIn: (folder: string) => Ignore | null): boolean => {
  for (let level = parts.length - 1; level >= 0; level--) {
    const found = rulesIn(join(top, ...parts.slice(0, level)))?.test(parts.slice(level).join('/') + (isFolder ? '/' : ''));
    if (found?.ignored || found?.unignored) return found.ignored;
  }
  return false;
};

const readRules = (folder: string): Ignore | null => {
  const texts = RULE_FILES.flatMap((name) => readSmall(join(folder, name), READ_CAP) ?? []);
  const exclude = readSmall(join(folder, '.git', 'info', 'exclude'), READ_CAP);
  const all = exclude === null ? texts : [exclude, ...texts];
  return all.length === 0 ? null : ignore({ allowRelativePaths: true }).add(all.join('\n'));
};
