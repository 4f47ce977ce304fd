/** The process that `askOwnFact` starts: the question comes on standard input. */
import { text } from 'node:stream/consumers';
import { messageOf } from '../errors.js';
import { OWN_FACT_MS, type OwnAnswer, type OwnQuestion } from './own-facts.js';
import { queryFact } from './search/query.js';

const { path, named, sql, asOf } = JSON.parse(await text(process.stdin)) as OwnQuestion;
const stop = new AbortController();
const opened = (): void => void setTimeout(() => stop.abort(), OWN_FACT_MS).unref();
// One try: while another program holds the file it is left for the next learning, so no time passes
// here.
const once = { lockWaitMs: 0, clock: { now: () => new Date(asOf), mono: () => 0 } };
const answer = await queryFact(
  { path, named, ...once, signal: stop.signal, opened },
  sql,
  asOf,
).then(
  ({ columns, rows }): OwnAnswer => ({
    rows: rows.map((row) =>
      Object.fromEntries(columns.map((column, index) => [column, row[index]])),
    ),
  }),
  (error: unknown): OwnAnswer => ({
    error: stop.signal.aborted ? `it takes longer than ${OWN_FACT_MS / 1000} s` : messageOf(error),
  }),
);
process.stdout.write(JSON.stringify(answer));
