/** Search over everything, with the words that matched marked and what stands around a hit. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { HIT_TYPES, SEARCH_MODES } from '../../types/values.js';
import type { Hit } from '../wire.js';
import { Choice, ProjectFilter, projectName, Show, usePage, useLoad } from './page-context.js';
import { addressOf, asked, withQuery, type Route } from './route.js';
import { counted, Text, When } from './words.js';

/** What `dripstone search --json` answers, as far as it is shown. */
interface Answer {
  mode: string;
  weak: boolean;
  hits: Hit[];
}

const FILTERS = [
  'project',
  'mode',
  'kind',
  'role',
  'agent',
  'tool',
  'file',
  'since',
  'until',
] as const;
const LIMIT = 20;

export function SearchPage({ route }: { route: Route }) {
  const query = Object.fromEntries(route.query);
  const words = query['q'] ?? '';
  const path = asked('/search', {
    ...Object.fromEntries(FILTERS.map((name) => [name, query[name]])),
    q: words,
    project: query['project'] ?? 'all',
    limit: query['limit'] ?? LIMIT,
    context: 1,
  });
  const loaded = useLoad<Answer>(words === '' ? null : path);
  return (
    <>
      <h1>Search</h1>
      <Asking route={route} />
      {words !== '' && (
        <Show of={loaded}>{(answer) => <Answered answer={answer} route={route} />}</Show>
      )}
    </>
  );
}

function Asking({ route }: { route: Route }) {
  const given = route.query.get('q') ?? '';
  const [words, setWords] = useState(given);
  useEffect(() => setWords(given), [given]);
  const field = useRef<HTMLInputElement>(null);
  // The page was opened to type here.
  useEffect(() => void (words === '' && field.current!.focus()), []);
  return (
    <search>
      <form
        class="ask"
        onSubmit={(event) => {
          event.preventDefault();
          location.hash = withQuery(route, { q: words.trim(), limit: null });
        }}
      >
        <label>
          <span class="hidden">Words or a question</span>
          <input
            type="search"
            placeholder="words, an error, a question"
            maxLength={1000}
            value={words}
            ref={field}
            onInput={({ currentTarget }) => setWords(currentTarget.value)}
            onKeyDown={({ key }) => key === 'Escape' && document.getElementById('main')!.focus()}
          />
        </label>
        <button type="submit" class="main">
          Search
        </button>
      </form>
      <div class="filters">
        <ProjectFilter route={route} />
      </div>
      <MoreFilters route={route} />
    </search>
  );
}

const CHOICES: [name: string, title: string, none: string, options: readonly string[]][] = [
  ['mode', 'How', 'best', SEARCH_MODES],
  ['kind', 'What', 'any', HIT_TYPES],
  ['role', 'Who', 'any', ['user', 'assistant', 'thinking', 'tool_call', 'tool_result']],
];

function MoreFilters({ route }: { route: Route }) {
  const set = (name: string, value: string): void =>
    void (location.hash = withQuery(route, { limit: null, [name]: value }));
  return (
    <details open={FILTERS.slice(1).some((name) => route.query.has(name))}>
      <summary>More filters</summary>
      <div class="filters">
        {CHOICES.map(([name, title, none, options]) => (
          <Choice
            key={name}
            title={title}
            none={none}
            value={route.query.get(name) ?? ''}
            options={options.map((each) => [each, WHO[each] ?? each])}
            onPick={(value) => set(name, value)}
          />
        ))}
        {['agent', 'tool', 'file', 'since', 'until'].map((name) => (
          <label key={name}>
            {name}
            <input
              value={route.query.get(name) ?? ''}
              placeholder={name === 'since' || name === 'until' ? '7d, 2026-11-20' : ''}
              onChange={({ currentTarget }) => set(name, currentTarget.value.trim())}
            />
          </label>
        ))}
      </div>
    </details>
  );
}

function Answered({ answer: { hits, mode, weak }, route }: { answer: Answer; route: Route }) {
  const limit = Number(route.query.get('limit')) || LIMIT;
  return (
    <>
      <p role="status" class="found">
        {hits.length === 0
          ? 'nothing was found'
          : weak
            ? 'nothing near was found; weak matches:'
            : counted(hits.length, 'hit')}
        {hits.length > 0 && ` · by ${mode}`}
      </p>
      <ol class="rows hits">
        {hits.map((hit) => (
          <li key={`${hit.type} ${hit.id}`}>
            <HitRow hit={hit} />
          </li>
        ))}
      </ol>
      {hits.length >= limit && limit < 100 && (
        <a href={withQuery(route, { limit: String(Math.min(100, limit * 2)) })}>More hits</a>
      )}
    </>
  );
}

/** Where a hit can be looked at; a note lies in a file that only an editor opens. */
function placeOf(hit: Hit): string | null {
  if (hit.type === 'lesson') return addressOf('lesson', [hit.id]);
  if (hit.agent === null || hit.session === null || hit.type === 'note') return null;
  return addressOf('session', [hit.agent, hit.session], {
    at: hit.type === 'entry' ? hit.id : null,
  });
}

const WHO: Record<string, string> = {
  user: 'you',
  assistant: 'agent',
  thinking: 'agent, thinking',
  tool_call: 'call',
  tool_result: 'result',
};

function HitRow({ hit }: { hit: Hit }) {
  const around = hit.context ?? [];
  const neighbours = (isBefore: boolean) =>
    around
      .filter(({ place }) => place < 0 === isBefore)
      .map((entry) => <Neighbour key={entry.id} of={entry} />);
  return (
    <>
      <HitFacts hit={hit} />
      {hit.question !== null && (
        <p class="question">
          asked: <Text of={hit.question} />
        </p>
      )}
      {neighbours(true)}
      <p class="passage" dir="auto">
        <Marked text={hit.text} matches={hit.matches} />
      </p>
      {neighbours(false)}
    </>
  );
}

function HitFacts({ hit }: { hit: Hit }) {
  const { start } = usePage();
  const place = placeOf(hit);
  const what =
    hit.type === 'entry'
      ? `${WHO[hit.role ?? ''] ?? hit.role ?? 'entry'}${hit.tool ? ` · ${hit.tool}` : ''}`
      : hit.type;
  const of = [hit.project !== null ? projectName(start, hit.project) : null, hit.agent].filter(
    (name) => name !== null,
  );
  return (
    <p class="facts">
      {place === null ? (
        <span class="kind">{what}</span>
      ) : (
        <a data-row href={place}>
          <Text of={what} />
        </a>
      )}
      {of.map((name) => (
        <span key={name}>
          <Text of={name} />
        </span>
      ))}
      {hit.at !== null && <When at={hit.at} />}
      {hit.similar.length > 0 && <span>and {counted(hit.similar.length, 'similar one')}</span>}
    </p>
  );
}

const NEIGHBOUR_CHARS = 240;

function Neighbour({ of: { role, text } }: { of: NonNullable<Hit['context']>[number] }) {
  if (text === null || text.trim() === '') return null;
  const start = text.trim().slice(0, NEIGHBOUR_CHARS);
  return (
    <p class="neighbour" dir="auto">
      <span class="who">{WHO[role] ?? role}</span>{' '}
      <Text of={start.length < text.trim().length ? `${start}…` : start} />
    </p>
  );
}

/** The text with the ranges marked, which are in UTF-16 units of the text as it came. */
function Marked({ text, matches }: { text: string; matches: Hit['matches'] }) {
  const parts = [];
  let at = 0;
  for (const [start, end] of [...matches].sort((a, b) => a[0] - b[0])) {
    if (start < at) continue;
    parts.push(<Text key={`t${at}`} of={text.slice(at, start)} />);
    parts.push(
      <mark key={`m${start}`}>
        <Text of={text.slice(start, end)} />
      </mark>,
    );
    at = end;
  }
  return (
    <>
      {parts}
      <Text of={text.slice(at)} />
    </>
  );
}
