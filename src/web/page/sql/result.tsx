/** An answer in SQL: a picture where one says more, the table, and all of it as a file. */
import type { SqlView } from '../../wire.js';
import { BarList, DayChart } from '../charts.js';
import { saveFile } from '../save.js';
import { count, Text } from '../words.js';

/** Rows of the table, and bars; the file has all. */
const MOST_SHOWN = 500;
const MOST_BARS = 40;
const CELL_CHARS = 600;

export function Result({ of }: { of: SqlView }) {
  const { columns, rows } = of;
  if (columns.length === 0) return null;
  return (
    <>
      <Picture of={of} />
      <div class="actions">
        <button type="button" onClick={() => saveFile('dripstone.csv', 'text/csv', csvOf(of))}>
          Save as CSV
        </button>
        {rows.length > MOST_SHOWN && (
          <span class="quiet-text">The first {count(MOST_SHOWN)} are shown; the file has all.</span>
        )}
      </div>
      <Table of={of} />
    </>
  );
}

function Table({ of: { columns, rows } }: { of: SqlView }) {
  const isNumber = columns.map((column) => isNumeric(rows, column));
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="the answer as a table">
      <table>
        <caption class="hidden">Answer</caption>
        <thead>
          <tr>
            {columns.map((column, at) => (
              <th key={at} scope="col" class={isNumber[at] ? '' : 'words-cell'}>
                <Text of={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_SHOWN).map((row, line) => (
            <tr key={line}>
              {columns.map((column, at) => (
                <td key={at} class={isNumber[at] ? '' : 'words-cell'}>
                  <Text of={clipped(cellOf(row[column]))} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Numbers alone, and at least one. */
function isNumeric(rows: SqlView['rows'], column: string): boolean {
  const values = rows.map((row) => row[column]).filter((value) => value !== null);
  return values.length > 0 && values.every((value) => typeof value === 'number');
}

function cellOf(value: unknown): string {
  return value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);
}

const clipped = (text: string): string =>
  text.length > CELL_CHARS ? `${text.slice(0, CELL_CHARS)}…` : text;

const DAY = /^\d{4}-\d\d-\d\d(?:T00:00:00\.000Z)?$/;

/**
 * A chart by day has a place for each day between, so a question about year 1 would fill the
 * memory.
 */
const MOST_DAYS = 3660;

/** Days, each once, not too far from each other. */
function areDays(names: readonly string[]): boolean {
  const times = names.map((name) => (DAY.test(name) ? Date.parse(name) : Number.NaN));
  return (
    new Set(times).size === times.length &&
    Math.max(...times) - Math.min(...times) <= MOST_DAYS * 86_400_000
  );
}

/** A label and a number in each of some rows: days as a chart by day, anything else as bars. */
function Picture({ of: { columns, rows } }: { of: SqlView }) {
  const number = columns.find((column) => isNumeric(rows, column));
  const label = columns.find((column) => column !== number);
  if (
    columns.length !== 2 ||
    number === undefined ||
    label === undefined ||
    isNumeric(rows, label) ||
    rows.length < 2
  )
    return null;
  const pairs = rows.map((row) => ({
    name: cellOf(row[label]),
    value: (row[number] as number | null) ?? 0,
  }));
  if (pairs.some(({ value }) => value < 0)) return null;
  const isByDay = areDays(pairs.map(({ name }) => name));
  if (isByDay)
    return (
      <DayChart
        title={`${number} by ${label}`}
        rows={pairs.map(({ name, value }) => ({ day: name.slice(0, 10), value }))}
        columns={[[number, '--c1', (row) => row.value]]}
        show={(value) => count(value)}
      />
    );
  if (pairs.length > MOST_BARS) return null;
  return (
    <figure class="chart">
      <h2>
        <Text of={`${number} by ${label}`} />
      </h2>
      <BarList of={pairs.map(({ name, value }) => ({ name, value, said: count(value) }))} />
    </figure>
  );
}

/**
 * As RFC 4180 has it. A text that a table program would take for a formula gets a quote before it
 * (OWASP, "CSV Injection"): texts of tools and of the web are among them.
 */
function csvOf({ columns, rows }: SqlView): string {
  const field = (value: unknown): string => {
    const text =
      typeof value === 'number' ? String(value) : cellOf(value).replace(/^(?=[=+\-@\t\r])/, "'");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))]
    .map((line) => `${line.map(field).join(',')}\r\n`)
    .join('');
}
