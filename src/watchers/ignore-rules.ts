/** Which paths a project excludes: `.gitignore`, `.secretsignore`, `.dripstoneignore`. */
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { parseRules, TooCostly, type Rules } from './ignore-match.js';
import { readSmall } from '../projects/small-file.js';

const RULE_FILES = ['.gitignore', '.secretsignore', '.dripstoneignore'];
const READ_CAP = 1024 * 1024;
/** The rules of this many folders are cached; the cache is emptied when full. */
const MEMO_LIMIT = 5_000;
/** No system opens a longer path, and each of its folders would be checked. */
const LONGEST_PATH = 4096;
/**
 * Each folder of a path is checked against the rules of its parents; no repository is nested this
 * deep.
 */
const DEEPEST = 256;
/**
 * Per path. A thousand rules and 20 folders take 100,000 comparisons; a second of processor time is
 * 100 million.
 */
const MOST_STEPS = 10_000_000;

/** Whether the project of a session's folder ignores a path that the session names. */
type IgnoredPath = (path: string, cwd: string | null) => boolean;

/**
 * Reads rule files on demand, from the top of the repository down to the path's folder; without
 * git, in the working folder only.
 * @param topOf the top of the repository that a folder belongs to, or null
 */
export function createIgnoredPath(topOf: (folder: string) => string | null): IgnoredPath {
  const rules = new Map<string, Rules | null>();
  const verdicts = new Map<string, boolean>();
  const rulesIn = (folder: string): Rules | null => {
    const known = rules.get(folder);
    if (known !== undefined) return known;
    if (rules.size >= MEMO_LIMIT) rules.clear();
    const read = readRules(folder);
    rules.set(folder, read);
    return read;
  };
  return (path, cwd) => {
    if (path.length > LONGEST_PATH || (!isAbsolute(path) && cwd === null)) return false;
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
}

/**
 * As in git, the nearest folder with a matching rule decides, and an ignored folder ignores
 * everything below it. A path that takes too long to judge counts as ignored, because the rule may
 * protect a secret.
 */
function isIgnored(
  top: string,
  parts: string[],
  rulesIn: (folder: string) => Rules | null,
): boolean {
  if (parts.length > DEEPEST) return true;
  const folders = parts.map((_, at) => join(top, ...parts.slice(0, at)));
  const steps = { left: MOST_STEPS };
  const isPart = (depth: number): boolean => {
    for (let level = depth; level >= 0; level--) {
      const found =
        rulesIn(folders[level]!)?.test(
          parts.slice(level, depth + 1),
          depth + 1 < parts.length,
          steps,
        ) ?? null;
      if (found !== null) return found === 'ignored';
    }
    return false;
  };
  try {
    return parts.some((_, depth) => isPart(depth));
  } catch (error) {
    if (error instanceof TooCostly) return true;
    throw error;
  }
}

function readRules(folder: string): Rules | null {
  const texts = RULE_FILES.flatMap((name) => readSmall(join(folder, name), READ_CAP) ?? []);
  const exclude = readSmall(join(folder, '.git', 'info', 'exclude'), READ_CAP);
  const all = exclude === null ? texts : [exclude, ...texts];
  return all.length === 0 ? null : parseRules(all.join('\n'));
}
