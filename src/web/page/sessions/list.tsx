/** Sessions, newest first. */
import type { SessionRow, SessionsView } from '../../wire.js';
import { ProjectFilter, projectName, Show, usePage, useLoad } from '../page-context.js';
import { addressOf, asked, withQuery, type Route } from '../route.js';
import { counted, duration, Text, When } from '../words.js';

const LIMIT = 50;

export function SessionsPage({ route }: { route: Route }) {
  const project = route.query.get('project') ?? '';
  const before = route.query.get('before');
  const loaded = useLoad<SessionsView>(asked('/view/sessions', { project: project || 'all', before, limit: LIMIT }));
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
            <ul class="rows">
              {sessions.map((session) => (
                <li key={`${session.agent} ${session.session}`}>
                  <a data-row class="lesson-text" href={addressOf('session', [session.agent, session.session])}>
                    <Text of={session.title ?? 'without a title'} />
                  </a>
                  <SessionFacts of={session} />
                </li>
              ))}
            </ul>
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

const OUTCOMES: Record<string, string> = { success: 'done', partial: 'done in part', abandoned: 'abandoned' };

export function SessionFacts({ of }: { of: SessionRow }) {
  const { start } = usePage();
  return (
    <p class="facts">
      <When at={of.started} />
      <span>
        <Text of={of.agent} />
      </span>
      {of.project !== null && (
        <span>
          <Text of={projectName(start, of.project)} />
        </span>
      )}
      {of.branch !== null && (
        <code>
          <Text of={of.branch} />
        </code>
      )}
      <span>{counted(of.entries, 'entry').replace(/ys$/, 'ies')}</span>
      {of.active_seconds !== null && <span>{duration(of.active_seconds)}</span>}
      {of.subagent && <span class="kind">subagent</span>}
      {of.machine && <span class="kind">automated</span>}
      {of.unfinished ? (
        <span class="status conflict">unfinished</span>
      ) : (
        of.outcome !== null &&
        OUTCOMES[of.outcome] !== undefined && <span class={`status ${of.outcome}`}>{OUTCOMES[of.outcome]}</span>
      )}
    </p>
  );
}
