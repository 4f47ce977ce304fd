/**
 * Whether memory helps: what came back although it was known, what was told inside sessions, and
 * rules that are broken again.
 */
import type { ProofView } from '../wire.js';
import { Choice, ProjectFilter, projectName, Show, useLoad, usePage } from './page-context.js';
import { addressOf, asked, withQuery, type Route } from './route.js';
import { counted, duration, Rich, Text, When } from './words.js';

const SPANS: [days: string, title: string][] = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['3660', 'all'],
];

export function ProofPage({ route }: { route: Route }) {
  const days = route.query.get('days') ?? '90';
  const loaded = useLoad<ProofView>(
    asked('/view/proof', { days, project: route.query.get('project') ?? 'all' }),
  );
  const pick = (picked: string) => void (location.hash = withQuery(route, { days: picked }));
  return (
    <>
      <h1>Proof</h1>
      <div class="filters">
        <Choice title="Since" none={null} value={days} options={SPANS} onPick={pick} />
        <ProjectFilter route={route} />
      </div>
      <Show of={loaded}>
        {({ replay, receipts, guards }) => (
          <>
            <CameBack of={replay} />
            <Broken of={guards} />
            <Told of={receipts} />
          </>
        )}
      </Show>
    </>
  );
}

/** A session, at one of its entries. */
function Place({ agent, session, entry }: { agent: string; session: string; entry?: string }) {
  return (
    <a href={addressOf('session', [agent, session], { at: entry })}>
      <Text of={`${agent} ${session.slice(0, 8)}`} />
    </a>
  );
}

const TOLD = { page: 'on the page of that day', moment: 'told at the failure' } as const;

function CameBack({ of }: { of: ProofView['replay'] }) {
  const { start } = usePage();
  return (
    <>
      <h2>What came back</h2>
      {of === null ? (
        <p>
          This history is too long for this page: type <code>dripstone replay</code>.
        </p>
      ) : (
        <>
          {of.lines.map((line) => (
            <p key={line} class="lead">
              {line}
            </p>
          ))}
          <ul class="rows">
            {of.repeats.map(
              ({
                kind,
                project,
                agent,
                session,
                entry,
                time,
                text,
                error,
                known,
                told,
                calls,
                seconds,
              }) => (
                <li key={`${entry} ${text}`}>
                  <p class="lesson-text">
                    <Text
                      of={
                        kind === 'wish'
                          ? `You said again: ${text}`
                          : error === null
                            ? text
                            : `${text}: ${error}`
                      }
                    />
                  </p>
                  <p class="facts">
                    <When at={time} />
                    <span>{projectName(start, project)}</span>
                    <Place agent={agent} session={session} entry={entry} />
                    <span>
                      {told !== null ? TOLD[told] : known ? 'known, not told' : 'no cure known'}
                    </span>
                    {calls !== null && (
                      <span>
                        {counted(calls, 'call')}, {duration(seconds ?? 0)}
                      </span>
                    )}
                  </p>
                </li>
              ),
            )}
          </ul>
        </>
      )}
    </>
  );
}

function Broken({ of }: { of: ProofView['guards'] }) {
  if (of.length === 0) return null;
  return (
    <>
      <h2>Rules that are broken again</h2>
      <ul class="rows">
        {of.map(({ id, text, told, broken, last_broken: last }) => (
          <li key={id}>
            <p class="lesson-text">
              <Rich of={text} />
            </p>
            <p class="facts">
              <span>said {counted(told, 'time')}</span>
              <span>broken in {counted(broken, 'session')} since</span>
              {last !== null && <When at={last} />}
              <span>
                to guard it: <code>dripstone rules guard {id.slice(0, 8)}</code>
              </span>
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}

function Told({ of }: { of: ProofView['receipts'] }) {
  return (
    <>
      <h2>What was told inside sessions</h2>
      {of.length === 0 && (
        <p>
          Nothing. <code>dripstone link --hooks</code> lets memory speak when a command fails.
        </p>
      )}
      <ul class="rows">
        {of.map(({ id, time, moment, agent, session, tokens, items, then }) => (
          <li key={id}>
            {items.map((item) => (
              <p key={item.id} class="lesson-text">
                {item.type === 'page' ? 'the page' : <Rich of={item.text ?? 'deleted since'} />}
              </p>
            ))}
            <p class="facts">
              <When at={time} />
              <span>{moment}</span>
              <Place agent={agent} session={session} />
              <span>{counted(tokens, 'token')}</span>
              {then !== null && <span>then: {then}</span>}
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
