/**
 * What is new since the last time, one lesson at a time with its evidence, where one key decides;
 * then sentences.
 */
import { useEffect, useState } from 'preact/hooks';
import type { LessonRow, LessonView, WishRow } from '../../wire.js';
import { WordsForm } from '../edits.js';
import { Evidence } from '../lesson.js';
import { LessonFacts } from '../lessons.js';
import { asRefusal, EditButton, Show, useKeys, useLoad, usePage } from '../page-context.js';
import { addressOf, asked, type Route } from '../route.js';
import { counted, Rich } from '../words.js';
import { type Decisions, useDecisions } from './decisions.js';
import { Wishes } from './wishes.js';

/** What waits: lessons one at a time, below them sentences. */
interface Waiting {
  waiting: LessonRow[];
  wishes: WishRow[];
}

export function ReviewPage({ route }: { route: Route }) {
  const { api } = usePage();
  const project = route.query.get('project') ?? 'all';
  // Read once: the order must not change under the hand while edits are made.
  const [waiting, setWaiting] = useState<{
    data?: Waiting;
    refusal?: ReturnType<typeof asRefusal>;
  }>({});
  useEffect(() => {
    const path = asked('/review', { project });
    api.get<Waiting>(path).then(
      (data) => setWaiting({ data }),
      (error: unknown) => setWaiting({ refusal: asRefusal(error) }),
    );
  }, [api, project]);
  return (
    <>
      <h1>Review</h1>
      <Show of={{ data: waiting.data, refusal: waiting.refusal }}>
        {({ waiting: lessons, wishes }) => (
          <>
            {lessons.length + wishes.length === 0 && (
              <p class="lead">Nothing new to look through.</p>
            )}
            {lessons.length > 0 && <Review key={project} waiting={lessons} />}
            <Wishes key={`wishes ${project}`} of={wishes} />
          </>
        )}
      </Show>
    </>
  );
}

/** Name, letter and what is done. */
type Act = [name: string, letter: string, act: () => void];

function actsOf({ keep, forget, pin, later, undo }: Decisions, edit: () => void): Act[] {
  return [
    ['Keep', 'k', keep],
    ['Edit', 'e', edit],
    ['Forget', 'f', forget],
    ['Pin', 'p', pin],
    ['Later', 's', later],
    ['Undo', 'u', undo],
  ];
}

function Review({ waiting }: { waiting: LessonRow[] }) {
  const review = useDecisions(waiting);
  const { lesson } = review;
  const [editing, setEditing] = useState<string | null>(null);
  const acts = actsOf(review, () => lesson && setEditing(lesson.id));
  useKeys(Object.fromEntries(acts.map(([, letter, act]) => [letter, act])));
  const undo = review.number > 0 ? acts.slice(-1) : [];
  if (lesson === undefined)
    return (
      <>
        <p class="lead">
          {`${counted(review.number, 'lesson')} looked through, ${waiting.length - review.number || 'none'} left for later.`}
        </p>
        <Acts of={undo} />
        <a href="#/lessons">All lessons</a>
      </>
    );
  const at = waiting.indexOf(lesson);
  return (
    <article class="review">
      <p class="found">
        {at + 1} of {waiting.length}
      </p>
      <progress max={waiting.length} value={at} aria-label="looked through" />
      <h2 class="statement">
        <a href={addressOf('lesson', [lesson.id])}>
          <Rich of={lesson.text} />
        </a>
      </h2>
      <LessonFacts of={lesson} />
      {editing === lesson.id ? (
        <WordsForm
          {...lesson}
          title="Say it in other words"
          onCancel={() => setEditing(null)}
          onSave={review.reword}
        />
      ) : (
        <Acts of={[...acts.slice(0, -1), ...undo]} />
      )}
      <LessonEvidence id={lesson.id} />
    </article>
  );
}

function Acts({ of }: { of: Act[] }) {
  return (
    <div class="actions">
      {of.map(([name, letter, act]) => (
        <EditButton key={name} class={name === 'Keep' ? 'main' : ''} onClick={act}>
          {name} <kbd>{letter}</kbd>
        </EditButton>
      ))}
    </div>
  );
}

function LessonEvidence({ id }: { id: string }) {
  return (
    <>
      <h3>Evidence</h3>
      <Show of={useLoad<LessonView>(asked('/view/lesson', { id }))}>
        {({ evidence }) => <Evidence of={evidence} />}
      </Show>
    </>
  );
}
