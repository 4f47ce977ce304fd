/** Files that could not be read and are kept beside themselves: `x.bad`, then `x.bad-2`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { badName } from '../store/index.js';

/** Those that are kept of a file, oldest first. */
export const keptBad = (path: string): string[] => {
  const [folder, name] = [dirname(path), `${basename(path)}.bad`];
  const numberOf = (bad: string): number => Number(/-(\d+)$/.exec(bad)?.[1] ?? 1);
  return (existsSync(folder) ? readdirSync(folder) : [])
    .filter((each) => each === name || (each.startsWith(`${name}-`) && /^\d+$/.test(each.slice(name.length + 1))))
    .sort((a, b) => numberOf(a) - numberOf(b))
    .map((each) => join(folder, each));
};

/** The one with these very bytes, if there is one: a file that is looked at again is kept once. */
export const badWith = (path: string, text: string): string | null =>
  keptBad(path).find((bad) => readFileSync(bad, 'utf8') === text) ?? null;

/** Copies a file beside itself, each version once, under a name that is free. @returns the copy */
export const copyBad = async (path: string, text: string): Promise<string> => {
  const same = badWith(path, text);
  if (same !== null) return same;
  const bad = badName(path);
  await copyFile(path, bad);
  return bad;
};
