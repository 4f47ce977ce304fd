/** Sessions, newest first. */
import type { SessionsView } from '../../wire.js';
import { ProjectFilter, Show, useLoad } from '../page-context.js';
import { asked, withQuery, type Route } from '../route.js';
import { SessionRows } from './rows.js';

const LIMIT = 50;

export function SessionsPage({ route }: { route: Route }) {
  const project = route.query.get('project') ?? '';
  const before = route.query.get('before');
  const loaded = useLoad<SessionsView>(
    asked('/view/sessions', { project: project || 'all', before, limit: LIMIT }),
  );
  return (
    <>
      <h1>Sessions</h1>
      <div class="filters">
        <ProjectFilter route={route} />
      </div>
      <Show of={loaded}>
        {({ sessions, next }) => (
          <>
            {sessions.length === 0 && <p>No session here.</p>}
            <SessionRows of={sessions} />
            <nav class="pager" aria-label="Pages of the list">
              {before !== null && <a href={withQuery(route, { before: null })}>← newest</a>}
              {next !== null && <a href={withQuery(route, { before: next })}>older →</a>}
            </nav>
          </>
        )}
      </Show>
    </>
  );
}
