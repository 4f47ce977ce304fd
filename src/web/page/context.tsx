/**
 * The page of a project, with tokens and lessons of each line, and the lessons that did not fit.
 */
import type { ContextAnswer } from '../wire.js';
import { Choice, projectsOf, Show, useLoad, usePage } from './page-context.js';
import { addressOf, asked, type Route } from './route.js';
import { count, Plain, Rich, Row } from './words.js';

export function ContextPage({ route }: { route: Route }) {
  const { start } = usePage();
  const slug = route.args[0] ?? 'all';
  const loaded = useLoad<ContextAnswer>(asked('/context', { project: slug }));
  return (
    <>
      <h1>Page of a project</h1>
      <div class="filters">
        <Choice
          title="Project"
          value={slug}
          none={null}
          options={[...projectsOf(start), ['all', 'everywhere']]}
          onPick={(value) => (location.hash = addressOf('context', [value]))}
        />
      </div>
      <Show of={loaded}>{(view) => <Context view={view} />}</Show>
    </>
  );
}

function Context({ view: { path, tokens, budget, lines, missed } }: { view: ContextAnswer }) {
  return (
    <>
      <p class="quiet">
        {count(tokens)} of {count(budget)} tokens · <Plain of={path} />. The number before a line is
        its tokens.
      </p>
      <ol class="context" aria-label="context.md, line by line">
        {lines.map(
          (line, at) =>
            line.text !== '' && (
              <li key={at}>
                <span class="quiet">{line.tokens > 0 ? line.tokens : ''}</span>
                <Line of={line.text} />
                <span>
                  {line.lessons.map((id, place) => (
                    <a key={id} href={addressOf('lesson', [id])}>
                      why
                      <span class="hidden">
                        {' '}
                        of line {at + 1}, lesson {place + 1}
                      </span>{' '}
                    </a>
                  ))}
                </span>
              </li>
            ),
        )}
      </ol>
      <h2>Left out of the page</h2>
      {missed.length === 0 && <p>Every lesson that is worth a line is on the page.</p>}
      <ul class="rows">
        {missed.map(({ id, text, worth, reason }) => (
          <Row
            key={id}
            href={addressOf('lesson', [id])}
            text={<Rich of={text} />}
            facts={[`worth ${worth.toFixed(3)}`, <Plain key="why" of={reason} />]}
          />
        ))}
      </ul>
    </>
  );
}

function Line({ of }: { of: string }) {
  const [, mark = '', text = ''] = /^(#+ |[-*] |)(.*)$/s.exec(of)!;
  if (mark.startsWith('#'))
    return (
      <b>
        <Plain of={text} />
      </b>
    );
  return (
    <span>
      {mark !== '' && '• '}
      <Rich of={text} />
    </span>
  );
}
