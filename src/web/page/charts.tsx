/** Numbers by day: what was done, what fails, what the models took, how large the store is. */
import { useMemo } from 'preact/hooks';
import type { ChartsView } from '../wire.js';
import { Chart, Numbers } from './chart.js';
import { Choice, ProjectFilter, Show, useLoad } from './page-context.js';
import { asked, withQuery, type Route } from './route.js';
import { brief, bytes, count, Text } from './words.js';

const EVER = '3660';
const SPANS: [days: string, title: string][] = [
  ...['30', '90', '365'].map((each): [string, string] => [each, each]),
  [EVER, 'all'],
];

export function ChartsPage({ route }: { route: Route }) {
  const project = route.query.get('project') ?? '';
  const days = route.query.get('days') ?? '90';
  const loaded = useLoad<ChartsView>(asked('/view/charts', { project: project || 'all', days }));
  return (
    <>
      <h1>Charts</h1>
      <div class="filters">
        <ProjectFilter route={route} />
        <Choice
          title="Days"
          none={null}
          value={days}
          options={SPANS}
          onPick={(each) => (location.hash = withQuery(route, { days: each }))}
        />
      </div>
      <Show of={loaded}>
        {(view) => (
          <>
            {view.activity.length === 0 && days !== EVER && (
              <p>
                Nothing happened in these days.{' '}
                <a href={withQuery(route, { days: EVER })}>Look at all of them</a>
              </p>
            )}
            <Charts of={view} />
          </>
        )}
      </Show>
    </>
  );
}

function Charts({ of: { activity, tokens, own, store, failing } }: { of: ChartsView }) {
  const spent = useMemo(() => own.days.map((row) => ({ ...row, cap: own.cap ?? 0 })), [own]);
  return (
    <div class="charts">
      <DayChart
        title="Entries"
        rows={activity}
        columns={[['entries', '--c1', (row) => row.entries]]}
        show={brief}
      />
      <DayChart
        title="Sessions"
        rows={activity}
        columns={[['sessions', '--c2', (row) => row.sessions]]}
        show={brief}
      />
      <DayChart title="Tokens of the agents’ models" rows={tokens} columns={TOKENS} show={brief} />
      {own.cap !== null && (
        <DayChart
          title="Tokens of our own calls, against the daily cap"
          rows={spent}
          columns={[
            ['tokens', '--c1', (row) => row.tokens],
            ['cap', '--c4', (row) => row.cap, 'line'],
          ]}
          show={brief}
        />
      )}
      <DayChart
        title="Size of the store"
        rows={store}
        columns={[['bytes', '--c2', (row) => row.bytes]]}
        show={bytes}
      />
      <Failing of={failing} />
    </div>
  );
}

interface Drawn<T extends { day: string }> {
  title: string;
  rows: T[];
  columns: Column<T>[];
  show: (value: number) => string;
}

/** Name, colour of the stylesheet and value of a row; from the ground up. `line`: not a bar. */
export type Column<T> = [name: string, colour: string, of: (row: T) => number, line?: 'line'];

/** Bars by day; one sentence where there is nothing to draw. */
export function DayChart<T extends { day: string }>({ title, rows, columns, show }: Drawn<T>) {
  const [days, series] = useMemo(() => {
    const all = daysBetween(rows.map(({ day }) => day));
    const byDay = new Map(rows.map((row) => [row.day, row]));
    const valueOn = (day: string, of: (row: T) => number): number | null =>
      byDay.has(day) ? of(byDay.get(day)!) : null;
    return [
      all,
      columns.map(([name, colour, of, line]) => ({
        name,
        colour,
        line: line !== undefined,
        dash: line !== undefined,
        values: all.map((day) => valueOn(day, of)),
      })),
    ] as const;
  }, [rows]);
  if (rows.length === 0)
    return (
      <figure class="chart">
        <h3>{title}</h3>
        <p class="quiet-text">nothing in these days</p>
      </figure>
    );
  return <Chart title={title} kind="bars" days={days} series={series} show={show} />;
}

type TokenRow = {
  day: string;
  input: number;
  cache_read: number;
  cache_write: number;
  output: number;
};

/** Kinds of tokens, the most of which are read from a cache. */
export const TOKENS: Column<TokenRow>[] = [
  ['cache read', '--c3', (row) => row.cache_read],
  ['cache write', '--c2', (row) => row.cache_write],
  ['input', '--c1', (row) => row.input],
  ['output', '--c4', (row) => row.output],
];

/** Every day from the first to the last: the server leaves out those without any. Pure. */
function daysBetween(days: readonly string[]): string[] {
  const [first, last] = [
    days.reduce((a, b) => (a < b ? a : b), '9'),
    days.reduce((a, b) => (a > b ? a : b), ''),
  ];
  const all: string[] = [];
  for (let at = Date.parse(first); at <= Date.parse(last); at += 86_400_000)
    all.push(new Date(at).toISOString().slice(0, 10));
  return all;
}

interface Bar {
  name: string;
  /** Decides the length of the bar. */
  value: number;
  /** What is said of it. */
  said: string;
}

/** Bars beside names, each as long as its share of the largest. */
export function BarList({ of, isCode = false }: { of: Bar[]; isCode?: boolean }) {
  const most = Math.max(Number.MIN_VALUE, ...of.map(({ value }) => value));
  return (
    <ul class="bars">
      {of.map(({ name, value, said }, at) => (
        <li key={`${at} ${name}`}>
          {isCode ? (
            <code>
              <Text of={name} />
            </code>
          ) : (
            <Text of={name} />
          )}
          <span class="bar" aria-hidden="true">
            <i style={{ width: `${(value / most) * 100}%` }} />
          </span>
          <span>{said}</span>
        </li>
      ))}
    </ul>
  );
}

function Failing({ of }: { of: ChartsView['failing'] }) {
  return (
    <figure class="chart">
      <h3>Commands that fail most</h3>
      {of.length === 0 ? (
        <p class="quiet-text">none failed in these days</p>
      ) : (
        <>
          <BarList
            isCode
            of={of.map(({ command, runs, failed }) => ({
              name: command,
              value: failed,
              said: `${count(failed)} of ${count(runs)}`,
            }))}
          />
          <Numbers
            title="Commands that fail most"
            head={['command', 'failed', 'runs']}
            rows={of.map(({ command, runs, failed }) => [command, count(failed), count(runs)])}
          />
        </>
      )}
    </figure>
  );
}
