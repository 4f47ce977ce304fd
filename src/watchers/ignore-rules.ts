/** Decides which paths a project excludes: `.gitignore`, `.secretsignore`, `.dripstoneignore`. */
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { readSmall } from '../projects/small-file.js';

const RULE_FILES = ['.gitignore', '.secretsignore', '.dripstoneignore'];
const READ_CAP = 1024 * 1024;
/** The rules of this many folders are cached; the cache is emptied when full. */
const MEMO_LIMIT = 5_000;
/** Longer paths are not checked, which would be slow: no system can open them. */
const LONGEST_PATH = 4096;
/** Deeper paths count as ignored: each folder costs checks, and no repository is so deep. */
const DEEPEST = 256;
/** A rule with more stars is left out, because it takes minutes on a path that almost fits. */
const MOST_STARS = 4;

/** Whether the project of a session's folder ignores a path that the session names. */
type IgnoredPath = (path: string, cwd: string | null) => boolean;

/**
 * Reads rule files on demand, from the top of the repository down to the path's folder; without
 * git, in the working folder only.
 * @param topOf the top of the repository that a folder belongs to, or null
 */
export function createIgnoredPath(topOf: (folder: string) => string | null): IgnoredPath {
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
    if (path.length > LONGEST_PATH || (!isAbsolute(path) && cwd === null)) return false;
    const key = `${cwd}\0${path}`;
    const known = verdicts.get(key);
    if (known !== undefined) return known;
    if (verdicts.size >= MEMO_LIMIT) verdicts.clear();
    const full = resolve(cwd ?? '/', path);
    const top = topOf(dirname(full)) ?? cwd;
    const inside = top !== null && isAbsolute(top) ? relative(top, full) : '';
    const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside);
    const found = isInside && isIgnored(top!, inside.split(sep), rulesIn);
    verdicts.set(key, found);
    return found;
  };
}

/**
 * As in git, the nearest folder with a matching rule decides, and an ignored folder ignores
 * everything below it. A path that is nested too deep counts as ignored, because the rule may
 * protect a secret.
 */
function isIgnored(
  top: string,
  parts: string[],
  rulesIn: (folder: string) => Ignore | null,
): boolean {
  if (parts.length > DEEPEST) return true;
  const folders = parts.map((_, at) => join(top, ...parts.slice(0, at)));
  return parts.some((_, depth) => {
    const end = depth + 1 < parts.length ? '/' : '';
    for (let level = depth; level >= 0; level--) {
      const path = `${parts.slice(level, depth + 1).join('/')}${end}`;
      const found = rulesIn(folders[level]!)?.test(path);
      if (found?.ignored === true) return true;
      if (found?.unignored === true) return false;
    }
    return false;
  });
}

function readRules(folder: string): Ignore | null {
  const exclude = readSmall(join(folder, '.git', 'info', 'exclude'), READ_CAP) ?? '';
  const texts = RULE_FILES.map((name) => readSmall(join(folder, name), READ_CAP) ?? '');
  const lines = [exclude, ...texts]
    .join('\n')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && (line.match(/\*+/g) ?? []).length <= MOST_STARS);
  return lines.length === 0 ? null : ignore({ allowRelativePaths: true }).add(lines);
}
