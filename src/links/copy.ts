/**
 * The folder `.dripstone/` in a repository: a copy of context.md, kept out of git by its own
 * .gitignore.
 */
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../errors.js';
import { removeEmpty, refuse } from './files.js';
import { COPY } from './line.js';

const IGNORE = '*\n';

/**
 * Makes the folder with its .gitignore; the copy itself is published by whoever has the text.
 * @returns the path of the copy
 */
export function prepareCopy(repo: string): string {
  const path = join(repo, COPY);
  const folder = dirname(path);
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) throw refuse(folder, 'is not a folder', 'move it away');
  const rule = join(folder, '.gitignore');
  const found = lstatSync(rule, { throwIfNoEntry: false });
  if (found && !isOwnRule(rule)) throw refuse(rule, 'is not ours', 'move it away');
  try {
    mkdirSync(folder, { recursive: true });
    // A repository may ship the file as a link that leads outside: it is made again or not at all,
    // never written through.
    if (!found) writeFileSync(rule, IGNORE, { flag: 'wx' });
  } catch (cause) {
    throw refuse(folder, `cannot be written: ${messageOf(cause)}`, 'make the repository writable');
  }
  return path;
}

/** Removes what `prepareCopy` made; a folder with anything else in it stays. */
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
