/** The folder `.dripstone/` in a repository: a copy of context.md, kept out of git by its own .gitignore. */
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../errors.js';
import { removeEmpty, refuse } from './files.js';
import { COPY } from './line.js';

const IGNORE = '*\n';

/** Makes the folder with its .gitignore; the copy itself is published by whoever has the text. @returns the path of the copy */
export const prepareCopy = (repo: string): string => {
  const path = join(repo, COPY);
  const folder = dirname(path);
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  if (stat && !stat.isDirectory()) throw refuse(folder, 'is not a folder', 'move it away');
  const rule = join(folder, '.gitignore');
  if (existsSync(rule) && readFileSync(rule, 'utf8') !== IGNORE) throw refuse(rule, 'is not ours', 'move it away');
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(rule, IGNORE);
  } catch (cause) {
    throw refuse(folder, `cannot be written: ${messageOf(cause)}`, 'make the repository writable');
  }
  return path;
};

/** Removes what `prepareCopy` made; a folder with anything else in it stays. */
export const removeCopy = (repo: string): boolean => {
  const path = join(repo, COPY);
  const folder = dirname(path);
  const rule = join(folder, '.gitignore');
  if (!existsSync(rule) || readFileSync(rule, 'utf8') !== IGNORE) return false;
  rmSync(path, { force: true });
  rmSync(rule, { force: true });
  removeEmpty([folder]);
  return true;
};
