/** Review: the person's own sentences first, then new lessons one at a time, then the rules. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { LessonAnswer, LessonRow, Review, RuleRow, WishRow } from '../wire.js';
import { lessonPath, WordsForm } from './edits.js';
import { Evidence } from './lesson.js';
import { lessonFacts } from './lessons.js';
import {
  asRefusal,
  projectName,
  ProjectFilter,
  Show,
  useAttempt,
  useEdit,
  useLoad,
  usePage,
  type Edited,
  type Loaded,
} from './page-context.js';
import { addressOf, asked, type Route } from './route.js';
import { Buttons, counted, Facts, Plain, Rich, Row, Tag, When } from './words.js';

export function ReviewPage({ route }: { route: Route }) {
  const project = route.query.get('project') ?? 'all';
  return (
    <>
      <h1>Review</h1>
      <div class="filters">
        <ProjectFilter route={route} />
      </div>
      <Everything key={project} project={project} />
    </>
  );
}

function Everything({ project }: { project: string }) {
  const { api } = usePage();
  // Loaded once, because edits must not change the order while a person works.
  const [review, setReview] = useState<Loaded<Review>>({});
  useEffect(() => {
    api.get<Review>(asked('/review', { project })).then(
      (data) => setReview({ data }),
      (error: unknown) => setReview({ refusal: asRefusal(error) }),
    );
  }, [api, project]);
  return (
    <Show of={review}>
      {({ waiting, wishes, rules }) => (
        <>
          {waiting.length + wishes.length === 0 && <p>Nothing new to look through.</p>}
          {wishes.length > 0 && <Wishes of={wishes} />}
          {waiting.length > 0 && <Lessons waiting={waiting} />}
          <Rules of={rules} />
        </>
      )}
    </Show>
  );
}

type Decide = (
  id: string,
  done: string,
  edit?: () => Promise<Edited>,
  isWish?: boolean,
) => Promise<boolean>;

/** The decided items. The message of each decision offers undo. */
function useDecided(): { decided: ReadonlySet<string>; pass(id: string): void; decide: Decide } {
  const { api } = usePage();
  const edit = useEdit();
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const pass = (id: string, isDone = true): void =>
    setDecided(
      (all) => new Set([...[...all].filter((each) => each !== id), ...(isDone ? [id] : [])]),
    );
  return {
    decided,
    pass,
    decide: (id, done, change, isWish = false) =>
      edit(change ?? null, done, async (isDone) => {
        const path = `/review/${encodeURIComponent(id)}`;
        await api.send('POST', path, { keep: isDone, ...(isWish && { wish: true }) });
        pass(id, isDone);
      }),
  };
}

/** Sentences that the person typed once: kept as a rule, reworded, or never offered again. */
function Wishes({ of }: { of: WishRow[] }) {
  const { api } = usePage();
  const { decided, decide } = useDecided();
  const open = of.filter(({ id }) => !decided.has(id));
  if (open.length === 0) return null;
  return (
    <section aria-labelledby="typed">
      <h2 id="typed">You typed this</h2>
      <p>No page shows it unless you turn it into a rule.</p>
      <ul class="rows">
        {open.map((wish) => (
          <Wish
            key={wish.id}
            of={wish}
            onRule={(text, kind) =>
              decide(
                wish.id,
                `a rule now: ${text}`,
                () => api.send('POST', '/lessons', { text, kind, project: wish.project }),
                true,
              )
            }
            onNever={() => decide(wish.id, `never asked again: ${wish.text}`, undefined, true)}
          />
        ))}
      </ul>
    </section>
  );
}

interface Deciding {
  of: WishRow;
  onRule(text: string, kind: string): Promise<boolean>;
  onNever(): Promise<boolean>;
}

function Wish({ of, onRule, onNever }: Deciding) {
  const { start } = usePage();
  const [isWording, setWording] = useState(false);
  return (
    <Row
      href={addressOf('session', [of.agent, of.session])}
      text={<Rich of={of.text} />}
      facts={[
        <When key="day" at={of.day} />,
        <Plain key="project" of={projectName(start, of.project)} />,
        <Plain key="agent" of={of.agent} />,
      ]}
    >
      {isWording ? (
        <WordsForm
          {...{ text: of.text, kind: 'preference', title: 'The rule in other words' }}
          onCancel={() => setWording(false)}
          onSave={onRule}
        />
      ) : (
        <Buttons
          of={[
            ['A rule, as typed', () => onRule(of.text, 'preference')],
            ['In other words', () => setWording(true)],
            ['Never ask again', onNever],
          ]}
        />
      )}
    </Row>
  );
}

/** New lessons, one at a time. While the focus is here, one key decides. */
function Lessons({ waiting }: { waiting: LessonRow[] }) {
  const { api } = usePage();
  const { decided, pass, decide } = useDecided();
  const [editing, setEditing] = useState<string | null>(null);
  const section = useRef<HTMLElement>(null);
  const lesson = waiting.find(({ id }) => !decided.has(id));
  useEffect(() => {
    // The pressed button disappears with its lesson, so the focus moves back: keys work only here.
    const { activeElement } = document;
    if (activeElement === document.body || activeElement?.id === 'main')
      section.current!.focus({ preventScroll: true });
  }, [lesson?.id]);
  if (lesson === undefined)
    return (
      <section ref={section} tabIndex={-1} aria-label="New lessons">
        <p>{counted(waiting.length, 'lesson')} looked through.</p>
      </section>
    );
  const { id, text } = lesson;
  const patch = (body: object): Promise<Edited> => api.send('PATCH', lessonPath(id), body);
  const acts: [name: string, act: () => unknown][] = [
    ['Keep', () => decide(id, `kept: ${text}`)],
    ['Edit', () => setEditing(id)],
    ['Forget', () => decide(id, `forgotten: ${text}`, () => api.send('DELETE', lessonPath(id)))],
    ['Pin', () => decide(id, `pinned: ${text}`, () => patch({ pinned: true }))],
    ['Later', () => pass(id)],
  ];
  const press = (event: KeyboardEvent): void => {
    const act = acts.find(([name]) => keyOf(name) === event.key);
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    event.preventDefault();
    act[1]();
  };
  return (
    <section ref={section} tabIndex={-1} aria-labelledby="new" onKeyDown={press}>
      <h2 id="new">New lessons</h2>
      <p class="quiet found">
        {waiting.indexOf(lesson) + 1} of {waiting.length}
      </p>
      <Waiting key={id} of={lesson}>
        {editing === id ? (
          <WordsForm
            {...lesson}
            title="Say it in other words"
            onCancel={() => setEditing(null)}
            onSave={(text, kind) => decide(id, `changed: ${text}`, () => patch({ text, kind }))}
          />
        ) : (
          <Buttons of={acts.map(([name, act]) => [name, act, keyOf(name)])} />
        )}
      </Waiting>
    </section>
  );
}

/** The keys of `dripstone review`. */
const keyOf = (name: string): string => (name === 'Later' ? 's' : name[0]!.toLowerCase());

function Waiting({ of, children }: { of: LessonRow; children: ComponentChildren }) {
  const { start } = usePage();
  return (
    <>
      <h3>
        <a href={addressOf('lesson', [of.id])}>
          <Rich of={of.text} />
        </a>
      </h3>
      <Facts of={lessonFacts(of, start)} />
      {children}
      <Show of={useLoad<LessonAnswer>(lessonPath(of.id))}>
        {({ evidence }) => <Evidence of={evidence} />}
      </Show>
    </>
  );
}

/** Whether agents kept the person's rules, the worst first; one click guards a rule. */
function Rules({ of }: { of: RuleRow[] }) {
  const { start, api, say } = usePage();
  const attempt = useAttempt();
  const [guards, setGuards] = useState<Record<string, 'warn' | 'deny'>>({});
  const guard = ({ id, text }: RuleRow, how: 'warn' | 'deny') =>
    attempt(`guarded: ${text}`, async () => {
      await api.send('POST', `/rules/${encodeURIComponent(id)}/guard`, { guard: how });
      setGuards((all) => ({ ...all, [id]: how }));
      say({ text: `guarded: ${text}` });
    });
  return (
    <section aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      {of.length === 0 && <p>No rule yet: a lesson of yours that forbids a command or a path.</p>}
      <ul class="rows">
        {of.map((stored) => {
          const rule = { ...stored, guard: guards[stored.id] ?? stored.guard };
          const last = rule.breaks.at(-1);
          return (
            <Row
              key={rule.id}
              href={addressOf('lesson', [rule.id])}
              text={<Rich of={rule.text} />}
              facts={[
                <Plain key="project" of={projectName(start, rule.project)} />,
                `said ${counted(rule.told, 'time')}`,
                `kept in ${counted(rule.kept, 'session')}`,
                rule.broken > 0 && (
                  <Tag tone="bad">broken in {counted(rule.broken, 'session')}</Tag>
                ),
                rule.guard !== null && <Tag tone="good">guarded: {rule.guard}</Tag>,
              ]}
            >
              {last !== undefined && (
                <p class="quiet">
                  last on <When at={last.time.slice(0, 10)} />{' '}
                  <a href={addressOf('session', [last.agent, last.session])}>
                    <Plain of={`by ${last.agent}`} />
                  </a>
                  : <Plain of={last.what} />
                </p>
              )}
              {rule.broken > 1 && rule.guard === null && (
                <Buttons
                  of={[
                    ['Warn agents before they break it', () => guard(rule, 'warn')],
                    ['Refuse it', () => guard(rule, 'deny')],
                  ]}
                />
              )}
              {rule.commands.length + rule.paths.length === 0 && (
                <p class="quiet">
                  not counted:{' '}
                  <code class="take">
                    dripstone rules guard {rule.id.slice(0, 8)} --never 'COMMAND'
                  </code>
                </p>
              )}
            </Row>
          );
        })}
      </ul>
    </section>
  );
}
