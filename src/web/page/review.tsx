/** What is new since the last time, one lesson at a time with its evidence, where one key decides; then sentences. */
import { useEffect, useState } from 'preact/hooks';
import type { LessonRow, LessonView, WishRow } from '../wire.js';
import { asRefusal, type Edited, projectName, Show, takeBack, useAttempt, usePage, useKeys, useLoad } from './page-context.js';
import { WordsForm } from './edits.js';
import { Evidence } from './lesson.js';
import { LessonFacts } from './lessons.js';
import { addressOf, asked, type Route } from './route.js';
import { counted, Rich } from './words.js';

/** What waits: lessons one at a time, below them sentences. */
interface Waiting {
  waiting: LessonRow[];
  wishes: WishRow[];
}

export function ReviewPage({ route }: { route: Route }) {
  const { api } = usePage();
  const project = route.query.get('project') ?? 'all';
  // Read once: the order must not change under the hand while edits are made.
  const [waiting, setWaiting] = useState<{ data?: Waiting; refusal?: ReturnType<typeof asRefusal> }>({});
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
            {lessons.length + wishes.length === 0 && <p class="lead">Nothing new to look through.</p>}
            {lessons.length > 0 && <Review key={project} waiting={lessons} />}
            <Wishes key={`wishes ${project}`} of={wishes} />
          </>
        )}
      </Show>
    </>
  );
}

/** Which lesson is looked at, and what was decided about those before; an edit is taken back as one. */
function useDecisions(waiting: LessonRow[]) {
  const { api, say } = usePage();
  const attempt = useAttempt();
  const [at, setAt] = useState(0);
  const [decided, setDecided] = useState<{ at: number; edit: string | null }[]>([]);
  const lesson = waiting[at];
  const looked = (id: string, keep: boolean): Promise<unknown> => api.send('POST', `/review/${encodeURIComponent(id)}`, { keep });
  const undo = async (): Promise<void> => {
    const last = decided.at(-1);
    const text = last === undefined ? 'nothing to undo' : `taken back: ${waiting[last.at]!.text}`;
    const done = await attempt(text, async () => {
      if (last === undefined) return;
      if (last.edit !== null) await takeBack(api, last.edit);
      await looked(waiting[last.at]!.id, false);
    });
    if (!done) return;
    if (last !== undefined) {
      setDecided(decided.slice(0, -1));
      setAt(last.at);
    }
    say({ text });
  };
  const decide = async (verb: string, edit: (() => Promise<Edited>) | null): Promise<boolean> => {
    if (lesson === undefined) return false;
    let made: string | null = null;
    const done = await attempt(`${verb}: ${lesson.text}`, async () => {
      made = (await edit?.())?.id ?? null;
      await looked(lesson.id, true);
    });
    if (!done) return false;
    setDecided([...decided, { at, edit: made }]);
    setAt(at + 1);
    say({ text: `${verb}: ${lesson.text}` });
    return true;
  };
  const path = lesson === undefined ? '' : `/lessons/${encodeURIComponent(lesson.id)}`;
  return {
    at,
    lesson,
    decided: decided.length,
    keep: () => void decide('kept', null),
    forget: () => void decide('forgotten', () => api.send('DELETE', path)),
    pin: () => void decide('pinned', () => api.send('PATCH', path, { pinned: true })),
    reword: (text: string, kind: string) => decide('changed', () => api.send('PATCH', path, { text, kind })),
    later: () => void (lesson !== undefined && setAt(at + 1)),
    undo: () => void undo(),
  };
}

function Review({ waiting }: { waiting: LessonRow[] }) {
  const review = useDecisions(waiting);
  const { lesson } = review;
  const [editing, setEditing] = useState<string | null>(null);
  const acts: [name: string, letter: string, act: () => void][] = [
    ['Keep', 'k', review.keep],
    ['Edit', 'e', () => lesson && setEditing(lesson.id)],
    ['Forget', 'f', review.forget],
    ['Pin', 'p', review.pin],
    ['Later', 's', review.later],
    ['Undo', 'u', review.undo],
  ];
  useKeys(Object.fromEntries(acts.map(([, letter, act]) => [letter, act])));
  const undo = review.decided > 0 ? acts.slice(-1) : [];
  if (lesson === undefined)
    return (
      <>
        <p class="lead">
          {`${counted(review.decided, 'lesson')} looked through, ${waiting.length - review.decided || 'none'} left for later.`}
        </p>
        <Acts of={undo} />
        <a href="#/lessons">All lessons</a>
      </>
    );
  return (
    <article class="review">
      <p class="found">
        {review.at + 1} of {waiting.length}
      </p>
      <progress max={waiting.length} value={review.at} aria-label="looked through" />
      <h2 class="statement">
        <a href={addressOf('lesson', [lesson.id])}>
          <Rich of={lesson.text} />
        </a>
      </h2>
      <LessonFacts of={lesson} />
      {editing === lesson.id ? (
        <WordsForm {...lesson} title="Say it in other words" onCancel={() => setEditing(null)} onSave={review.reword} />
      ) : (
        <Acts of={[...acts.slice(0, -1), ...undo]} />
      )}
      <LessonEvidence id={lesson.id} />
    </article>
  );
}

function Acts({ of }: { of: [name: string, letter: string, act: () => void][] }) {
  return (
    <div class="actions">
      {of.map(([name, letter, act]) => (
        <button key={name} type="button" class={name === 'Keep' ? 'main' : ''} onClick={act}>
          {name} <kbd>{letter}</kbd>
        </button>
      ))}
    </div>
  );
}

function LessonEvidence({ id }: { id: string }) {
  return (
    <>
      <h3>Evidence</h3>
      <Show of={useLoad<LessonView>(asked('/view/lesson', { id }))}>{({ evidence }) => <Evidence of={evidence} />}</Show>
    </>
  );
}

/** Which sentences are still open, and what deciding about one does. */
function useWishes(wishes: WishRow[]) {
  const { api, say } = usePage();
  const attempt = useAttempt();
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const note = (id: string, keep: boolean): Promise<unknown> =>
    api.send('POST', `/review/${encodeURIComponent(id)}`, { keep, wish: true });
  const decide = ({ id, project }: WishRow, done: string, rule: { text: string; kind: string } | null): Promise<boolean> =>
    attempt(done, async () => {
      const made = rule === null ? null : await api.send<Edited>('POST', '/lessons', { ...rule, project });
      await note(id, true);
      setDecided((all) => new Set([...all, id]));
      const takenBack = async (): Promise<void> => {
        if (made !== null) await takeBack(api, made.id);
        await note(id, false);
        setDecided((all) => new Set([...all].filter((each) => each !== id)));
        say({ text: 'taken back' });
      };
      say({ text: done, undo: async () => void (await attempt('taken back', takenBack)) });
    });
  return { open: wishes.filter(({ id }) => !decided.has(id)), decide };
}

/** Sentences that the person typed once: a rule as typed, in other words, or never asked about again. */
function Wishes({ of }: { of: WishRow[] }) {
  const { open, decide } = useWishes(of);
  if (open.length === 0) return null;
  return (
    <section>
      <h2>You typed this once</h2>
      <p class="lead">No page shows it unless you turn it into a rule.</p>
      {open.map((wish) => (
        <Wish
          key={wish.id}
          of={wish}
          onRule={(text, kind) => decide(wish, `a rule now: ${text}`, { text, kind })}
          onNever={() => decide(wish, `never asked again: ${wish.text}`, null)}
        />
      ))}
    </section>
  );
}

interface Deciding {
  of: WishRow;
  onRule(text: string, kind: string): Promise<boolean>;
  onNever(): Promise<boolean>;
}

function Wish({ of: { text, day, project, agent }, onRule, onNever }: Deciding) {
  const { start } = usePage();
  const [isWording, setWording] = useState(false);
  const acts: [name: string, act: () => void][] = [
    ['A rule, as typed', () => void onRule(text, 'preference')],
    ['In other words', () => setWording(true)],
    ['Never ask again', () => void onNever()],
  ];
  return (
    <article class="wish">
      <p>
        <Rich of={text} />
      </p>
      <p class="found">
        {day} · {projectName(start, project)} · {agent}
      </p>
      {isWording ? (
        <WordsForm
          {...{ text, kind: 'preference', title: 'The rule in other words' }}
          onCancel={() => setWording(false)}
          onSave={onRule}
        />
      ) : (
        <div class="actions">
          {acts.map(([name, act]) => (
            <button key={name} type="button" onClick={act}>
              {name}
            </button>
          ))}
        </div>
      )}
    </article>
  );
}
