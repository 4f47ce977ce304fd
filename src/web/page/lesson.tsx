/** One lesson: its evidence, how its confidence is computed, and the possible edits. */
import { useState } from 'preact/hooks';
import { isOfHand } from '../../types/values.js';
import type { LessonAnswer } from '../wire.js';
import { lessonPath, useLessonEdits, WordsForm } from './edits.js';
import { lessonFacts, LessonList } from './lessons.js';
import { Show, useLoad, usePage } from './page-context.js';
import { addressOf, type Route } from './route.js';
import { Buttons, counted, Facts, Plain, Rich, Row, Tag, When } from './words.js';

export function LessonPage({ route }: { route: Route }) {
  const loaded = useLoad<LessonAnswer>(lessonPath(route.args[0] ?? ''));
  return <Show of={loaded}>{(view) => <Lesson view={view} />}</Show>;
}

function Lesson({ view }: { view: LessonAnswer }) {
  const { start } = usePage();
  const { lesson, edits } = view;
  return (
    <article>
      <h1>
        <Rich of={lesson.text} />
      </h1>
      <Facts of={lessonFacts(lesson, start)} />
      <Actions lesson={lesson} />
      <Replaced view={view} />
      <h2>Evidence</h2>
      <Evidence of={view.evidence} />
      <details>
        <summary>How sure it is, and its place on the page</summary>
        <ul class="plain quiet">
          {view.why.map((line) => (
            <li key={line}>
              <Plain of={line} />
            </li>
          ))}
        </ul>
      </details>
      <p class="quiet">
        {counted(lesson.uses, 'use')} in answers · importance {lesson.importance} of 5 ·{' '}
        <code class="take">{lesson.id}</code>
      </p>
      {lesson.files.length > 0 && (
        <p class="quiet">
          files: <Plain of={lesson.files.join(', ')} />
        </p>
      )}
      {edits.length > 0 && <h2>Edits</h2>}
      <ul class="rows">
        {edits.map(({ at, action, by, text }) => (
          <Row
            key={at}
            text={text === null ? action : <Rich of={text} />}
            facts={[<When key="at" at={at} />, action, <Plain key="by" of={by} />]}
          />
        ))}
      </ul>
    </article>
  );
}

/** Each quote once, with links to its places in sessions. */
export function Evidence({ of }: { of: LessonAnswer['evidence'] }) {
  if (of.length === 0) return <p>No session supports it: it was written by hand.</p>;
  const quotes = new Map<string, LessonAnswer['evidence']>();
  for (const event of [...of].sort((a, b) => (a.day < b.day ? 1 : -1)))
    quotes.set(event.quote, [...(quotes.get(event.quote) ?? []), event]);
  return (
    <ul class="rows evidence">
      {[...quotes].map(([quote, events]) => (
        <Row key={quote} text={<Rich of={quote} />}>
          <ul class="plain">
            {events.map((event, at) => (
              <li key={at}>
                <Facts
                  of={[
                    <When key="day" at={event.day} />,
                    !event.supports && <Tag tone="warm">against it</Tag>,
                    <Place key="of" of={event} />,
                  ]}
                />
              </li>
            ))}
          </ul>
        </Row>
      ))}
    </ul>
  );
}

function Place({ of }: { of: LessonAnswer['evidence'][number] }) {
  const title = <Rich of={of.title ?? of.agent} />;
  if (of.session === '' || isOfHand(of)) return title;
  return <a href={addressOf('session', [of.agent, of.session], { at: of.entry })}>{title}</a>;
}

function Actions({ lesson }: { lesson: LessonAnswer['lesson'] }) {
  const edits = useLessonEdits();
  const [isOpen, setOpen] = useState(false);
  if (isOpen)
    return (
      <WordsForm
        title="Say it in other words"
        text={lesson.text}
        kind={lesson.kind}
        onCancel={() => setOpen(false)}
        onSave={async (text, kind) => setOpen(!(await edits.reword(lesson.id, text, kind)))}
      />
    );
  return (
    <Buttons
      of={[
        ['Edit', () => setOpen(true)],
        [lesson.pinned ? 'Unpin' : 'Pin', () => edits.pin(lesson.id, !lesson.pinned)],
        lesson.status !== 'forgotten' && ['Forget', () => edits.forget(lesson.id, lesson.text)],
      ]}
    />
  );
}

/** The lesson that it replaced or that replaced it; a person can separate the two again. */
function Replaced({ view: { lesson, related } }: { view: LessonAnswer }) {
  const edits = useLessonEdits();
  return (
    <>
      {related.length > 0 && <h2>Replaced, or replaced by</h2>}
      {related.map((other) => (
        <div key={other.id}>
          <LessonList lessons={[other]} />
          <Buttons of={[['Both are true', () => edits.apart(lesson.id, other.id)]]} />
        </div>
      ))}
    </>
  );
}
