/** The home's secret: a file of its own, made whole or not at all. */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { HomePaths } from './config.js';
import { AppError, EXIT, messageOf } from './errors.js';

/**
 * The home's own secret, made once: marks of masked secrets are keyed with it. A reader of a home
 * without one writes nothing that it could mark.
 */
export function keyOf(paths: HomePaths, access: 'read' | 'write'): string {
  const known = existsSync(paths.key) ? readFileSync(paths.key, 'utf8').trim() : '';
  if (known !== '') return known;
  const key = randomBytes(32).toString('hex');
  return access === 'read' || keepKey(paths, key) ? key : readFileSync(paths.key, 'utf8').trim();
}

/**
 * Writes the key whole or not at all, even when the process is killed; of two processes that start
 * together the first one's key stands. @returns false when there is one by now
 */
function keepKey(paths: HomePaths, key: string): boolean {
  const temp = `${paths.home}/.redact.key.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(temp, `${key}\n`, { mode: 0o600, flag: 'wx' });
    if (existsSync(paths.key) && statSync(paths.key).size === 0) renameSync(temp, paths.key);
    else linkSync(temp, paths.key);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new AppError('HOME_NOT_WRITABLE', `${paths.key} cannot be written: ${messageOf(cause)}`, {
      hint: 'free some space or make the folder writable, or set DRIPSTONE_HOME to another one',
      exitCode: EXIT.notWritable,
      cause,
    });
  } finally {
    rmSync(temp, { force: true });
  }
}
