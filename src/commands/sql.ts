/**
 * `dripstone sql`: queries the DuckDB file, read-only; prints a table on a terminal, JSON lines
 * otherwise.
 */
import { AppError, EXIT, usage } from '../errors.js';
import { createApp, LOCK_WAIT_MS, type App } from '../app.js';
import { pathsOf } from '../config.js';
import { refuseMigration } from '../jobs/upkeep/daemon-note.js';
import { vectorOfText } from '../recall/query-vector.js';
import { askArchive, queryStore, type Answer } from '../store/index.js';
import { whileReleased } from '../work.js';
import { type Command, ASKING, readInput, value, flag } from '../command.js';
import { verbatim } from '../text/verbatim.js';
import { aligned } from './screen.js';

export const sqlCommand: Command = {
  name: 'sql',
  summary:
    'ask the database in SQL (read-only; docs/database.md lists the views); `-` reads the statement from stdin',
  usage: '"STATEMENT" | - [--vector NAME="text"] [--limit N] [--json | --lines]',
  options: {
    vector: value('NAME=TEXT', 'bind $NAME to the vector of a text, e.g. --vector q="flaky tests"'),
    limit: value('N', 'read at most N rows'),
    json: flag('print {"version":1,"columns","rows":[{…}]}; integers beyond 2^53 are strings'),
    lines: flag('print one JSON object per line (the default in a pipe)'),
  },
  exits: { ...ASKING, [EXIT.interrupted]: 'interrupted' },
  examples: [
    `dripstone sql "FROM commands WHERE outcome = 'failed' ORDER BY time DESC LIMIT 10"`,
    `dripstone sql --vector q="login fails" "FROM vectors ORDER BY array_cosine_similarity(vector, $q) DESC LIMIT 5"`,
  ],
  async run(io, args) {
    const typed = args.words.join(' ').trim();
    const sql = typed === '-' ? (await readInput(io)).trim() : typed;
    const most = args.text('limit') === null ? undefined : args.count('limit', 1, 1);
    if (sql === '') throw usage('sql needs a statement', 'type `dripstone sql "FROM projects"`');
    await using app = await createApp({ ...io, access: 'read' });
    const vector = args.text('vector');
    const params = vector === null ? {} : await vectorOf(app, vector);
    await app.store.release();
    const { path, named, lockWaitMs } = {
      path: app.paths.store,
      named: pathsOf(app.paths.home).store,
      lockWaitMs: io.lockWaitMs ?? LOCK_WAIT_MS,
    };
    const beforeMigration = (file: string): void =>
      refuseMigration({ env: io.env, paths: app.paths }, file);
    const how = { path, named, lockWaitMs, beforeMigration, clock: io.clock, signal: io.signal };
    const answer = await whileReleased(io, () =>
      askArchive(app.paths.projects, () => queryStore(how, sql, params, most)),
    );
    if (args.flag('json')) io.out(renderAnswer(answer));
    else if (io.outIsTerminal && !args.flag('lines'))
      io.out(renderTable(answer, io.screen?.columns));
    else io.out(renderLines(answer));
    return EXIT.done;
  },
};

/** Turns `q=some words` into the parameter `$q`. */
async function vectorOf(app: App, option: string): Promise<Record<string, Float32Array>> {
  const found = /^([A-Za-z_]\w*)=([\s\S]+)$/.exec(option);
  if (!found)
    throw usage(
      '--vector takes NAME=TEXT',
      'for example --vector q="flaky tests", then write $q in the statement',
    );
  const vector = await vectorOfText(app, found[2]!);
  if (vector === null)
    throw new AppError(
      'NO_MODEL',
      `a text cannot be made into a vector: ${app.embedder.problem() ?? 'no model'}`,
      { hint: 'see `dripstone status --check`; without a model search by words' },
    );
  return { [found[1]!]: vector };
}

/** A number that a double cannot represent becomes a string in JSON. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint' ? each.toString() : each,
  );
}

function objectsOf({ columns, rows }: Answer): Record<string, unknown>[] {
  return rows.map((row) =>
    Object.fromEntries(columns.map((column, index) => [column, row[index]])),
  );
}

function renderLines(answer: Answer): string {
  return objectsOf(answer)
    .map((row) => `${jsonOf(row)}\n`)
    .join('');
}

/** An answer without rows prints its column names. */
function renderAnswer(answer: Answer): string {
  return `${jsonOf({ version: 1, columns: answer.columns, rows: objectsOf(answer) })}\n`;
}

function textOf(value: unknown): string {
  return value === null ? '' : typeof value === 'object' ? jsonOf(value) : String(value);
}

/** Rows that are wider than the terminal, one line per column; nothing is cut. */
function renderRecords({ columns, rows }: Answer): string {
  const width = Math.max(...columns.map((column) => column.length));
  const hang = `\n${' '.repeat(width + 2)}`;
  const lineOf = (column: string, value: unknown): string =>
    `${column.padEnd(width)}  ${textOf(value).trimEnd().replaceAll('\n', hang)}`.trimEnd();
  const records = rows.map((row, at) =>
    [`-- ${at + 1}`, ...columns.map((column, index) => lineOf(column, row[index]))].join('\n'),
  );
  return `${records.join('\n')}\n${countOf(rows)}\n`;
}

function countOf({ length }: Answer['rows']): string {
  return `(${length} ${length === 1 ? 'row' : 'rows'})`;
}

/** Width of a terminal that does not report it. */
const USUAL = 120;

/**
 * A table with columns as wide as their widest cell and numbers to the right. Prints a table that
 * is wider than the terminal row by row.
 */
function renderTable(answer: Answer, screen = USUAL): string {
  const { columns, rows } = answer;
  const cells = rows.map((row) => row.map((value) => verbatim(textOf(value))));
  const rule = columns.map((column, index) =>
    '-'.repeat(Math.max(column.length, ...cells.map((row) => row[index]!.length))),
  );
  const isNumber = columns.map((_, index) =>
    rows.every((row) => row[index] === null || /^(?:number|bigint)$/.test(typeof row[index])),
  );
  const width = rows.length > 0 ? screen : Infinity;
  const lines = aligned([columns, rule, ...cells], (index) => isNumber[index]!, width);
  return lines === null ? renderRecords(answer) : `${lines.join('\n')}\n${countOf(rows)}\n`;
}
