/**
 * One session as it went: turns, calls of tools folded with their results, failures marked; a
 * window of it at a time.
 */
import { useRef } from 'preact/hooks';
import type { MarkdownView, SessionView } from '../../wire.js';
import { asRefusal, EditButton, Show, useAttempt, useLoad, usePage } from '../page-context.js';
import { addressOf, asked, withQuery, type Route } from '../route.js';
import { copyText, saveFile } from '../save.js';
import { count, Text } from '../words.js';
import { FindBar, useMarks } from './find.js';
import { Learnt } from './learnt.js';
import { SessionFacts } from './rows.js';
import { Turn, turnsOf } from './turns.js';

const LIMIT = 100;

export function SessionPage({ route }: { route: Route }) {
  const [agent, session] = route.args;
  const { at = null, from = null } = Object.fromEntries(route.query);
  const shown = useRef<{ path: string; view: SessionView } | null>(null);
  // The next place of what is found is often in the window that is read already.
  const isHere =
    at !== null &&
    from === null &&
    shown.current?.view.entries.some(({ id }) => id === at) === true;
  const place = at !== null && from === null ? { entry: at } : { from: from ?? 0 };
  const path = isHere
    ? shown.current!.path
    : asked('/view/session', { agent, session, limit: LIMIT, ...place });
  const { data, refusal } = useLoad<SessionView>(path);
  if (data !== undefined) shown.current = { path, view: data };
  // The old window stays until the new one is there: whoever types in it must not lose their field.
  return (
    <Show of={{ data: data ?? shown.current?.view, refusal }}>
      {(view) => (
        <>
          {data === undefined && <span class="hidden loading">reading…</span>}
          <Session view={view} route={route} at={at} />
        </>
      )}
    </Show>
  );
}

interface Shown {
  view: SessionView;
  route: Route;
  at: string | null;
}

function Session({ view, route, at }: Shown) {
  const { session, total, from, entries } = view;
  const turns = useMarks(route.query.get('find') ?? '');
  return (
    <>
      <h1>
        <Text of={session.title ?? 'Session without a title'} />
      </h1>
      <SessionFacts of={session} />
      {session.parent !== null && (
        <p>
          Part of{' '}
          <a href={addressOf('session', [session.agent, session.parent])}>another session</a>.
        </p>
      )}
      <TakeAway view={view} />
      <Learnt of={session} />
      <FindBar route={route} of={session} />
      <Pager view={view} route={route} />
      <ol ref={turns} class="turns" start={from + 1}>
        {turnsOf(entries).map((turn) => (
          <Turn key={turn[0]!.id} entries={turn} at={at} isFound={route.query.has('find')} />
        ))}
      </ol>
      {entries.length === 0 && (
        <p>{total === 0 ? 'It has no entries.' : 'There are no entries here.'}</p>
      )}
      <Pager view={view} route={route} />
    </>
  );
}

/** The session as a file, and the line that takes it up again. */
function TakeAway({ view: { session, resume, folder } }: { view: SessionView }) {
  const { api, say } = usePage();
  const attempt = useAttempt();
  const of = { agent: session.agent, session: session.session };
  const save = (): Promise<boolean> =>
    attempt('the session as Markdown', async () => {
      const { text } = await api.get<MarkdownView>(asked('/view/markdown', of));
      saveFile(`${of.agent}-${of.session.slice(0, 8)}.md`, 'text/markdown', text);
      say({ text: 'saved as Markdown' });
    });
  const copy = (): Promise<void> =>
    copyText(resume!).then(
      () => say({ text: `copied: ${resume!}` }),
      (error: unknown) =>
        say({
          text: `${asRefusal(error).message}: mark the line and copy it by hand`,
          wrong: true,
        }),
    );
  return (
    <div class="take-away">
      {resume !== null && (
        <p>
          Resume it
          {folder !== null && (
            <>
              {' '}
              in <Text of={folder} />
            </>
          )}
          : <code>{resume}</code>{' '}
          <button type="button" onClick={() => void copy()}>
            Copy
          </button>
        </p>
      )}
      <EditButton onClick={() => void save()}>Save as Markdown</EditButton>
    </div>
  );
}

function Pager({ view: { total, from, entries }, route }: { view: SessionView; route: Route }) {
  const end = from + entries.length;
  if (from === 0 && end >= total) return null;
  const to = (place: number): string =>
    withQuery(route, { from: String(Math.max(0, place)), at: null });
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
