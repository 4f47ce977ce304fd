/** Health: problems, agents, jobs, and the cost of models. */
import type { ComponentChildren } from 'preact';
import type { StatusFacts, Usage, UsageLine } from '../wire.js';
import { Show, useLoad } from './page-context.js';
import type { Route } from './route.js';
import { brief, bytes, count, counted, Plain, Row, ScrolledTable, Tag, When } from './words.js';

export function HealthPage(_: { route: Route }) {
  const usage = useLoad<Usage>('/usage?by=month&since=all');
  return (
    <>
      <h1>Health</h1>
      <Show of={useLoad<StatusFacts>('/status')}>{(status) => <Health of={status} />}</Show>
      {usage.data !== undefined && <UsageTable of={usage.data} />}
    </>
  );
}

const WAITING: [name: keyof StatusFacts['pending'], what: string][] = [
  ['files', 'logs to read'],
  ['sessions', 'sessions to look through'],
  ['embeddings', 'texts to prepare for search by meaning'],
  ['tiers', 'days to write to files'],
];

/** The count is null if the store cannot be read. */
const known = (value: number | null): string => (value === null ? '?' : count(value));

function Health({ of }: { of: StatusFacts }) {
  const { store, retention, pending, daemon, llm } = of;
  const waits = WAITING.filter(([name]) => pending[name] !== 0);
  const pairs: (false | [name: string, value: ComponentChildren])[] = [
    daemon !== null && [
      'daemon',
      <>
        runs since <When at={daemon.started} /> (process {daemon.pid}, version {daemon.version})
      </>,
    ],
    [
      'on disk',
      `${bytes(retention.home_bytes)}; ${bytes(store.bytes)} of it is the database with ${known(store.entries)} entries and ${known(store.lessons)} lessons`,
    ],
    [
      'waiting',
      waits.map(([name, what]) => `${known(pending[name])} ${what}`).join(', ') || 'nothing',
    ],
    [
      'model',
      llm === null ? (
        'none: no text is sent to a model'
      ) : (
        <Plain
          of={
            `${llm.provider} ${llm.model}`.trim() +
            `: ${count(llm.tokens_today)} of ${count(llm.daily_cap)} tokens today, ${count(llm.tokens_month)} this month` +
            (llm.error === null ? '' : `. ${llm.error}`)
          }
        />
      ),
    ],
  ];
  return (
    <>
      <Attention of={of} />
      <dl class="pairs">
        {pairs.map(
          (pair) =>
            pair && (
              <div key={pair[0]}>
                <dt>{pair[0]}</dt>
                <dd>{pair[1]}</dd>
              </div>
            ),
        )}
      </dl>
      <Agents of={of} />
      <Jobs of={of} />
    </>
  );
}

/** Failed jobs; the others on request. */
function Jobs({ of: { jobs, daemon } }: { of: StatusFacts }) {
  const newestFirst = [...jobs].sort((a, b) => ((a.last_ok ?? '') < (b.last_ok ?? '') ? 1 : -1));
  const failed = newestFirst.filter(({ error }) => error !== null);
  const worked = newestFirst.filter(({ error }) => error === null);
  const rows = (of: StatusFacts['jobs']) => (
    <ul class="rows">
      {of.map(({ name, last_ok, next_run, error }) => (
        <Row
          key={name}
          text={name}
          facts={[
            last_ok === null ? 'not run yet' : <>last success {<When at={last_ok} />}</>,
            daemon !== null && next_run !== null && <>next {<When at={next_run} />}</>,
            error !== null && <Tag tone="bad">{<Plain of={error} />}</Tag>,
          ]}
        />
      ))}
    </ul>
  );
  return (
    <>
      <h2>Jobs</h2>
      {rows(failed)}
      <details>
        <summary>{counted(worked.length, 'job')} without an error</summary>
        {rows(worked)}
      </details>
    </>
  );
}

/** Problems that a person should see first. */
function Attention({ of: { degraded, daemon } }: { of: StatusFacts }) {
  if (degraded.length === 0 && daemon !== null) return <p>Everything works.</p>;
  return (
    <ul class="rows box">
      {daemon === null && (
        <Row
          text={
            <>
              The daemon is not running, so nothing new is read: type <code>dripstone start</code>,
              or <code>dripstone service install</code> to keep it running.
            </>
          }
        />
      )}
      {degraded.map(({ code, since, text, cure }) => (
        <Row
          key={code + text}
          text={<Plain of={`${text}. ${cure}`} />}
          facts={[code, since !== null && <>since {<When at={since} />}</>]}
        />
      ))}
    </ul>
  );
}

function Agents({ of: { agents, sources } }: { of: StatusFacts }) {
  const here = agents.filter(
    ({ places, logs }) => logs > 0 || places.some(({ exists, readable }) => exists && !readable),
  );
  const newestFirst = [...here].sort((a, b) => ((a.newest ?? '') < (b.newest ?? '') ? 1 : -1));
  const others = agents.filter((agent) => !here.includes(agent)).map(({ agent }) => agent);
  return (
    <>
      <h2>Agents</h2>
      {here.length === 0 && <p>No log of a known agent was found on this machine.</p>}
      <ul class="rows">
        {newestFirst.map(({ agent, places, logs, newest, deletes_after_days: days }) => {
          const source = sources.find((each) => each.agent === agent);
          const unknown = Object.keys(source?.unknown_types ?? {}).length;
          return (
            <Row
              key={agent}
              text={<Plain of={agent} />}
              facts={[
                newest !== null && <>newest log {<When at={newest} />}</>,
                counted(logs, 'log'),
                source !== undefined && `${count(source.entries)} entries read`,
                source !== undefined &&
                  source.bad_lines > 0 &&
                  `${counted(source.bad_lines, 'bad line')} skipped`,
                unknown > 0 && counted(unknown, 'unknown record type'),
                days !== null && `deletes its logs after ${days} days`,
                ...places
                  .filter(({ exists, readable }) => exists && !readable)
                  .map(({ path }) => (
                    <Tag key={path} tone="bad">
                      cannot be read: <Plain of={path} />
                    </Tag>
                  )),
              ]}
            />
          );
        })}
      </ul>
      {others.length > 0 && <p class="quiet">No log of {others.join(', ')}.</p>}
    </>
  );
}

const money = (dollars: number): string => `$${dollars.toFixed(2)}`;

/** If a model has no price, the cost is a lower bound. */
const costOf = ({ cost, known_cost }: UsageLine): string =>
  cost !== null ? money(cost) : known_cost > 0 ? `> ${money(known_cost)}` : 'unknown';

function UsageTable({ of: { rows, total, prices } }: { of: Usage }) {
  if (rows.length === 0) return null;
  const newest = [...rows].sort((a, b) => ((a.key ?? '') < (b.key ?? '') ? 1 : -1));
  return (
    <>
      <h2>Usage</h2>
      <div class="numbers">
        <ScrolledTable
          title="tokens and cost by month"
          head={['month', 'cost', 'input', 'cache read', 'cache write', 'output']}
          rows={[...newest, { ...total, key: 'all' }].map((line) => [
            line.key ?? 'unknown',
            costOf(line),
            ...[line.input, line.cache_read, line.cache_write, line.output].map(brief),
          ])}
        />
      </div>
      <p class="quiet">
        A cost that a log records is shown as it is; others are computed from the list prices of{' '}
        {prices.date}.
      </p>
    </>
  );
}
