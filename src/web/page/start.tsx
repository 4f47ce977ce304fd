/** Every project, and what changed in it in the last seven days. */
import type { StartView } from '../wire.js';
import { Show, usePage } from './page-context.js';
import { addressOf, type Route } from './route.js';
import { ago, count, counted, Rich, Text } from './words.js';

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
      Nothing has been read yet. <code>dripstone run</code> reads the logs of your agents once,{' '}
      <code>dripstone start</code> keeps reading; <a href="#/health">Health</a> lists the agents on
      this machine.
    </p>
  );
}

function Projects({ of: { now, waiting, projects } }: { of: StartView }) {
  const week = (of: 'sessions' | 'entries' | 'lessons'): number =>
    projects.reduce((sum, project) => sum + project.week[of], 0);
  return (
    <>
      <p class="lead">
        This week: {counted(week('lessons'), 'new lesson')}, {counted(week('sessions'), 'session')},{' '}
        {count(week('entries'))} entries.{' '}
        {waiting > 0 && <a href="#/review">{counted(waiting, 'lesson')} to look through</a>}
      </p>
      <ul class="cards">
        {projects.map((project) => (
          <Card key={project.slug} of={project} now={now} />
        ))}
      </ul>
    </>
  );
}

type Project = StartView['projects'][number];

function Card({ of, now }: { of: Project; now: string }) {
  return (
    <li>
      <h2>
        <a data-row href={addressOf('lessons', [], { project: of.slug })}>
          <Text of={of.name} />
        </a>
      </h2>
      <p class="where">
        <Text of={of.folders[0] ?? of.slug} />
        {of.folders.length > 1 && ` and ${of.folders.length - 1} more`}
      </p>
      <p>
        {counted(of.lessons, 'lesson')} from {counted(of.sessions, 'session')}, last{' '}
        {ago(of.last_seen, now)}
      </p>
      <Week of={of.week} />
      {of.top.length > 0 && (
        <ul class="top">
          {of.top.map((text) => (
            <li key={text}>
              <Rich of={text} />
            </li>
          ))}
        </ul>
      )}
      {of.last !== null && (
        <p class="quiet-text">
          last session:{' '}
          <a href={addressOf('session', [of.last.agent, of.last.session])}>
            <Text of={of.last.title ?? 'without a title'} />
          </a>
        </p>
      )}
      <p class="links">
        <a href={addressOf('context', [of.slug])}>Context</a>
        <a href={addressOf('sessions', [], { project: of.slug })}>Sessions</a>
        <a href={addressOf('search', [], { project: of.slug })}>Search</a>
      </p>
    </li>
  );
}

function Week({ of: { lessons, sessions, entries } }: { of: Project['week'] }) {
  if (lessons + sessions + entries === 0) return <p class="quiet-text">nothing new this week</p>;
  return (
    <p class="week">
      {lessons > 0 && <span class="more">+{counted(lessons, 'lesson')}</span>}
      <span>+{counted(sessions, 'session')}</span>
      <span>+{count(entries)} entries</span>
    </p>
  );
}
