/** The frame of every view: links to the views, and the last message. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { usePage, type Notice } from './page-context.js';
import { addressOf, type Route } from './route.js';
import { Plain } from './words.js';

interface Views {
  views: readonly { page: string; title: string }[];
  /** The shown view, or the view that it is part of. */
  current: string;
  route: Route;
}

interface Frame extends Views {
  /** Page and arguments; a change of them means a new view. */
  place: string;
  busy: string | null;
  notice: Notice | null;
  children: ComponentChildren;
}

export function Shell({ views, current, route, place, busy, notice, children }: Frame) {
  const { start } = usePage();
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    // In the first view the browser's own focus stays, so that the skip link comes first.
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
        <ViewList views={views} current={current} route={route} />
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {start !== null && start.by !== 'person' && (
          <p class="box">
            <Plain of={start.by} /> opened this page, so your changes here count as the agent’s. To
            change something as yourself, type <code>dripstone ui</code> in a terminal of your own.
          </p>
        )}
        {children}
      </main>
      <Notices busy={busy} notice={notice} />
    </>
  );
}

function ViewList({ views, current, route }: Views) {
  const { start } = usePage();
  const project = route.query.get('project');
  return (
    <nav aria-label="Views">
      <ul>
        {views.map(({ page, title }) => (
          <li key={page}>
            <a
              href={addressOf(page, [], { project })}
              aria-current={page === current ? 'page' : undefined}
            >
              {title}
              {page === 'review' && start !== null && start.waiting > 0 && (
                <span class="tag good">
                  {start.waiting}
                  <span class="hidden"> waiting</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Notices({ busy, notice }: { busy: string | null; notice: Notice | null }) {
  const { say } = usePage();
  return (
    <div class="said" role="status" aria-live="polite">
      {busy !== null && (
        <p class="note busy">
          <Plain of={busy} />
        </p>
      )}
      {notice !== null && (
        <p class={notice.wrong ? 'note bad' : 'note'}>
          <span>
            <Plain of={notice.text} />
          </span>
          {notice.undo && (
            <button
              type="button"
              onClick={() => {
                document.getElementById('main')!.focus({ preventScroll: true });
                void notice.undo!();
              }}
            >
              Undo
            </button>
          )}
          <button type="button" aria-label="Close this message" onClick={() => say(null)}>
            ×
          </button>
        </p>
      )}
    </div>
  );
}

function Drop() {
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
