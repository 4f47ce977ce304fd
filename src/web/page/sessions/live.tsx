/**
 * Sessions that run now. They are asked for every few seconds, but only while somebody sees the
 * page.
 */
import { useEffect, useState } from 'preact/hooks';
import type { LiveView, SessionRow } from '../../wire.js';
import { asRefusal, usePage } from '../page-context.js';
import { asked } from '../route.js';
import { SessionRows } from './rows.js';

const EVERY_MS = 4000;

/** Newest first; empty until it is known. */
export function useLive(): SessionRow[] {
  const { api } = usePage();
  const [live, setLive] = useState<SessionRow[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let [stamp, rows, isAsking]: [string | null, SessionRow[], boolean] = [null, [], false];
    const look = async (): Promise<void> => {
      const view = await api.look<LiveView>(asked('/view/live', { stamp }), stop.signal);
      const oldest = Date.parse(view.now) - view.minutes * 60_000;
      const next = (view.sessions ?? rows).filter(
        ({ ended }) => ended !== null && Date.parse(ended) >= oldest,
      );
      if (view.sessions !== null || next.length !== rows.length) setLive(next);
      [stamp, rows] = [view.stamp, next];
    };
    const go = (): void => {
      clearTimeout(timer);
      if (document.hidden || isAsking) return;
      isAsking = true;
      void look()
        // Anything but its end, like a busy store, may be over at the next look.
        .catch((error: unknown) => asRefusal(error).code === 'GONE' && stop.abort())
        .finally(() => {
          isAsking = false;
          if (!stop.signal.aborted) timer = setTimeout(go, EVERY_MS);
        });
    };
    document.addEventListener('visibilitychange', go, { signal: stop.signal });
    go();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [api]);
  return live;
}

/** Above the list of all; nothing where none runs. */
export function Live({ project }: { project: string }) {
  const live = useLive().filter((session) => project === '' || session.project === project);
  if (live.length === 0) return null;
  return (
    <section aria-labelledby="live">
      <h2 id="live">Running now</h2>
      <SessionRows of={live} />
    </section>
  );
}
