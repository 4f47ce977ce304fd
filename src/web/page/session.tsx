/** One session as it went: turns, calls of tools folded with their results, failures marked; a window of it at a time. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionView } from '../wire.js';
import { asRefusal, Show, usePage, useLoad } from './page-context.js';
import { addressOf, asked, withQuery, type Route } from './route.js';
import { SessionFacts } from './sessions.js';
import { count, Prose, Text, When } from './words.js';

type Entry = SessionView['entries'][number];
const LIMIT = 100;

export function SessionPage({ route }: { route: Route }) {
  const [agent, session] = route.args;
  const { at = null, from = null } = Object.fromEntries(route.query);
  const loaded = useLoad<SessionView>(
    asked('/view/session', {
      agent,
      session,
      limit: LIMIT,
      ...(at !== null && from === null ? { entry: at } : { from: from ?? 0 }),
    }),
  );
  return <Show of={loaded}>{(view) => <Session view={view} route={route} at={at} />}</Show>;
}

function Session({ view, route, at }: { view: SessionView; route: Route; at: string | null }) {
  const { session, total, from, entries } = view;
  return (
    <>
      <h1>
        <Text of={session.title ?? 'Session without a title'} />
      </h1>
      <SessionFacts of={session} />
      {session.parent !== null && (
        <p>
          Part of <a href={addressOf('session', [session.agent, session.parent])}>another session</a>.
        </p>
      )}
      <Pager view={view} route={route} />
      <ol class="turns" start={from + 1}>
        {turnsOf(entries).map((turn) => (
          <Turn key={turn[0]!.id} entries={turn} at={at} />
        ))}
      </ol>
      {entries.length === 0 && <p>{total === 0 ? 'It has no entries.' : 'Nothing lies at this place.'}</p>}
      <Pager view={view} route={route} />
    </>
  );
}

function Pager({ view: { total, from, entries }, route }: { view: SessionView; route: Route }) {
  const end = from + entries.length;
  if (from === 0 && end >= total) return null;
  const to = (place: number): string => withQuery(route, { from: String(Math.max(0, place)), at: null });
  return (
    <nav class="pager" aria-label="Parts of the session">
      {from > 0 && <a href={to(from - LIMIT)}>← earlier</a>}
      <span>
        {count(from + 1)} to {count(end)} of {count(total)}
      </span>
      {end < total && <a href={to(end)}>later →</a>}
    </nav>
  );
}

/** A call and its results belong together; everything else stands alone. Pure. */
function turnsOf(entries: Entry[]): Entry[][] {
  const turns: Entry[][] = [];
  const calls = new Map<string, Entry[]>();
  for (const entry of entries) {
    const own = entry.role === 'tool_result' && entry.call !== null ? calls.get(entry.call) : undefined;
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

function Turn({ entries, at }: { entries: Entry[]; at: string | null }) {
  const [first] = entries as [Entry];
  const isMeant = at !== null && entries.some(({ id }) => id.startsWith(at));
  const place = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isMeant) return;
    place.current!.scrollIntoView({ block: 'center' });
    place.current!.focus({ preventScroll: true });
  }, [isMeant]);
  const isTool = first.role === 'tool_call' || first.role === 'tool_result';
  return (
    <li ref={place} class={`turn ${first.role}${isMeant ? ' meant' : ''}`} tabIndex={-1}>
      {isTool ? (
        <ToolTurn entries={entries} isOpen={isMeant} />
      ) : first.role === 'user' || first.role === 'assistant' ? (
        <>
          <Who of={first} />
          <Long of={first} />
        </>
      ) : (
        <details open={isMeant}>
          <summary>
            <Who of={first} />
          </summary>
          <Long of={first} />
        </details>
      )}
    </li>
  );
}

const NAMES: Record<string, string> = { user: 'You', assistant: 'Agent', thinking: 'Thinking', system: 'System' };
const ORIGINS: Record<string, string> = { injected: 'put in by the program', external: 'from outside', tool: 'from a tool' };

function Who({ of: { role, origin, time } }: { of: Entry }) {
  return (
    <span class="who">
      <b>{role === 'user' && origin !== 'user' ? 'Program' : (NAMES[role] ?? role)}</b>
      {ORIGINS[origin] !== undefined && <span> {ORIGINS[origin]}</span>} {time !== null && <When at={time} />}
    </span>
  );
}

const BAD: Record<string, string> = { failed: 'failed', rejected: 'rejected', interrupted: 'interrupted' };

function ToolTurn({ entries, isOpen }: { entries: Entry[]; isOpen: boolean }) {
  const [first] = entries as [Entry];
  const bad = entries.map(({ outcome }) => BAD[outcome ?? '']).find(Boolean);
  const exit = entries.map((entry) => entry.exit).find((code) => code !== null && code !== 0);
  const subject = first.command ?? first.files[0] ?? (first.role === 'tool_result' ? 'result' : '');
  return (
    <details open={isOpen}>
      <summary>
        <span class="tool">
          <Text of={first.tool ?? 'tool'} />
        </span>{' '}
        <code>
          <Text of={subject.split('\n')[0]!} />
        </code>
        {bad !== undefined && (
          <span class="status failed">
            {bad}
            {exit !== undefined && exit !== null && ` (exit ${exit})`}
          </span>
        )}
      </summary>
      {entries.map((entry) => (
        <div key={entry.id}>
          <p class="who">
            {entry.role === 'tool_call' ? 'call' : 'result'} {entry.time !== null && <When at={entry.time} />}
          </p>
          <Long of={entry} text={entry.text ?? entry.command} isRaw />
        </div>
      ))}
    </details>
  );
}

const FOLDED_CHARS = 4000;

/** A long text shows its beginning first; of a very long one the server sends no more until it is asked. */
function Long({ of, text = of.text, isRaw = false }: { of: Entry; text?: string | null; isRaw?: boolean }) {
  const { api, say } = usePage();
  const [whole, setWhole] = useState<string | null>(null);
  if (text === null || text === '') return <p class="quiet-text">no text</p>;
  const length = Math.max(of.length, text.length);
  const isCut = whole === null && length > FOLDED_CHARS * 1.25;
  const shown = whole ?? (isCut ? text.slice(0, FOLDED_CHARS) : text);
  const unfold = async (): Promise<void> => {
    if (text.length >= of.length) return setWhole(text);
    try {
      const { entry } = await api.get<{ entry: { text: string | null } }>(
        asked(`/show/${encodeURIComponent(of.id)}`, { around: 0 }),
      );
      setWhole(entry.text ?? text);
    } catch (error) {
      say({ text: asRefusal(error).message, wrong: true });
    }
  };
  return (
    <>
      {isRaw ? (
        <pre tabIndex={0} dir="auto">
          <Text of={shown} />
        </pre>
      ) : (
        <Prose of={shown} />
      )}
      {isCut && (
        <button type="button" onClick={() => void unfold()}>
          Show all {count(length)} characters
        </button>
      )}
    </>
  );
}
