/** One lesson: where it came from, why it stands where it stands, and what to do about it. */
import { useState } from 'preact/hooks';
import { isOfHand } from '../../types/values.js';
import type { LessonView } from '../wire.js';
import { EditButton, projectName, Show, usePage, useKeys, useLoad } from './page-context.js';
import { useLessonEdits, WordsForm } from './edits.js';
import { LessonFacts, LessonList } from './lessons.js';
import { addressOf, asked, type Route } from './route.js';
import { counted, Pair, Rich, Text, When } from './words.js';

export function LessonPage({ route }: { route: Route }) {
  const loaded = useLoad<LessonView>(asked('/view/lesson', { id: route.args[0] }));
  return <Show of={loaded}>{(view) => <Lesson view={view} />}</Show>;
}

function Lesson({ view }: { view: LessonView }) {
  const { lesson } = view;
  return (
    <article>
      <h1 class="statement">
        <Rich of={lesson.text} />
      </h1>
      <LessonFacts of={lesson} />
      <Actions view={view} />
      <Conflicts view={view} />
      <h2>Evidence</h2>
      <Evidence of={view.evidence} />
      <h2>Why</h2>
      <ul class="why">
        {view.why.map((line) => (
          <li key={line}>
            <Text of={line} />
          </li>
        ))}
      </ul>
      <Facts of={lesson} />
      {view.edits.length > 0 && <Edits of={view.edits} />}
    </article>
  );
}

function Facts({ of: lesson }: { of: LessonView['lesson'] }) {
  const { start } = usePage();
  return (
    <>
      <h2>Facts</h2>
      <dl class="pairs">
        <Pair name="project">
          {lesson.project === null ? (
            'everywhere'
          ) : (
            <a href={addressOf('lessons', [], { project: lesson.project })}>
              <Text of={projectName(start, lesson.project)} />
            </a>
          )}
        </Pair>
        <Pair name="importance">{lesson.importance} of 5</Pair>
        <Pair name="first seen">
          <When at={lesson.first_seen} />
        </Pair>
        <Pair name="shown in answers">{counted(lesson.uses, 'time')}</Pair>
        {lesson.files.length > 0 && (
          <Pair name="files">
            {lesson.files.map((file) => (
              <a key={file} href={addressOf('lessons', [], { project: lesson.project, file })}>
                <code>
                  <Text of={file} />
                </code>
              </a>
            ))}
          </Pair>
        )}
        {lesson.tags.length > 0 && (
          <Pair name="tags">
            <Text of={lesson.tags.join(', ')} />
          </Pair>
        )}
        <Pair name="id">
          <code>{lesson.id}</code>
        </Pair>
      </dl>
    </>
  );
}

/** Each quote with the way to its place in the session. */
export function Evidence({ of }: { of: LessonView['evidence'] }) {
  if (of.length === 0) return <p>No session supports it: it was written by hand.</p>;
  return (
    <ul class="evidence">
      {of.map((event, at) => (
        <li key={at} class={event.supports ? '' : 'against'}>
          <blockquote dir="auto">
            <Rich of={event.quote} />
          </blockquote>
          <p class="facts">
            <span>{event.supports ? 'for it' : 'against it'}</span>
            <When at={event.day} />
            {event.session === '' || isOfHand(event) ? (
              <span>
                <Text of={event.agent} />
              </span>
            ) : (
              <a
                data-row
                href={addressOf('session', [event.agent, event.session], { at: event.entry })}
              >
                <Text of={event.title ?? `${event.agent} ${event.session.slice(0, 8)}`} />
              </a>
            )}
            <span>trust {event.trust}</span>
          </p>
        </li>
      ))}
    </ul>
  );
}

function Edits({ of }: { of: LessonView['edits'] }) {
  return (
    <>
      <h2>Edits</h2>
      <ul class="why">
        {of.map((edit) => (
          <li key={edit.at}>
            <When at={edit.at} /> {edit.action} by <Text of={edit.by} />
            {edit.text !== null && (
              <>
                : <Rich of={edit.text} />
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Actions({ view: { lesson } }: { view: LessonView }) {
  const edits = useLessonEdits();
  const [isOpen, setOpen] = useState(false);
  const forget = (): void => void edits.forget(lesson.id, lesson.text);
  const pin = (): void => void edits.pin(lesson.id, !lesson.pinned);
  useKeys({ e: () => setOpen(true), f: forget, p: pin });
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
    <div class="actions">
      <button type="button" onClick={() => setOpen(true)}>
        Edit <kbd>e</kbd>
      </button>
      <EditButton onClick={pin} aria-pressed={lesson.pinned}>
        {lesson.pinned ? 'Unpin' : 'Pin'} <kbd>p</kbd>
      </EditButton>
      {lesson.status !== 'forgotten' && (
        <EditButton class="danger" onClick={forget}>
          Forget <kbd>f</kbd>
        </EditButton>
      )}
    </div>
  );
}

/** What it is said to contradict, with the three ways out; and what it replaced. */
function Conflicts({ view: { lesson, related } }: { view: LessonView }) {
  const edits = useLessonEdits();
  const [merging, setMerging] = useState<string | null>(null);
  const against = related.filter(({ id }) => lesson.conflicts_with.includes(id));
  const others = related.filter(({ id }) => !lesson.conflicts_with.includes(id));
  return (
    <>
      {against.length > 0 && (
        <section class="contradiction" aria-labelledby="against">
          <h2 id="against">It seems to contradict</h2>
          {against.map((other) => (
            <div key={other.id}>
              <LessonList lessons={[other]} />
              {merging === other.id ? (
                <WordsForm
                  title="Words that are true for both"
                  text={lesson.text}
                  kind={null}
                  onCancel={() => setMerging(null)}
                  onSave={async (text) =>
                    (await edits.merge(lesson.id, other.id, text)) && setMerging(null)
                  }
                />
              ) : (
                <div class="actions">
                  <EditButton onClick={() => void edits.forget(other.id, other.text)}>
                    Keep this one
                  </EditButton>
                  <EditButton onClick={() => void edits.forget(lesson.id, lesson.text)}>
                    Keep the other
                  </EditButton>
                  <EditButton onClick={() => void edits.apart(lesson.id, other.id)}>
                    Both are true
                  </EditButton>
                  <button type="button" onClick={() => setMerging(other.id)}>
                    Merge…
                  </button>
                </div>
              )}
            </div>
          ))}
        </section>
      )}
      {others.length > 0 && (
        <section aria-labelledby="replaced">
          <h2 id="replaced">Replaced, or replaced by</h2>
          <LessonList lessons={others} />
        </section>
      )}
    </>
  );
}
