/**
 * All lessons with filters that stand in the address; a page of them at a time, since ten thousand
 * may be there.
 */
import { useMemo, useState } from 'preact/hooks';
import { LESSON_KINDS } from '../../types/values.js';
import type { LessonRow } from '../wire.js';
import {
  Choice,
  EditButton,
  projectName,
  projectsOf,
  Show,
  usePage,
  useEdit,
  useLoad,
} from './page-context.js';
import { addressOf, asked, withQuery, type Route } from './route.js';
import { count, counted, Rich, Text, When } from './words.js';

const STATUSES: LessonRow['status'][] = [
  'live',
  'conflict',
  'faded',
  'superseded',
  'forgotten',
  'withheld',
];
const PAGE_ROWS = 100;

export function LessonsPage({ route }: { route: Route }) {
  const status = route.query.get('status') ?? '';
  const which =
    status === 'withheld' ? { withheld: 1 } : status === '' || status === 'live' ? {} : { all: 1 };
  const loaded = useLoad<{ lessons: LessonRow[] }>(
    asked('/lessons', { project: route.query.get('project') ?? 'all', ...which }),
  );
  return (
    <>
      <h1>Lessons</h1>
      <Filters route={route} />
      {status === 'withheld' && (
        <p class="lead">
          These commands fetch, run or send something, and a web page, a tool or injected text named
          them first. dripstone learns them only after you type them yourself.
        </p>
      )}
      <Show of={loaded}>{({ lessons }) => <Found lessons={lessons} route={route} />}</Show>
      <AddLesson project={route.query.get('project')} />
    </>
  );
}

/** Filters that the server does not know are applied here. Pure. */
function isWanted(lesson: LessonRow, query: URLSearchParams): boolean {
  const [kind, status, scope, file] = ['kind', 'status', 'scope', 'file'].map(
    (name) => query.get(name) ?? '',
  );
  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const text = lesson.text.toLowerCase();
  return (
    (kind === '' || lesson.kind === kind) &&
    (status === '' || lesson.status === status) &&
    (scope === '' || lesson.scope === scope) &&
    (file === '' || lesson.files.some((name) => name.includes(file!))) &&
    words.every((word) => text.includes(word))
  );
}

function Found({ lessons, route }: { lessons: LessonRow[]; route: Route }) {
  const found = useMemo(
    () => lessons.filter((lesson) => isWanted(lesson, route.query)),
    [lessons, route],
  );
  const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
  const page = Math.min(Math.max(1, Number(route.query.get('page')) || 1), pages);
  return (
    <>
      <p role="status" class="found">
        {found.length === 0 ? 'no lessons here' : counted(found.length, 'lesson')}
        {pages > 1 && `, page ${count(page)} of ${count(pages)}`}
      </p>
      <LessonList lessons={found.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS)} />
      {pages > 1 && (
        <nav class="pager" aria-label="Pages of the list">
          {page > 1 && <a href={withQuery(route, { page: String(page - 1) })}>← page {page - 1}</a>}
          {page < pages && (
            <a href={withQuery(route, { page: String(page + 1) })}>page {page + 1} →</a>
          )}
        </nav>
      )}
    </>
  );
}

export function LessonList({ lessons }: { lessons: LessonRow[] }) {
  return (
    <ul class="rows">
      {lessons.map((lesson) => (
        <li key={lesson.id}>
          {lesson.status === 'withheld' ? (
            <p class="lesson-text">
              <Rich of={lesson.text} />
            </p>
          ) : (
            <a data-row class="lesson-text" href={addressOf('lesson', [lesson.id])}>
              <Rich of={lesson.text} />
            </a>
          )}
          <LessonFacts of={lesson} />
          {lesson.reason !== null && (
            <p class="reason">
              <Text of={lesson.reason} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

export const SAID = {
  user: 'you said it',
  observed: 'observed',
  agent: 'an agent said it',
} as const;

/** Kind, place, confidence and age on one line. */
export function LessonFacts({ of }: { of: LessonRow }) {
  const { start } = usePage();
  return (
    <p class="facts">
      <span class={`kind ${of.kind}`}>{of.kind}</span>
      {of.status !== 'live' && (
        <span class={`status ${of.status}`}>
          {of.status === 'conflict' ? 'contradicted' : of.status}
        </span>
      )}
      {of.pinned && <span class="status pinned">pinned</span>}
      <Confidence of={of.confidence} />
      <span>
        <Text of={projectName(start, of.project)} />
      </span>
      <span>{SAID[of.said_by]}</span>
      <span>{counted(of.sessions, 'session')}</span>
      {of.last_seen && (
        <span>
          last <When at={of.last_seen} />
        </span>
      )}
    </p>
  );
}

function Confidence({ of }: { of: number }) {
  return (
    <span class="confidence" title="confidence, 0 to 1">
      <i aria-hidden="true">
        <b style={{ width: `${Math.round(of * 100)}%` }} />
      </i>
      <span class="hidden">confidence </span>
      {of.toFixed(2)}
    </span>
  );
}

function Filters({ route }: { route: Route }) {
  const { start } = usePage();
  const set = (name: string, value: string): void =>
    void (location.hash = withQuery(route, { [name]: value, page: null }));
  const selects: [string, string, [string, string][]][] = [
    ['project', 'Project', projectsOf(start)],
    ['kind', 'Kind', LESSON_KINDS.map((kind) => [kind, kind])],
    ['status', 'Status', STATUSES.map((status) => [status, status])],
    ['scope', 'Scope', ['project', 'global'].map((scope) => [scope, scope])],
  ];
  return (
    <search class="filters">
      {selects.map(([name, title, options]) => (
        <Choice
          key={name}
          title={title}
          value={route.query.get(name) ?? ''}
          options={options}
          onPick={(value) => set(name, value)}
        />
      ))}
      {(
        [
          ['q', 'Words'],
          ['file', 'File'],
        ] as const
      ).map(([name, title]) => (
        <label key={name}>
          {title}
          <input
            type="search"
            value={route.query.get(name) ?? ''}
            onInput={({ currentTarget }) => {
              // Each letter would be a step back otherwise.
              history.replaceState(
                null,
                '',
                withQuery(route, { [name]: currentTarget.value, page: null }),
              );
              dispatchEvent(new HashChangeEvent('hashchange'));
            }}
          />
        </label>
      ))}
    </search>
  );
}

function AddLesson({ project }: { project: string | null }) {
  const { api, start } = usePage();
  const edit = useEdit();
  const [text, setText] = useState('');
  const [kind, setKind] = useState('preference');
  const [owner, setOwner] = useState(project ?? '');
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    const body = {
      text: text.trim(),
      kind,
      ...(owner === '' ? { global: true } : { project: owner }),
    };
    const done = await edit(() => api.send('POST', '/lessons', body), `added: ${body.text}`);
    if (done) setText('');
  };
  return (
    <details class="add">
      <summary>Add a lesson</summary>
      <form onSubmit={(event) => void add(event)}>
        <label>
          What agents should know from now on
          <textarea
            required
            rows={2}
            maxLength={2000}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <div class="filters">
          <Choice
            title="Kind"
            value={kind}
            none={null}
            options={LESSON_KINDS.map((each) => [each, each])}
            onPick={setKind}
          />
          <Choice
            title="Where"
            value={owner}
            none="everywhere"
            options={projectsOf(start)}
            onPick={setOwner}
          />
          <EditButton type="submit" class="main">
            Add
          </EditButton>
        </div>
      </form>
    </details>
  );
}
