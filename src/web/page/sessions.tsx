/** Sessions: the list, newest first, and one session as a document for the browser's search. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionAnswer, SessionRow, Sessions } from '../wire.js';
import { LessonList } from './lessons.js';
import {
  asRefusal,
  Filter,
  ProjectFilter,
  projectName,
  Show,
  useLoad,
  usePage,
  type Page,
} from './page-context.js';
import { addressOf, asked, withQuery, type Route } from './route.js';
import {
  count,
  counted,
  duration,
  Facts,
  Plain,
  Prose,
  Rich,
  Row,
  Tag,
  When,
  type Tone,
} from './words.js';

export function SessionsPage({ route }: { route: Route }) {
  const before = route.query.get('before');
  const loaded = useLoad<Sessions>(
    asked('/sessions', {
      project: route.query.get('project') ?? 'all',
      automated: route.query.get('automated'),
      before,
    }),
  );
  return (
    <>
      <h1>Sessions</h1>
      <div class="filters">
        <ProjectFilter route={route} />
        <Filter
          route={route}
          title="Led by"
          name="automated"
          none="you"
          options={[['1', 'you, programs and subagents']]}
        />
      </div>
      <Show of={loaded}>
        {({ sessions, next }) => (
          <>
            {sessions.length === 0 && <p>No session here.</p>}
            <SessionRows of={sessions} />
            <nav class="parts" aria-label="Parts of the list">
              {before !== null && <a href={withQuery(route, { before: null })}>← newest</a>}
              {next !== null && <a href={withQuery(route, { before: next })}>older →</a>}
            </nav>
          </>
        )}
      </Show>
    </>
  );
}

export function SessionRows({ of }: { of: SessionRow[] }) {
  const { start } = usePage();
  return (
    <ul class="rows">
      {of.map((session) => (
        <Row
          key={`${session.agent} ${session.session}`}
          href={addressOf('session', [session.agent, session.session])}
          text={<Rich of={session.title ?? 'without a title'} />}
          facts={factsOf(session, start)}
        />
      ))}
    </ul>
  );
}

const OUTCOMES: Record<string, [text: string, tone: Tone]> = {
  success: ['done', 'good'],
  partial: ['done in part', 'warm'],
  abandoned: ['abandoned', ''],
};

function factsOf(session: SessionRow, start: Page['start']) {
  const [outcome, tone] = session.unfinished
    ? (['unfinished', 'warm'] as const)
    : (OUTCOMES[session.outcome ?? ''] ?? []);
  return [
    <When key="when" at={session.ended ?? session.started} />,
    <Plain key="agent" of={session.agent} />,
    session.project !== null && <Plain of={projectName(start, session.project)} />,
    session.branch !== null && <Plain of={session.branch} />,
    counted(session.entries, 'entry'),
    session.active_seconds !== null && duration(session.active_seconds),
    session.subagent && <Tag>subagent</Tag>,
    session.machine && <Tag>automated</Tag>,
    outcome !== undefined && <Tag tone={tone}>{outcome}</Tag>,
  ];
}

export function SessionPage({ route }: { route: Route }) {
  const [agent, session] = route.args;
  const { at = null, from = null } = Object.fromEntries(route.query);
  const place = from === null ? { entry: at } : { from };
  const loaded = useLoad<SessionAnswer>(asked('/session', { agent, session, ...place }));
  return <Show of={loaded}>{(view) => <Session view={view} route={route} at={at} />}</Show>;
}

function Session({ view, route, at }: { view: SessionAnswer; route: Route; at: string | null }) {
  const { start } = usePage();
  const { session, entries, from, resume, folder, lessons } = view;
  return (
    <>
      <h1>
        <Rich of={session.title ?? 'Session without a title'} />
      </h1>
      <Facts of={factsOf(session, start)} />
      {session.parent !== null && (
        <p>
          Part of{' '}
          <a href={addressOf('session', [session.agent, session.parent])}>another session</a>.
        </p>
      )}
      {resume !== null && (
        <p>
          Resume it{folder !== null && ' in '}
          {folder !== null && <Plain of={folder} />}: <code class="take">{resume}</code>
        </p>
      )}
      {lessons.length > 0 && (
        <details>
          <summary>{counted(lessons.length, 'lesson')} from this session</summary>
          <LessonList lessons={lessons} />
        </details>
      )}
      <Parts view={view} route={route} />
      <ol class="turns" start={from + 1}>
        {turnsOf(entries).map((turn, place, turns) => (
          <Turn
            key={turn[0]!.id}
            entries={turn}
            after={turns[place - 1]?.[0]!.time ?? null}
            at={at}
          />
        ))}
      </ol>
      {entries.length === 0 && <p>There are no entries here.</p>}
      <Parts view={view} route={route} />
    </>
  );
}

/** Links to the parts; only the longest sessions have several. */
function Parts({ view: { total, from, entries }, route }: { view: SessionAnswer; route: Route }) {
  const end = from + entries.length;
  if (from === 0 && end >= total) return null;
  const to = (place: number): string => withQuery(route, { from: String(place), at: null });
  return (
    <nav class="parts" aria-label="Parts of the session">
      {from > 0 && <a href={to(Math.max(0, from - 5000))}>← earlier</a>}
      <span>
        {count(from + 1)} to {count(end)} of {count(total)}
      </span>
      {end < total && <a href={to(end)}>later →</a>}
    </nav>
  );
}

type Entry = SessionAnswer['entries'][number];

/** Groups a call with its results, and notices in a row. Pure. */
function turnsOf(entries: Entry[]): Entry[][] {
  const turns: Entry[][] = [];
  const calls = new Map<string, Entry[]>();
  for (const entry of entries) {
    const last = turns.at(-1);
    const own =
      entry.role === 'tool_result' && entry.call !== null
        ? calls.get(entry.call)
        : entry.role === 'system' && last?.[0]!.role === 'system'
          ? last
          : undefined;
    if (own !== undefined) {
      own.push(entry);
      continue;
    }
    const turn = [entry];
    if (entry.role === 'tool_call' && entry.call !== null) calls.set(entry.call, turn);
    turns.push(turn);
  }
  return turns;
}

interface TurnOf {
  entries: Entry[];
  /** Time of the previous turn. */
  after: string | null;
  /** The entry in the URL. */
  at: string | null;
}

function Turn({ entries, after, at }: TurnOf) {
  const [first] = entries as [Entry];
  const isMeant = at !== null && entries.some(({ id }) => id.startsWith(at));
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isMeant) return;
    place.current!.scrollIntoView({ block: 'center' });
    place.current!.focus({ preventScroll: true });
  }, [isMeant]);
  const isTalk = first.role === 'user' || first.role === 'assistant';
  const text = entries.map((entry) => <EntryText key={entry.id} of={entry} />);
  return (
    <li ref={place} class={`turn ${first.role}${isMeant ? ' meant' : ''}`} tabIndex={-1}>
      {isTalk ? (
        <>
          <Who of={entries} after={after} />
          {text}
        </>
      ) : (
        <details open={isMeant}>
          <summary>
            {isTool(first) ? <Call entries={entries} /> : <Who of={entries} after={after} />}
          </summary>
          {text}
        </details>
      )}
    </li>
  );
}

const isTool = ({ role }: Entry): boolean => role === 'tool_call' || role === 'tool_result';

const NAMES: Record<string, string> = {
  user: 'You',
  assistant: 'Agent',
  thinking: 'Thinking',
  system: 'System',
};
const ORIGINS: Record<string, string> = { external: 'from outside', tool: 'from a tool' };

function Who({ of, after }: { of: Entry[]; after: string | null }) {
  const [{ role, origin, time }] = of as [Entry];
  return (
    <span class="who">
      <b>{role === 'user' && origin !== 'user' ? 'Program' : (NAMES[role] ?? role)}</b>{' '}
      {ORIGINS[origin]} {time !== null && <When at={time} after={after} />}
      {of.length > 1 && ` · ${counted(of.length, 'notice')}`}
    </span>
  );
}

/** The head of a call: tool, command or file, and its error. */
function Call({ entries }: { entries: Entry[] }) {
  const [first] = entries as [Entry];
  const bad = entries.map(({ outcome }) => outcome).find((each) => each !== null && each !== 'ok');
  const exit = entries.map((entry) => entry.exit).find((code) => code !== null && code !== 0);
  const subject = first.command ?? first.files[0] ?? (first.role === 'tool_result' ? 'result' : '');
  return (
    <>
      <b>
        <Plain of={first.tool ?? 'tool'} />
      </b>{' '}
      {subject !== '' && (
        <code>
          <Plain of={subject.split('\n')[0]!} />
        </code>
      )}{' '}
      {bad && (
        <Tag tone="bad">
          {bad}
          {exit ? ` (exit ${exit})` : ''}
        </Tag>
      )}
    </>
  );
}

/** The rest of a very long text is loaded after the page, so that the browser's search finds it. */
function EntryText({ of }: { of: Entry }) {
  const { api, say } = usePage();
  const [whole, setWhole] = useState<string | null>(null);
  const text = whole ?? of.text ?? (of.role === 'tool_call' ? of.command : null);
  const isClipped = of.text !== null && of.length > of.text.length;
  useEffect(() => {
    if (isClipped)
      api
        .get<{ entry: { text: string | null } }>(
          asked(`/show/${encodeURIComponent(of.id)}`, { around: 0 }),
        )
        .then(
          ({ entry }) => setWhole(entry.text),
          (error: unknown) => say({ text: asRefusal(error).message, wrong: true }),
        );
  }, [api, of.id, isClipped]);
  if (text === null || text === '') return <p class="quiet">no text</p>;
  return isTool(of) ? (
    <pre tabIndex={0} dir="auto">
      <Plain of={text} />
    </pre>
  ) : (
    <Prose of={text} />
  );
}
