/**
 * Runs an SQL query of a person in a read-only instance that can read only the store and the
 * archive's tiers.
 */
import { dirname, join } from 'node:path';
import { setTimeout as sleepReal } from 'node:timers/promises';
import { AppError, EXIT, messageOf } from '../../errors.js';
import type { Clock } from '../../types.js';
import { asGlob } from './archive.js';
import type { Answer, Params } from '../db.js';
import { openReady, openWaiting } from '../open-migrated.js';
import { faultKind } from '../repair/fault.js';

interface QueryOptions {
  path: string;
  /** See `StoreOptions`. */
  named?: string;
  beforeMigration?: (path: string) => void;
  clock: Clock;
  lockWaitMs: number;
  signal: AbortSignal;
  sleep?: (ms: number) => Promise<void>;
  memoryLimitMb?: number;
  /** Called after opening the file, before the query. */
  opened?: () => void;
}

const FORBIDDEN =
  'only one SELECT or EXPLAIN is run: nothing can be changed, written or attached here';

const TOO_LARGE =
  'ask for less of `text` at once: a WHERE on session, project or time, or left(text, 1000) where whole texts are sorted, ' +
  'grouped or compared';

/**
 * Runs exactly one SELECT or EXPLAIN. Checks the prepared statement's type, since even a read-only
 * DuckDB runs `COPY … TO`. Files outside the projects folder, the network, extensions and settings
 * are not accessible.
 *
 * @param most rows to read; default: all
 * @throws AppError QUERY (exit 2) for a wrong or forbidden statement, STORE_BUSY (11), NO_STORE
 * (10)
 */
export async function queryStore(
  options: QueryOptions,
  sql: string,
  params: Params = {},
  most?: number,
): Promise<Answer> {
  const reading = { ...options, readOnly: true };
  const sleep = options.sleep ?? ((ms: number) => sleepReal(ms).then(() => undefined));
  const database = await openWaiting(reading, sleep, () => openReady(reading));
  try {
    const connection = await database.connect();
    // DuckDB compares the spelling of a glob with the allowed folders, so both spellings are
    // allowed.
    const projects = join(dirname(options.named ?? options.path), 'projects');
    const allowed = [projects, asGlob(projects)].map(
      (folder) => `'${folder.replaceAll("'", "''")}/'`,
    );
    await connection.run(`SET allowed_directories = [${allowed.join(', ')}]`);
    await connection.run('SET enable_external_access = false');
    await connection.run('SET lock_configuration = true');
    options.opened?.();
    const stop = () => connection.interrupt();
    options.signal.addEventListener('abort', stop);
    try {
      const answer = await connection.select(sql, params, most);
      if (answer === null)
        throw new AppError('QUERY', FORBIDDEN, {
          hint: 'docs/database.md has the views and examples',
          exitCode: EXIT.usage,
        });
      return answer;
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (options.signal.aborted)
        throw new AppError('INTERRUPTED', 'the query was interrupted', {
          exitCode: EXIT.interrupted,
        });
      if (faultKind(error) === 'memory')
        throw new AppError(
          'QUERY',
          `the answer needs more memory than the engine may take: ${messageOf(error).split('\n')[0]}`,
          { hint: TOO_LARGE, exitCode: EXIT.usage, cause: error },
        );
      throw new AppError('QUERY', messageOf(error), {
        hint: 'docs/database.md lists every view and column',
        exitCode: EXIT.usage,
        cause: error,
      });
    } finally {
      options.signal.removeEventListener('abort', stop);
    }
  } finally {
    database.close();
  }
}
