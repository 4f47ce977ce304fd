/** The first view: a box for words, questions and errors; before a search, the last sessions. */
import { useEffect, useState } from 'preact/hooks';
import { HIT_TYPES, type Mode } from '../../types/values.js';
import type { HitJson, Sessions } from '../wire.js';
import { Filter, ProjectFilter, projectName, Show, useLoad, usePage } from './page-context.js';
import { addressOf, asked, withQuery, type Route } from './route.js';
import { SessionRows } from './sessions.js';
import { counted, Plain, Prose, Rich, Row, When } from './words.js';

/** The parts of `dripstone search --json` that the page shows. */
interface Answer {
  mode: Mode;
  weak: boolean;
  hits: HitJson[];
}

const LIMIT = 20;
/** The longest question that the server accepts. */
const MOST_CHARS = 2000;

export function SearchPage({ route }: { route: Route }) {
  const words = route.query.get('q') ?? '';
  return (
    <>
      <h1>Search</h1>
      <Asking route={route} />
      {words === '' ? (
        <Last project={route.query.get('project')} />
      ) : (
        <>
          <Known q={words} project={route.query.get('project')} />
          <Found route={route} />
        </>
      )}
    </>
  );
}

function Last({ project }: { project: string | null }) {
  const loaded = useLoad<Sessions>(asked('/sessions', { project: project ?? 'all', limit: 8 }));
  return (
    <section aria-labelledby="last">
      <h2 id="last">Last sessions</h2>
      <Show of={loaded}>
        {({ sessions }) => (
          <>
            {sessions.length === 0 && (
              <p>
                Nothing has been read yet. <code>dripstone run</code> reads the logs of your agents
                once, <code>dripstone start</code> keeps reading; <a href="#/health">Health</a>{' '}
                lists the agents on this machine.
              </p>
            )}
            <SessionRows of={sessions} />
          </>
        )}
      </Show>
    </section>
  );
}

function Asking({ route }: { route: Route }) {
  const given = route.query.get('q') ?? '';
  const [words, setWords] = useState(given);
  useEffect(() => setWords(given), [given]);
  const ask = (event: Event): void => {
    event.preventDefault();
    // The error is at the end of a long output.
    location.hash = withQuery(route, { q: words.trim().slice(-MOST_CHARS), limit: null });
  };
  return (
    <search>
      <form class="ask" onSubmit={ask}>
        <label>
          <span class="hidden">Words, a question, or an error</span>
          <textarea
            rows={1}
            placeholder="words, a question, or an error to fix"
            value={words}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) ask(event);
            }}
          />
        </label>
        <button type="submit">Search</button>
      </form>
      <div class="filters">
        <ProjectFilter route={route} />
        <Filter route={route} title="What" name="kind" options={HIT_TYPES} />
        <Filter route={route} title="Who" name="role" options={Object.entries(WHO)} />
        <Filter route={route} title="Since" name="since" options={SINCE} />
      </div>
    </search>
  );
}

/** The answer of `dripstone recall`, or of `dripstone fix` for an error. */
function Known({ q, project }: { q: string; project: string | null }) {
  const { data } = useLoad<{ text: string }>(asked('/recall', { q, project: project ?? 'all' }));
  if (data === undefined) return null;
  return (
    <section aria-labelledby="known" class="box">
      <h2 id="known">What is known</h2>
      <Prose of={data.text.replace(/(?<=\S) #{2,6} /g, ' ')} />
    </section>
  );
}

function Found({ route }: { route: Route }) {
  const { project = 'all', limit = LIMIT, ...query } = Object.fromEntries(route.query);
  const loaded = useLoad<Answer>(asked('/search', { ...query, project, limit }));
  return (
    <Show of={loaded}>
      {({ hits, mode, weak }) => (
        <>
          <p role="status" class="quiet found">
            {hits.length === 0
              ? 'nothing was found'
              : `${weak ? 'nothing near was found; weak matches' : counted(hits.length, 'hit')} · ${MODES[mode]}`}
          </p>
          <ol class="rows hits">
            {hits.map((hit) => (
              <HitRow key={`${hit.type} ${hit.id}`} hit={hit} />
            ))}
          </ol>
          {hits.length >= Number(limit) && Number(limit) < 100 && (
            <a href={withQuery(route, { limit: String(Math.min(100, Number(limit) * 2)) })}>
              More hits
            </a>
          )}
        </>
      )}
    </Show>
  );
}

/** The hit's view; null for a note, which is in a file that only an editor opens. */
function placeOf(hit: HitJson): string | null {
  if (hit.type === 'lesson') return addressOf('lesson', [hit.id]);
  if (hit.agent === null || hit.session === null || hit.type === 'note') return null;
  return addressOf('session', [hit.agent, hit.session], {
    at: hit.type === 'entry' ? hit.id : null,
  });
}

const MODES: Record<Mode, string> = {
  hybrid: 'by words and meaning',
  keyword: 'by words',
  semantic: 'by meaning',
  exact: 'by exact words',
};
const SINCE: [since: string, title: string][] = [
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
];
const WHO: Record<string, string> = {
  user: 'you',
  assistant: 'agent',
  thinking: 'agent, thinking',
  tool_call: 'call',
  tool_result: 'result',
};

function HitRow({ hit }: { hit: HitJson }) {
  const { start } = usePage();
  const what = hit.type === 'entry' ? (WHO[hit.role ?? ''] ?? hit.role ?? 'entry') : hit.type;
  return (
    <Row
      href={placeOf(hit)}
      text={<Marked hit={hit} />}
      facts={[
        hit.at !== null && <When at={hit.at} />,
        what,
        hit.agent !== null && <Plain of={hit.agent} />,
        hit.project !== null && <Plain of={projectName(start, hit.project)} />,
        hit.similar.length > 0 && `and ${counted(hit.similar.length, 'similar one')}`,
      ]}
    >
      {hit.question !== null && (
        <p class="quiet">
          asked: <Rich of={hit.question} />
        </p>
      )}
    </Row>
  );
}

const MARKS = /`|\*\*|(?<!\S)(?:#{1,6} |\*(?=\w))|(?<=\w)\*(?!\S)/g;

/** The text with marked ranges (UTF-16 units of the original). Prose is without Markdown signs. */
function Marked({ hit: { passage: text, matches, role } }: { hit: HitJson }) {
  const isRaw = role === 'tool_call' || role === 'tool_result';
  const shown = (from: number, to?: number) => (
    <Plain of={isRaw ? text.slice(from, to) : text.slice(from, to).replace(MARKS, '')} />
  );
  const parts = [];
  let at = 0;
  for (const [start, end] of [...matches].sort((a, b) => a[0] - b[0])) {
    if (start < at) continue;
    parts.push(shown(at, start), <mark key={start}>{shown(start, end)}</mark>);
    at = end;
  }
  return (
    <>
      {parts}
      {shown(at)}
    </>
  );
}
