/**
 * Whether it works: agents found, what is pending, jobs, nights, what needs attention, disk and
 * spending.
 */
import type { NightsView, StatusFacts } from '../wire.js';
import { Show, useLoad } from './page-context.js';
import type { Route } from './route.js';
import { bytes, count, counted, duration, Pair, Text, When } from './words.js';

export function HealthPage(_: { route: Route }) {
  return (
    <>
      <h1>Health</h1>
      <Show of={useLoad<StatusFacts>('/status')}>{(status) => <Health of={status} />}</Show>
      <Show of={useLoad<NightsView>('/view/nights?limit=14')}>
        {({ runs }) => <Nights of={runs} />}
      </Show>
    </>
  );
}

/** A count that stands in a store which cannot be read is not known. */
const known = (value: number | null): string => (value === null ? '?' : count(value));

function Health({ of }: { of: StatusFacts }) {
  const { store, retention, pending } = of;
  const waits = Object.entries(pending).filter(([, value]) => value !== 0);
  return (
    <>
      <Degraded of={of.degraded} />
      <dl class="pairs">
        <Pair name="daemon">
          <Daemon of={of.daemon} />
        </Pair>
        <Pair name="store">
          {bytes(store.bytes)}: {known(store.entries)} entries, {known(store.lessons)} lessons
        </Pair>
        <Pair name="home">
          {bytes(retention.home_bytes)}
          {retention.store_free_bytes !== null &&
            `, ${bytes(retention.store_free_bytes)} of the database free`}
        </Pair>
        <Pair name="pending">
          {waits.length === 0
            ? 'nothing'
            : waits.map(([name, value]) => `${known(value)} ${name}`).join(', ')}
        </Pair>
        <Pair name="model">
          <Model of={of.llm} />
        </Pair>
      </dl>
      <Agents of={of} />
      <Jobs of={of.jobs} />
    </>
  );
}

function Degraded({ of }: { of: StatusFacts['degraded'] }) {
  if (of.length === 0) return <p class="lead good">Everything works.</p>;
  return (
    <ul class="degraded">
      {of.map(({ code, since, text }) => (
        <li key={code + text}>
          <code>{code}</code> <Text of={text} />
          {since !== null && (
            <>
              {' '}
              since <When at={since} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Daemon({ of }: { of: StatusFacts['daemon'] }) {
  if (of !== null)
    return (
      <>
        runs since <When at={of.started} /> (process {of.pid}, version {of.version})
      </>
    );
  return (
    <>
      not running: type <code>dripstone start</code>, or <code>dripstone service install</code> to
      keep it running
    </>
  );
}

function Model({ of }: { of: StatusFacts['llm'] }) {
  if (of === null)
    return (
      <>
        none: lessons come from facts and from sentences that you choose; no text is sent to a model
      </>
    );
  return (
    <>
      <Text of={`${of.provider} ${of.model}`.trim()} />: {count(of.tokens_today)} of{' '}
      {count(of.daily_cap)} tokens today, {count(of.tokens_month)} this month
      {of.error !== null && <Text of={`. ${of.error}`} />}
    </>
  );
}

function Agents({ of: { agents, sources } }: { of: StatusFacts }) {
  const here = agents.filter(({ places, logs }) => logs > 0 || places.some(({ exists }) => exists));
  const others = agents.filter((agent) => !here.includes(agent)).map(({ agent }) => agent);
  return (
    <>
      <h2>Agents</h2>
      {here.length === 0 && <p>No known agent was found on this machine.</p>}
      <ul class="rows">
        {here.map(({ agent, places, logs, newest, deletes_after_days: days }) => {
          const source = sources.find((each) => each.agent === agent);
          const unreadable = places.filter(({ exists, readable }) => exists && !readable);
          const unknown = Object.keys(source?.unknown_types ?? {}).length;
          return (
            <li key={agent}>
              <p class="lesson-text">
                <Text of={agent} />
              </p>
              <p class="facts">
                <span>{counted(logs, 'log')}</span>
                {source !== undefined && <span>{count(source.entries)} entries read</span>}
                {newest !== null && (
                  <span>
                    newest <When at={newest} />
                  </span>
                )}
                {source !== undefined && source.bad_lines > 0 && (
                  <span>{counted(source.bad_lines, 'bad line')} skipped</span>
                )}
                {unknown > 0 && <span>{counted(unknown, 'unknown record type')}</span>}
                {days !== null && <span>deletes its logs after {days} days</span>}
                {unreadable.map(({ path }) => (
                  <span key={path} class="status failed">
                    cannot be read: <Text of={path} />
                  </span>
                ))}
              </p>
            </li>
          );
        })}
      </ul>
      {others.length > 0 && <p class="quiet-text">Not here: {others.join(', ')}.</p>}
    </>
  );
}

function Jobs({ of }: { of: StatusFacts['jobs'] }) {
  return (
    <>
      <h2>Jobs</h2>
      <ul class="rows tight">
        {of.map(({ name, last_ok, next_run, error }) => (
          <li key={name}>
            <p class="facts">
              <b>{name}</b>
              <span>
                {last_ok === null ? (
                  'not run yet'
                ) : (
                  <>
                    last success <When at={last_ok} />
                  </>
                )}
              </span>
              {next_run !== null && (
                <span>
                  next <When at={next_run} />
                </span>
              )}
              {error !== null && (
                <span class="status failed">
                  <Text of={error} />
                </span>
              )}
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}

function Nights({ of }: { of: NightsView['runs'] }) {
  return (
    <>
      <h2>Nights</h2>
      {of.length === 0 && <p>No nightly run yet.</p>}
      <ul class="rows tight">
        {of.map(({ job, started, ms, outcome, counts, error }) => (
          <li key={job + started}>
            <p class="facts">
              <When at={started} />
              <b>{job}</b>
              <span class={outcome === 'ok' ? '' : 'status failed'}>{outcome}</span>
              {ms !== null && <span>{duration(ms / 1000)}</span>}
              <span>
                <Text
                  of={Object.entries(counts)
                    .filter(([name, value]) => value !== 0 && name !== 'ms')
                    .map(([name, value]) => `${name} ${count(value)}`)
                    .join(', ')}
                />
              </span>
              {error !== null && <Text of={error} />}
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
