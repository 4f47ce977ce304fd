/** One transaction on one connection. */
import { messageOf } from '../errors.js';
import type { Db } from './db.js';
import type { Connection } from './db.js';
import { isUnfoldable } from './repair/mend.js';

/** @returns `unfolded`: everything is committed, but the log could not be folded in and the engine has given up */
export async function transact<T>(
  connection: Connection,
  kind: 'read' | 'write',
  fn: (db: Db) => Promise<T>,
): Promise<{ result: T; unfolded: boolean }> {
  await connection.run(kind === 'write' ? 'BEGIN TRANSACTION' : 'BEGIN TRANSACTION READ ONLY');
  try {
    const result = await fn(connection);
    const unfolded = await connection.run('COMMIT').then(
      () => false,
      (error: unknown) => {
        if (isUnfoldable(error) && /COMMIT succeeded/i.test(messageOf(error))) return true;
        throw error;
      },
    );
    return { result, unfolded };
  } catch (error) {
    // After a failed commit there is no transaction any more and ROLLBACK complains; the first error is the one that counts.
    await connection.run('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
