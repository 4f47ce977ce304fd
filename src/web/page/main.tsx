/** The page of `dripstone ui`, from the ticket in its URL to the first view. */
import { render, type ComponentType } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Start } from '../wire.js';
import { Api, tokenFor, type Connection } from './api.js';
import { ContextPage } from './context.js';
import { PageContext, type Notice, type Page } from './page-context.js';
import { HealthPage } from './health.js';
import { LessonPage } from './lesson.js';
import { LessonsPage } from './lessons.js';
import { ReviewPage } from './review.js';
import { routeOf, type Route } from './route.js';
import { SearchPage } from './search.js';
import { SessionPage, SessionsPage } from './sessions.js';
import { Closed, Shell } from './shell.js';

type View = ComponentType<{ route: Route }>;
/** A view with `below` is part of that view. */
const PAGES: Record<string, { title: string; view: View; below?: string }> = {
  '': { title: 'Search', view: SearchPage },
  sessions: { title: 'Sessions', view: SessionsPage },
  session: { title: 'Session', view: SessionPage, below: 'sessions' },
  lessons: { title: 'Lessons', view: LessonsPage },
  lesson: { title: 'Lesson', view: LessonPage, below: 'lessons' },
  context: { title: 'Page of a project', view: ContextPage, below: 'lessons' },
  review: { title: 'Review', view: ReviewPage },
  health: { title: 'Health', view: HealthPage },
};
const VIEWS = Object.entries(PAGES)
  .filter(([, { below }]) => below === undefined)
  .map(([page, { title }]) => ({ page, title }));

function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const follow = (): void => setRoute(routeOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

function Page({ token }: { token: string }) {
  const route = useRoute();
  const [line, setLine] = useState<Connection>({ state: 'open' });
  const [notice, say] = useState<Notice | null>(null);
  const [start, setStart] = useState<Start | null>(null);
  const busy = useRef<string | null>(null);
  const [edits, setEdits] = useState(0);
  const api = useMemo(
    () =>
      new Api(token, (next) =>
        setLine((last) => (last.state === 'open' && next.state === 'open' ? last : next)),
      ),
    [token],
  );
  useEffect(() => {
    // A view that cannot be loaded shows the error itself.
    api.get<Start>('/start').then(setStart, () => undefined);
  }, [api, edits]);
  const edited = useCallback(() => setEdits((number) => number + 1), []);
  const page = useMemo<Page>(
    () => ({ api, start, edits, edited, busy, say }),
    [api, start, edits, edited],
  );

  const {
    title,
    view: View,
    below = route.page,
  } = PAGES[route.page] ?? { title: 'Not found', view: NotFound };
  const place = [route.page, ...route.args].join('/');
  useEffect(() => {
    document.title = `${title} · dripstone`;
    say(null);
  }, [place, title]);
  if (line.state === 'closed') return <Closed />;
  return (
    <PageContext.Provider value={page}>
      <Shell
        views={VIEWS}
        current={below}
        route={route}
        place={place}
        busy={line.state === 'busy' ? line.text : null}
        notice={notice}
      >
        <View key={place} route={route} />
      </Shell>
    </PageContext.Provider>
  );
}

function NotFound() {
  return (
    <>
      <h1>There is no such page</h1>
      <p>
        <a href="#/">Search</a>
      </p>
    </>
  );
}

const TICKET = /^#ticket=([\w-]+)$/;

/** The token: from the ticket in the URL, else this tab's storage, else another open tab. */
async function findToken(channel: BroadcastChannel): Promise<string | null> {
  const ticket = TICKET.exec(location.hash)?.[1];
  if (ticket !== undefined) {
    history.replaceState(null, '', '#/');
    const token = await tokenFor(ticket).catch(() => null);
    if (token !== null) return token;
  }
  return sessionStorage.getItem('token') ?? (await askTabs(channel));
}

const TABS_ANSWER_MS = 300;

function askTabs(channel: BroadcastChannel): Promise<string | null> {
  return new Promise((resolve) => {
    channel.onmessage = ({ data }: MessageEvent<{ token?: string }>) =>
      data.token !== undefined && resolve(data.token);
    channel.postMessage({});
    setTimeout(() => resolve(null), TABS_ANSWER_MS);
  });
}

async function open(): Promise<void> {
  // If a person types a new URL into this tab, the browser changes only the part after #.
  addEventListener('hashchange', () => TICKET.test(location.hash) && location.reload());
  const channel = new BroadcastChannel('dripstone');
  const token = await findToken(channel);
  const root = document.getElementById('page')!;
  root.replaceChildren();
  if (token === null) return render(<Closed />, root);
  sessionStorage.setItem('token', token);
  channel.onmessage = ({ data }: MessageEvent<{ token?: string }>) =>
    data.token === undefined && channel.postMessage({ token });
  render(<Page token={token} />, root);
}

void open();
