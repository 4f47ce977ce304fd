/**
 * The file behind a `memory.duckdb` that is a link. The write-ahead log and a rebuild are written
 * beside the opened name: beside a link, a rebuild would leave purged bytes in the real file.
 */
import {
  copyFileSync,
  existsSync,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { AppError, EXIT, messageOf } from '../../errors.js';

/**
 * The path of the real file; `named` itself unless it is a link. Keeps links among the folders
 * above, since the whole home is behind them.
 * @throws AppError STORE_LINK (exit 14) for a link to a missing file, or to a name that the
 * database cannot use
 */
export function trueFile(named: string): string {
  if (lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return named;
  const refuse = (what: string, hint: string): AppError =>
    new AppError('STORE_LINK', `${named} is a link ${what}`, { hint, exitCode: EXIT.notWritable });
  let path: string;
  try {
    path = realpathSync(named);
  } catch (cause) {
    throw refuse(
      `that points to no file (${messageOf(cause)})`,
      'mount the disk or bring the file back; or remove the link, and `dripstone run` makes a new database from tiers and logs',
    );
  }
  if (!statSync(path).isFile())
    throw refuse(`to ${path}, which is not a file`, 'point it at the database file itself');
  if (path.includes('?'))
    throw refuse(
      `to ${path}, whose name contains a question mark, which the database cannot use`,
      'rename the folder or the file, and point the link there',
    );
  return path;
}

/**
 * Moves a write-ahead log from the link to the file, since otherwise its commits would be missing.
 * Call this before the file is opened for writing. If both have a log, the file's log counts.
 */
export function bringLog(named: string, path: string): void {
  const [from, to] = [`${named}.wal`, `${path}.wal`];
  if (named === path || !existsSync(from) || existsSync(to)) return;
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    copyFileSync(from, `${to}.tmp`);
    renameSync(`${to}.tmp`, to);
    rmSync(from);
  }
}
