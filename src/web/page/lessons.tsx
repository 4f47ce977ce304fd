/** All lessons, with filters in the URL; a hundred at a time, since there may be thousands. */
import { useMemo, useState } from 'preact/hooks';
import { LESSON_KINDS } from '../../types/values.js';
import type { LessonRow } from '../wire.js';
import { Kind, Words } from './edits.js';
import {
  Choice,
  Filter,
  ProjectFilter,
  projectName,
  projectsOf,
  Show,
  useEdit,
  useLoad,
  usePage,
  type Page,
} from './page-context.js';
import { addressOf, asked, withQuery, type Route } from './route.js';
import { count, counted, Plain, Rich, Row, Tag, When, type Tone } from './words.js';

const STATUSES: LessonRow['status'][] = ['live', 'faded', 'superseded', 'forgotten', 'withheld'];
const PAGE_ROWS = 100;

export function LessonsPage({ route }: { route: Route }) {
  const status = route.query.get('status') ?? '';
  const project = route.query.get('project');
  const which =
    status === 'withheld' ? { withheld: 1 } : status === '' || status === 'live' ? {} : { all: 1 };
  const loaded = useLoad<{ lessons: LessonRow[] }>(
    asked('/lessons', { project: project ?? 'all', ...which }),
  );
  return (
    <>
      <h1>Lessons</h1>
      <Filters route={route} />
      <p>
        <a href={addressOf('context', [project ?? 'all'])}>
          context.md {project === null ? 'of all projects' : 'of this project'}
        </a>
        : what an agent reads when it starts
      </p>
      {status === 'withheld' && (
        <p>
          These lessons are kept out because text from outside may be behind them. Each names its
          reason.
        </p>
      )}
      <Show of={loaded}>{({ lessons }) => <Found lessons={lessons} route={route} />}</Show>
      <AddLesson project={project} />
    </>
  );
}

/** Filters that the server does not support. Pure. */
function isWanted(lesson: LessonRow, query: URLSearchParams): boolean {
  const [kind = '', status = '', q = ''] = ['kind', 'status', 'q'].map((name) => query.get(name)!);
  const text = lesson.text.toLowerCase();
  return (
    (!kind || lesson.kind === kind) &&
    (!status || lesson.status === status) &&
    (q ?? '')
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  );
}

function Found({ lessons, route }: { lessons: LessonRow[]; route: Route }) {
  const found = useMemo(
    () => lessons.filter((lesson) => isWanted(lesson, route.query)),
    [lessons, route],
  );
  const pages = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
  const page = Math.min(Math.max(1, Number(route.query.get('page')) || 1), pages);
  const to = (number: number): string => withQuery(route, { page: String(number) });
  return (
    <>
      <p role="status" class="quiet found">
        {found.length === 0 ? 'no lessons here' : counted(found.length, 'lesson')}
        {pages > 1 && `, page ${count(page)} of ${count(pages)}`}
      </p>
      <LessonList lessons={found.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS)} />
      {pages > 1 && (
        <nav class="parts" aria-label="Pages of the list">
          {page > 1 && <a href={to(page - 1)}>← page {page - 1}</a>}
          {page < pages && <a href={to(page + 1)}>page {page + 1} →</a>}
        </nav>
      )}
    </>
  );
}

export function LessonList({ lessons }: { lessons: LessonRow[] }) {
  const { start } = usePage();
  return (
    <ul class="rows">
      {lessons.map((lesson) => (
        <Row
          key={lesson.id}
          href={lesson.status === 'withheld' ? null : addressOf('lesson', [lesson.id])}
          text={<Rich of={lesson.text} />}
          facts={lessonFacts(lesson, start)}
        >
          {lesson.reason !== null && (
            <p>
              <Plain of={lesson.reason} />
            </p>
          )}
        </Row>
      ))}
    </ul>
  );
}

const SPEAKERS = { user: 'you said it', observed: 'observed', agent: 'an agent said it' } as const;

const TONES: Partial<Record<LessonRow['status'], Tone>> = { withheld: 'warm' };

/** Kind, place, confidence and age. */
export function lessonFacts(of: LessonRow, start: Page['start']) {
  return [
    <Tag key="kind">{of.kind}</Tag>,
    of.status !== 'live' && <Tag tone={TONES[of.status]}>{of.status}</Tag>,
    of.pinned && <Tag tone="good">pinned</Tag>,
    <span key="confidence" title="0 to 1">
      confidence {of.confidence.toFixed(2)}
    </span>,
    <Plain key="project" of={projectName(start, of.project)} />,
    SPEAKERS[of.said_by] + (of.sessions > 0 ? ` in ${counted(of.sessions, 'session')}` : ''),
    of.last_seen !== null && <>last seen {<When at={of.last_seen} />}</>,
  ];
}

function Filters({ route }: { route: Route }) {
  return (
    <search class="filters">
      <ProjectFilter route={route} />
      <Filter route={route} title="Kind" name="kind" options={LESSON_KINDS} />
      <Filter route={route} title="Status" name="status" options={STATUSES} />
      <label>
        Words
        <input
          type="search"
          value={route.query.get('q') ?? ''}
          onInput={({ currentTarget }) => {
            // Without replaceState, each letter would be a step back in the history.
            const address = withQuery(route, { q: currentTarget.value, page: null });
            history.replaceState(null, '', address);
            dispatchEvent(new HashChangeEvent('hashchange'));
          }}
        />
      </label>
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
    const where = owner === '' ? { global: true } : { project: owner };
    const body = { text: text.trim(), kind, ...where };
    const done = await edit(() => api.send('POST', '/lessons', body), `added: ${body.text}`);
    if (done) setText('');
  };
  return (
    <details class="add">
      <summary>Add a lesson</summary>
      <form onSubmit={(event) => void add(event)}>
        <Words title="What agents should know from now on" value={text} onType={setText} />
        <div class="filters">
          <Kind value={kind} onPick={setKind} />
          <Choice
            title="Where"
            value={owner}
            none="everywhere"
            options={projectsOf(start)}
            onPick={setOwner}
          />
          <button type="submit">Add</button>
        </div>
      </form>
    </details>
  );
}
