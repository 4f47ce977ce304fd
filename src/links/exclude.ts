/**
 * Lines that an earlier version of `link` added to a repository's `info/exclude` (gitignore(5)).
 */
import { join } from 'node:path';
import { lookAtFolder } from '../projects/folder-project.js';
import { type Change, lookIfFit } from './files.js';

/**
 * Text without our patterns, each with the comment that marks it. Its end says how the text ended
 * before. Pure.
 */
export function withoutPatterns(text: string): string {
  return text
    .replace(/(?<=^|\n)# dripstone\n\/[^\n]*\n/g, '')
    .replace(/(?:^|\n)# dripstone\n\/[^\n]*$/, '');
}

/** What to change in a repository's list; null when no line of ours is there. */
export function planExcludeOut(repo: string): Change | null {
  const { commonDir } = lookAtFolder(repo);
  const file = commonDir === null ? null : lookIfFit(join(commonDir, 'info/exclude'));
  const before = file?.bytes?.toString('latin1') ?? '';
  const after = withoutPatterns(before);
  if (file === null || after === before) return null;
  return { file, after: after === '' ? null : Buffer.from(after, 'latin1') };
}
