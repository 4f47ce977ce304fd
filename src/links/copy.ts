/**
 * The folder `.dripstone/` that an earlier version made in a repository: a copy of context.md, kept
 * out of git by its own .gitignore.
 */
import { lstatSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeEmpty } from './files.js';
import { COPY } from './line.js';

const IGNORE = '*\n';

/** Removes the copy; a folder with anything else in it stays. */
export function removeCopy(repo: string): boolean {
  const path = join(repo, COPY);
  const folder = dirname(path);
  const rule = join(folder, '.gitignore');
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true || !isOwnRule(rule))
    return false;
  rmSync(path, { force: true });
  rmSync(rule, { force: true });
  removeEmpty([folder]);
  return true;
}

/** Whether it is a plain file with our words; a link is never ours. */
function isOwnRule(rule: string): boolean {
  return (
    lstatSync(rule, { throwIfNoEntry: false })?.isFile() === true &&
    readFileSync(rule, 'utf8') === IGNORE
  );
}
