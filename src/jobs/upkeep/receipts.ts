/**
 * Receipts outside the database: no log can bring them back, so each is in `receipts.jsonl` of
 * the home, too, goes with an export, and comes back when the database is lost.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { HomePaths } from '../../config.js';
import {
  addReceipts,
  knownMarks,
  purgedSession,
  type Db,
  type Receipt,
} from '../../store/index.js';
import type { JobContext } from '../job.js';
import { parse } from '../../text/fields.js';

/** Ids and names: another machine's file may have anything. */
const NAME = /^[^\p{Cc}\u2028\u2029]{1,200}$/u;
const TYPES: readonly Receipt['type'][] = ['page', 'lesson', 'fact', 'entry', 'notes'];

/** Notes receipts in the file. */
export function keepReceipts(
  { receipts: path }: Pick<HomePaths, 'receipts'>,
  receipts: readonly Receipt[],
): void {
  appendFileSync(
    path,
    receipts.map((each) => `${JSON.stringify({ version: 1, ...each })}\n`).join(''),
    { mode: 0o600 },
  );
}

/** Receipts of a session in the file, the oldest first. */
export function receiptsOf(
  { receipts: path }: Pick<HomePaths, 'receipts'>,
  session: string,
): Receipt[] {
  if (!existsSync(path)) return [];
  const [lines, name] = [readFileSync(path, 'utf8').split('\n'), JSON.stringify(session)];
  return receiptsIn(lines.filter((line) => line.includes(name)).join('\n')).filter(
    (each) => each.session === session,
  );
}

/** Takes receipts of the file in that the database does not know. @returns how many */
export async function recoverReceipts({
  paths,
  store,
}: Pick<JobContext, 'paths' | 'store'>): Promise<number> {
  if (!existsSync(paths.receipts)) return 0;
  const receipts = receiptsIn(readFileSync(paths.receipts, 'utf8'));
  return receipts.length === 0
    ? 0
    : store.write(async (db) => addReceipts(db, await withoutPurged(db, receipts)));
}

/** Takes another machine's file in. @returns receipts that were not known here */
export async function joinReceipts(
  { paths, store }: Pick<JobContext, 'paths' | 'store'>,
  text: string,
): Promise<number> {
  const known = new Set(
    existsSync(paths.receipts) ? receiptsIn(readFileSync(paths.receipts, 'utf8')).map(keyOf) : [],
  );
  const read = receiptsIn(text).filter((each) => !known.has(keyOf(each)));
  const added = read.length === 0 ? [] : await store.read((db) => withoutPurged(db, read));
  if (added.length === 0) return 0;
  keepReceipts(paths, added);
  return await store.write((db) => addReceipts(db, added));
}

/** An older export, or a file that another program wrote back, may name what was purged. */
async function withoutPurged(db: Db, receipts: readonly Receipt[]): Promise<Receipt[]> {
  const marksOf = ({ agent, session, id }: Receipt): string[] => [
    id,
    purgedSession(agent, session),
  ];
  const purged = await knownMarks(db, [...new Set(receipts.flatMap(marksOf))]);
  return receipts.filter((each) => !marksOf(each).some((mark) => purged.has(mark)));
}

function keyOf({ receipt, type, id }: Receipt): string {
  return `${receipt} ${type} ${id}`;
}

/** Lines that are no receipts are left out: the last one may be half a line. */
function receiptsIn(text: string): Receipt[] {
  return text.split('\n').flatMap((line) => {
    const { receipt, time, moment, agent, session, project, type, id, tokens } = parse(line);
    const names = [receipt, moment, agent, session, project, id];
    const isTime =
      typeof time === 'string' &&
      /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) &&
      !Number.isNaN(Date.parse(time));
    const isSmall = Number.isSafeInteger(tokens) && Math.abs(tokens as number) < 1e6;
    if (!isTime || !isSmall || !names.every((each) => typeof each === 'string' && NAME.test(each)))
      return [];
    if (!TYPES.some((each) => each === type)) return [];
    return [{ receipt, time, moment, agent, session, project, type, id, tokens } as Receipt];
  });
}
