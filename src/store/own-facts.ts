/**
 * A person's own facts (`~/.dripstone/facts/*.sql`): each is asked by a process that can be
 * stopped.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { compiledFile } from '../place.js';

export interface OwnQuestion {
  path: string;
  /** As of `StoreOptions`. */
  named: string;
  /** A SELECT that may use `as_of`. */
  sql: string;
  /** ISO 8601 UTC. */
  asOf: string;
}

/** What the process writes. */
export type OwnAnswer = { rows: OwnRow[] } | { error: string };

/**
 * For the query itself; the process also starts and opens the file, which took more than 10 s on a
 * crowded machine.
 */
export const OWN_FACT_MS = 2000;
const PROCESS_MS = 60_000;
const MOST_ROWS = 1000;

const ENTRY = compiledFile('store/own-facts-child.js');

/** What a SELECT may give, by the names of its columns: not checked yet. */
export type OwnRow = Readonly<Record<string, unknown>>;

/** @throws Error with one sentence: what is wrong with the query or with what it gives */
export async function askOwnFact(question: OwnQuestion, signal: AbortSignal): Promise<OwnRow[]> {
  const child = spawn(process.execPath, [ENTRY], {
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: PROCESS_MS,
    killSignal: 'SIGKILL',
    signal,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  // One that died before it read says so by its end.
  child.stdin.on('error', () => {}).end(JSON.stringify(question));
  const [out, code] = await Promise.all([text(child.stdout), ended]);
  if (code !== 0) throw new Error(`its process ended with ${code ?? 'a signal'}`);
  const answer = JSON.parse(out) as OwnAnswer;
  if ('error' in answer) throw new Error(answer.error);
  if (answer.rows.length > MOST_ROWS) throw new Error(`it gives more than ${MOST_ROWS} rows`);
  return answer.rows;
}
