/** What stands around every view: the way to the others, what was just done, and the keys. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { EditButton, usePage, type Notice } from './page-context.js';
import { addressOf, type Route } from './route.js';
import { Text } from './words.js';

/** Views in the order of the list, with the letter that follows `g`. */
const VIEWS = [
  ['', 'Projects', 'h'],
  ['review', 'Review', 'r'],
  ['lessons', 'Lessons', 'l'],
  ['context', 'Context', 'c'],
  ['search', 'Search', 'f'],
  ['sessions', 'Sessions', 's'],
  ['health', 'Health', 'd'],
] as const;

interface Frame {
  route: Route;
  /** Page and arguments: another one is another view. */
  place: string;
  busy: string | null;
  notice: Notice | null;
  children: ComponentChildren;
}

export function Shell({ route, place, busy, notice, children }: Frame) {
  const { start } = usePage();
  const help = useRef<HTMLDialogElement>(null);
  const main = useRef<HTMLElement>(null);
  const offered = useRef(notice);
  offered.current = notice;
  useShellKeys(help, offered);
  const first = useRef(true);
  useEffect(() => {
    // The first view leaves the focus where the browser put it, so that the skip link comes first.
    if (!first.current && !main.current!.contains(document.activeElement))
      main.current!.focus({ preventScroll: true });
    if (!first.current && !route.query.has('at')) scrollTo(0, 0);
    first.current = false;
  }, [place]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current!.focus();
        }}
      >
        Skip to the content
      </a>
      <header>
        <a class="brand" href="#/">
          <Drop /> dripstone
        </a>
        <ViewList route={route} />
        <button type="button" class="quiet help" onClick={() => help.current!.showModal()}>
          <kbd>?</kbd> keys
        </button>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {start !== null && start.by !== 'person' && (
          <p class="banner">
            <Text of={start.by} /> opened this page, so your changes here count as the agent’s. To
            change something as yourself, type <code>dripstone ui</code> in a terminal of your own.
          </p>
        )}
        {children}
      </main>
      <Said busy={busy} notice={notice} />
      <KeysDialog dialog={help} />
    </>
  );
}

function ViewList({ route }: { route: Route }) {
  const { start } = usePage();
  const project = route.query.get('project') ?? (route.page === 'context' ? route.args[0] : null);
  const near: Record<string, string> = { lesson: 'lessons', session: 'sessions' };
  return (
    <nav aria-label="Views">
      <ul>
        {VIEWS.map(([page, title]) => {
          const inPath = page === 'context';
          const isHere = (near[route.page] ?? route.page) === page;
          return (
            <li key={page}>
              <a
                href={addressOf(
                  page,
                  inPath && project ? [project] : [],
                  inPath || !['lessons', 'review'].includes(page) ? {} : { project },
                )}
                aria-current={isHere ? 'page' : undefined}
              >
                {title}
                {page === 'review' && start !== null && start.waiting > 0 && (
                  <span class="badge">
                    {start.waiting}
                    <span class="hidden"> waiting</span>
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function Said({ busy, notice }: { busy: string | null; notice: Notice | null }) {
  const { say } = usePage();
  return (
    <div class="said" role="status" aria-live="polite">
      {busy !== null && (
        <p class="note busy">
          <Text of={busy} />
        </p>
      )}
      {notice !== null && (
        <p class={notice.wrong ? 'note bad' : 'note'}>
          <span>
            <Text of={notice.text} />
          </span>
          {notice.undo && <EditButton onClick={() => void notice.undo!()}>Undo</EditButton>}
          <button
            type="button"
            class="quiet"
            aria-label="Close this message"
            onClick={() => say(null)}
          >
            ×
          </button>
        </p>
      )}
    </div>
  );
}

export function Drop() {
  return (
    <svg class="drop" viewBox="0 0 16 16" aria-hidden="true">
      <path d="M8 1c2.6 4 4.4 6.3 4.4 8.7a4.4 4.4 0 0 1-8.8 0C3.6 7.3 5.4 5 8 1z" />
    </svg>
  );
}

export function Closed() {
  return (
    <main class="closed">
      <h1>
        <Drop /> This page is not open any more
      </h1>
      <p>
        Type <code>dripstone ui</code> in a terminal: it opens a new one. An address works once, and
        only while the program runs.
      </p>
    </main>
  );
}

const SWITCH = 'single-keys';
const CHORD_MS = 1500;

/**
 * `g` and a letter, `/`, `?`, `j` and `k`; none while something is typed, none when they are
 * switched off.
 */
function useShellKeys(
  help: { current: HTMLDialogElement | null },
  offered: { current: Notice | null },
): void {
  const { keys } = usePage();
  useEffect(() => {
    let chord = -Infinity;
    const press = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat)
        return;
      if (
        target.closest('input, textarea, select, dialog') !== null ||
        sessionStorage.getItem(SWITCH) === 'off'
      )
        return;
      const goes =
        event.timeStamp - chord < CHORD_MS
          ? VIEWS.find(([, , letter]) => letter === event.key)
          : undefined;
      chord = event.key === 'g' && goes === undefined ? event.timeStamp : -Infinity;
      if (goes !== undefined) location.hash = addressOf(goes[0]);
      else if (keys.current[event.key] !== undefined) keys.current[event.key]!();
      else if (event.key === 'u' && offered.current?.undo) void offered.current.undo();
      else if (event.key === '/') toSearch();
      else if (event.key === '?') help.current!.showModal();
      else if (event.key === 'j' || event.key === 'k') toRow(event.key === 'j' ? 1 : -1);
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [keys, help, offered]);
}

function toSearch(): void {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]');
  if (field === null) location.hash = addressOf('search');
  else field.focus();
}

/** The next row of a list that can be chosen, from the one that has the focus. */
function toRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  rows[Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus();
}

function KeysDialog({ dialog }: { dialog: { current: HTMLDialogElement | null } }) {
  const [isOn, setOn] = useState(() => sessionStorage.getItem(SWITCH) !== 'off');
  const lists: [string, string][] = [
    ['/', 'search'],
    ['j k', 'next and previous in a list'],
    ['k e f p s u', 'in Review: keep, edit, forget, pin, later, undo'],
    ['e f p', 'on a lesson: edit, forget, pin'],
    ['n N', 'in a session: next and previous of what is found'],
    ['u', 'undo what was just done'],
    ...VIEWS.map(([, title, letter]): [string, string] => [`g ${letter}`, title]),
  ];
  return (
    <dialog ref={dialog} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      <dl class="keys">
        {lists.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => {
            sessionStorage.setItem(SWITCH, currentTarget.checked ? 'on' : 'off');
            setOn(currentTarget.checked);
          }}
        />
        Use single-key shortcuts
      </label>
      <button type="button" onClick={() => dialog.current!.close()}>
        Close
      </button>
    </dialog>
  );
}
