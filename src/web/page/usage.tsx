/** Tokens and cost by day, project, agent and model, as `dripstone usage` tells them. */
import { useMemo } from 'preact/hooks';
import type { UsageAnswer, UsageLine } from '../wire.js';
import { DayChart, TOKENS } from './charts.js';
import { Choice, ProjectFilter, projectName, Show, usePage, useLoad } from './page-context.js';
import { addressOf, asked, withQuery, type Route } from './route.js';
import { brief, count, duration, money, Text } from './words.js';

const BY = ['day', 'week', 'month', 'block', 'project', 'agent', 'model', 'session'];

export function UsagePage({ route }: { route: Route }) {
  const value = (name: string): string => route.query.get(name) ?? '';
  const by = value('by') || 'day';
  const since = value('since') || '30d';
  const loaded = useLoad<UsageAnswer>(
    asked('/usage', { by, since, project: value('project') || 'all' }),
  );
  const set = (name: string) => (picked: string) =>
    void (location.hash = withQuery(route, { [name]: picked }));
  return (
    <>
      <h1>Usage</h1>
      <div class="filters">
        <Choice
          title="By"
          none={null}
          value={by}
          options={BY.map((each) => [each, each])}
          onPick={set('by')}
        />
        <Choice
          title="Since"
          none={null}
          value={since}
          options={[
            ['7d', '7 days'],
            ['30d', '30 days'],
            ['90d', '90 days'],
            ['all', 'all'],
          ]}
          onPick={set('since')}
        />
        <ProjectFilter route={route} />
      </div>
      <Show of={loaded}>
        {(usage) =>
          usage.rows.length === 0 ? (
            <Nothing route={route} since={since} />
          ) : (
            <Table usage={usage} />
          )
        }
      </Show>
    </>
  );
}

/** Logs may be older than what is shown at first. */
function Nothing({ route, since }: { route: Route; since: string }) {
  return (
    <p>
      The logs of these days record no tokens.{' '}
      {since !== 'all' && <a href={withQuery(route, { since: 'all' })}>Look at all of them</a>}
    </p>
  );
}

/** What is known of a cost: unknown models make it a lower bound. */
const costOf = ({ cost, known_cost }: UsageLine): string =>
  cost !== null ? money(cost) : known_cost > 0 ? `> ${money(known_cost)}` : 'unknown';

function Table({ usage }: { usage: UsageAnswer }) {
  const { by, rows, total } = usage;
  // What has no time is in the table alone.
  const days = useMemo(
    () =>
      by === 'day' ? rows.flatMap((row) => (row.key === null ? [] : { ...row, day: row.key })) : [],
    [rows, by],
  );
  const head = [
    by,
    'cost',
    'input',
    'cache read',
    'cache write',
    'output',
    'answers',
    ...(by === 'session' ? ['active'] : []),
  ];
  return (
    <>
      {by === 'day' && <DayChart title="Tokens by day" rows={days} columns={TOKENS} show={brief} />}
      <div class="scroll" tabIndex={0} role="region" aria-label="usage as a table">
        <table>
          <caption class="hidden">Tokens and cost by {by}</caption>
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(by === 'day'
              ? [...rows].sort((a, b) => ((a.key ?? '') < (b.key ?? '') ? 1 : -1))
              : rows
            ).map((row) => (
              <UsageRow key={`${row.agent} ${row.key}`} of={row} by={by} />
            ))}
          </tbody>
          <tfoot>
            <UsageRow of={total} by={by} isTotal />
          </tfoot>
        </table>
      </div>
      <p class="quiet-text">
        If a log records a cost, this is shown. Other costs are computed from the list prices of{' '}
        {usage.prices.date}.
        {total.unknown_models.length > 0 && (
          <Text of={` Without a price: ${total.unknown_models.join(', ')}.`} />
        )}
      </p>
    </>
  );
}

function UsageRow({ of, by, isTotal = false }: { of: UsageLine; by: string; isTotal?: boolean }) {
  const { start } = usePage();
  const { key } = of;
  const name = isTotal
    ? 'all'
    : key === null
      ? 'unknown'
      : by === 'project'
        ? projectName(start, key)
        : key;
  return (
    <tr>
      <th scope="row">
        {by === 'session' && of.agent !== null && key !== null ? (
          <a data-row href={addressOf('session', [of.agent, key])}>
            <Text of={key.slice(0, 12)} />
          </a>
        ) : (
          <Text of={name} />
        )}
      </th>
      <td>{costOf(of)}</td>
      {[of.input, of.cache_read, of.cache_write, of.output].map((tokens, at) => (
        <td key={at} title={count(tokens)}>
          {brief(tokens)}
        </td>
      ))}
      <td>{count(of.messages)}</td>
      {by === 'session' && <td>{of.active_seconds === null ? '' : duration(of.active_seconds)}</td>}
    </tr>
  );
}
