/**
 * Personal files that `link` makes in a repository, kept out of git by its own list for this
 * machine (`info/exclude`, gitignore(5)), which is never committed. Pure but for `planExclude`,
 * which looks.
 */
import { join } from 'node:path';
import { lookAtFolder } from '../projects/folder-project.js';
import { AppError } from '../errors.js';
import { type Change, lookAtOther } from './files.js';

/** A pattern stands alone on its line there, so a comment before it says whose it is. */
const OURS = '# dripstone';

/**
 * Text with a pattern below our comment; the same when the pattern is there. Its end tells later
 * how it ended before.
 */
export function withPattern(text: string, pattern: string): string {
  if (text.split(/\r?\n/).some((line) => line.trim() === pattern)) return text;
  const block = `${OURS}\n${pattern}`;
  return text === '' || text.endsWith('\n') ? `${text}${block}\n` : `${text}\n${block}`;
}

/** Text without our patterns, each with its comment; what it was before `withPattern`. */
export function withoutPatterns(text: string): string {
  return text
    .replace(/(?<=^|\n)# dripstone\n\/[^\n]*\n/g, '')
    .replace(/(?:^|\n)# dripstone\n\/[^\n]*$/, '');
}

/**
 * What to change in a repository's list.
 * @param pattern to put in; null takes all of ours out
 * @returns null when nothing is to be changed, there is no git, or the list is none that may be
 * touched
 */
export function planExclude(repo: string, pattern: string | null): Change | null {
  const { commonDir } = lookAtFolder(repo);
  if (commonDir === null) return null;
  try {
    const file = lookAtOther(join(commonDir, 'info/exclude'));
    const before = (file.bytes ?? Buffer.alloc(0)).toString('latin1');
    const after = pattern === null ? withoutPatterns(before) : withPattern(before, pattern);
    if (after === before) return null;
    return { file, after: after === '' && pattern === null ? null : Buffer.from(after, 'latin1') };
  } catch (error) {
    // A list that cannot be changed costs a line in `git status`, no more.
    if (error instanceof AppError) return null;
    throw error;
  }
}
