/**
 * context.md as the agent reads it: what each line costs, which lessons are behind it, and what
 * just missed the cut.
 */
import type { ContextView } from '../wire.js';
import { Choice, projectsOf, Show, usePage, useLoad } from './page-context.js';
import { addressOf, asked, type Route } from './route.js';
import { count, Rich, Text } from './words.js';

export function ContextPage({ route }: { route: Route }) {
  const slug = useProject(route);
  const loaded = useLoad<ContextView>(
    slug === null ? null : asked('/view/context', { project: slug }),
  );
  return (
    <>
      <h1>Context</h1>
      <ProjectChoice route={route} slug={slug} more={[['all', 'everywhere']]} />
      <Show of={loaded}>{(view) => <Context view={view} />}</Show>
    </>
  );
}

/**
 * The project of the address, else the one that was worked in last; null until that is known, `all`
 * when there is none.
 */
function useProject(route: Route): string | null {
  const { start } = usePage();
  return route.args[0] ?? (start === null ? null : (start.projects[0]?.slug ?? 'all'));
}

interface Chosen {
  route: Route;
  slug: string | null;
  /** What can be chosen beside projects. */
  more?: [slug: string, name: string][];
}

export function ProjectChoice({ route, slug, more = [] }: Chosen) {
  const { start } = usePage();
  return (
    <div class="filters">
      <Choice
        title="Project"
        value={slug ?? ''}
        none={null}
        options={[...projectsOf(start), ...more]}
        onPick={(value) => (location.hash = addressOf(route.page, [value]))}
      />
    </div>
  );
}

function Context({ view: { path, tokens, budget, lines, missed } }: { view: ContextView }) {
  const share = Math.min(100, (tokens / Math.max(budget, 1)) * 100);
  return (
    <>
      <div class="budget">
        <div
          class="bar"
          role="meter"
          aria-label="tokens"
          aria-valuenow={tokens}
          aria-valuemin={0}
          aria-valuemax={budget}
        >
          <i style={{ width: `${share}%` }} />
        </div>
        <p>
          {count(tokens)} of {count(budget)} tokens · <Text of={path} />
        </p>
      </div>
      <ol class="context-lines" aria-label="context.md, line by line">
        {lines.map((line, at) => (
          <li key={at} class={line.text.startsWith('#') ? 'title' : ''}>
            <span class="cost" title="tokens of this line">
              {line.tokens > 0 ? line.tokens : ''}
            </span>
            <span class="line">
              <Text of={line.text} />
            </span>
            <span class="behind">
              {line.lessons.map((id, place) => (
                <a key={id} data-row href={addressOf('lesson', [id])}>
                  why
                  <span class="hidden">
                    {' '}
                    of line {at + 1}, lesson {place + 1}
                  </span>
                </a>
              ))}
            </span>
          </li>
        ))}
      </ol>
      <Missed of={missed} />
    </>
  );
}

function Missed({ of: missed }: { of: ContextView['missed'] }) {
  return (
    <>
      <h2>Left out of the page</h2>
      {missed.length === 0 ? (
        <p>Every lesson that is worth a line is on the page.</p>
      ) : (
        <ul class="rows">
          {missed.map((lesson) => (
            <li key={lesson.id}>
              <a data-row class="lesson-text" href={addressOf('lesson', [lesson.id])}>
                <Rich of={lesson.text} />
              </a>
              <p class="facts">
                <span>worth {lesson.worth.toFixed(3)}</span>
                <span>
                  <Text of={lesson.reason} />
                </span>
              </p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
