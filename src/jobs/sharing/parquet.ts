/**
 * Writes the views as Parquet files in Hive's layout, for engines that cannot open the database.
 * The files are made beside the folder and replace it together.
 */
import { existsSync, readdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { AppError, EXIT } from '../../errors.js';
import { copyView, exportedViews } from '../../store/parquet.js';
import { makeFolders } from '../../store/publish.js';
import type { JobContext } from '../job.js';
import { notWritten } from './bundle.js';

/** Marks a folder that may be written again. Engines skip names with an underscore. */
const MARK = '_dripstone';

/**
 * @param folder absolute; missing, empty, or from an earlier export
 * @returns number of rows by view
 */
export async function writeParquet(
  { paths, store, signal }: Pick<JobContext, 'paths' | 'store' | 'signal'>,
  folder: string,
): Promise<Record<string, number>> {
  const target = existsSync(folder) ? realpathSync(folder) : folder;
  if (`${target}${sep}`.startsWith(`${realpathSync(paths.home)}${sep}`))
    throw refusal(`${folder} lies in dripstone's own home`);
  if (existsSync(target) && !isOurs(target))
    throw refusal(`${folder} is neither empty nor an earlier export`);
  const made = `${target}.${process.pid}.tmp`;
  try {
    await makeFolders(made, 0o700);
    const rows: Record<string, number> = {};
    for (const view of await store.read(exportedViews)) {
      signal.throwIfAborted();
      rows[view] = await store.read((db) => copyView(db, view, join(made, view)));
    }
    writeFileSync(join(made, MARK), '');
    rmSync(target, { recursive: true, force: true });
    renameSync(made, target);
    return rows;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall === undefined
      ? error
      : notWritten(folder, error);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function isOurs(folder: string): boolean {
  try {
    const names = readdirSync(folder);
    return names.length === 0 || names.includes(MARK);
  } catch {
    return false;
  }
}

function refusal(what: string): AppError {
  return new AppError('NOT_EXPORTED', what, {
    hint: 'name a new folder, for example ~/dripstone-parquet',
    exitCode: EXIT.usage,
  });
}
