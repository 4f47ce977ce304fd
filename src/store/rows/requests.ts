import { first, type Db } from '../db.js';

/** More than enough, since a command repeats its request within seconds. */
const KEPT_DAYS = 7;

/**
 * Records a request of a command to the daemon, in the transaction that fulfils the request.
 * @returns false if it was fulfilled before
 */
export async function isNewRequest(db: Db, id: string, now: Date): Promise<boolean> {
  const time = now.toISOString();
  if ((await first(db, 'SELECT 1 FROM own.requests WHERE id = $id', { id })) !== null) return false;
  await db.run(
    `DELETE FROM own.requests WHERE time < $time::TIMESTAMP - INTERVAL ${KEPT_DAYS} DAY`,
    { time },
  );
  await db.run('INSERT INTO own.requests VALUES ($id, $time::TIMESTAMP)', { id, time });
  return true;
}
