/** Every project, and what changed in it in the last seven days. */
import type { StartView } from '../wire.js';
import { Show, usePage } from './page-context.js';
import { addressOf, type Route } from './route.js';
import { ago, count, counted, Text } from './words.js';

export function StartPage(_: { route: Route }) {
  const { start, refusal } = usePage();
  return (
    <>
      <h1>Projects</h1>
      <Show of={{ data: start ?? undefined, refusal }}>
        {(start) => (start.projects.length === 0 ? <Nothing /> : <Projects of={start} />)}
      </Show>
    </>
  );
}

function Nothing() {
  return (
    <p class="lead">
      Nothing has been read yet. <code>dripstone run</code> reads the logs of your agents once, <code>dripstone start</code> keeps
      reading; <a href="#/health">Health</a> tells which agents are here.
    </p>
  );
}

function Projects({ of: { now, waiting, projects } }: { of: StartView }) {
  const week = (of: 'sessions' | 'entries' | 'lessons'): number => projects.reduce((sum, project) => sum + project.week[of], 0);
  return (
    <>
      <p class="lead">
        This week: {counted(week('lessons'), 'new lesson')}, {counted(week('sessions'), 'session')}, {count(week('entries'))}{' '}
        entries. {waiting > 0 && <a href="#/review">{counted(waiting, 'lesson')} to look through</a>}
      </p>
      <ul class="cards">
        {projects.map((project) => (
          <li key={project.slug}>
            <h2>
              <a data-row href={addressOf('lessons', [], { project: project.slug })}>
                <Text of={project.name} />
              </a>
            </h2>
            <p class="where">
              <Text of={project.folders[0] ?? project.slug} />
              {project.folders.length > 1 && ` and ${project.folders.length - 1} more`}
            </p>
            <p>
              {counted(project.lessons, 'lesson')} from {counted(project.sessions, 'session')}, last {ago(project.last_seen, now)}
            </p>
            <Week of={project.week} />
            <p class="links">
              <a href={addressOf('context', [project.slug])}>Context</a>
              <a href={addressOf('sessions', [], { project: project.slug })}>Sessions</a>
              <a href={addressOf('search', [], { project: project.slug })}>Search</a>
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}

function Week({ of: { lessons, sessions, entries } }: { of: StartView['projects'][number]['week'] }) {
  if (lessons + sessions + entries === 0) return <p class="quiet-text">nothing new this week</p>;
  return (
    <p class="week">
      {lessons > 0 && <span class="more">+{counted(lessons, 'lesson')}</span>}
      <span>+{counted(sessions, 'session')}</span>
      <span>+{count(entries)} entries</span>
    </p>
  );
}
