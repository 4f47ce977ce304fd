/**
 * Stores receipts outside the database, because no log can restore them: in `receipts.jsonl`, which
 * is exported, and is read after a loss of the database.
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

/** Allowed ids and names, because another machine's file may contain anything. */
const NAME = /^[^\p{Cc}\u2028\u2029]{1,200}$/u;
const TYPES: readonly Receipt['type'][] = ['page', 'lesson', 'fact', 'entry', 'notes'];

/** Appends receipts to the file. */
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

/** Receipts of a session in the file, oldest first. */
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

/** Stores receipts of the file that the database does not have. @returns how many */
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

/** Stores receipts of another machine's file. @returns those that were new here */
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

/** Removes purged receipts: an older export, or a restored file, may contain them. */
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

/** Skips lines that are not receipts, such as an incomplete last line. */
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
