/**
 * `.git/info/exclude`: files that are one person's own, CLAUDE.local.md and the settings with the hook, stay out of `git status`.
 * The two lines of ours go out again as they came in.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Change, lookAtOther } from './files.js';

const MARK = '# dripstone';

/** Files of a person alone that linking makes, relative to the repository. */
export const OWN_FILES: readonly string[] = ['CLAUDE.local.md', '.claude/settings.local.json'];

/**
 * @param gitFolder the folder that all worktrees of the repository share
 * @param made files that linking makes; others may be the team's
 */
export function planExclude(repo: string, gitFolder: string | null, made: readonly string[]): Change[] {
  if (gitFolder === null || !existsSync(gitFolder)) return [];
  const file = lookAtOther(join(gitFolder, 'info/exclude'));
  const text = file.bytes?.toString('utf8') ?? '';
  const ignore = join(repo, '.gitignore');
  const known = new Set(
    `${text}\n${existsSync(ignore) ? readFileSync(ignore, 'utf8') : ''}`.split(/\r?\n/).map((line) => line.trim()),
  );
  const added = OWN_FILES.filter((name) => made.includes(join(repo, name)) && !known.has(name) && !known.has(`/${name}`));
  if (added.length === 0) return [];
  // How the lines are joined to the end tells how the file ended before.
  const isEnded = text === '' || text.endsWith('\n');
  const lines = added.map((name) => (isEnded ? `${MARK}\n/${name}\n` : `\n${MARK}\n/${name}`));
  return [{ file, after: Buffer.from(text + lines.join(''), 'utf8') }];
}

/** Every pair of lines of ours is taken out. A file that holds nothing else was made by us. */
export function planExcludeOut(gitFolder: string | null): Change[] {
  if (gitFolder === null || !existsSync(join(gitFolder, 'info/exclude'))) return [];
  const file = lookAtOther(join(gitFolder, 'info/exclude'));
  const text = file.bytes?.toString('utf8') ?? '';
  const left = OWN_FILES.reduceRight((now, name) => {
    const own = `${MARK}\n/${name}`;
    return now.endsWith(`\n${own}`) ? now.slice(0, -own.length - 1) : now.replace(`${own}\n`, '');
  }, text);
  return left === text ? [] : [{ file, after: left === '' ? null : Buffer.from(left, 'utf8') }];
}
