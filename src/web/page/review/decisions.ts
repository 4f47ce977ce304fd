/**
 * What is decided in a review: about one lesson by one key, or about several at once; taken back in
 * the order of deciding.
 */
import { useState } from 'preact/hooks';
import type { LessonRow } from '../../wire.js';
import { forgetEach, takeEachBack } from '../forget.js';
import { type Edited, useAttempt, usePage } from '../page-context.js';
import { counted } from '../words.js';

/** What was decided at once: about one lesson, or about several that were forgotten. */
interface Decision {
  lessons: LessonRow[];
  /** Lessons whose edit is to be taken back with it, in the order of the edits. */
  edits: string[];
}

/**
 * Which lesson is looked at, and what was decided about those before; a decision is taken back as
 * one.
 */
function useDecided(waiting: LessonRow[]) {
  const { api, say } = usePage();
  const attempt = useAttempt();
  const [passed, setPassed] = useState<ReadonlySet<string>>(new Set());
  const [decided, setDecided] = useState<Decision[]>([]);
  const rest = waiting.filter(({ id }) => !passed.has(id));
  const looked = (id: string, keep: boolean): Promise<unknown> =>
    api.send('POST', `/review/${encodeURIComponent(id)}`, { keep });
  const pass = (lessons: LessonRow[]): void =>
    setPassed((all) => new Set([...all, ...lessons.map(({ id }) => id)]));
  const settle = (decision: Decision, text: string): void => {
    setDecided([...decided, decision]);
    pass(decision.lessons);
    say({ text });
  };
  const undo = async (): Promise<void> => {
    const last = decided.at(-1);
    if (last === undefined) return say({ text: 'nothing to undo' });
    const ids = new Set(last.lessons.map(({ id }) => id));
    const text = `taken back: ${ids.size === 1 ? last.lessons[0]!.text : counted(ids.size, 'lesson')}`;
    const done = await attempt(text, async () => {
      await takeEachBack(api, last.edits);
      for (const id of ids) await looked(id, false);
    });
    if (!done) return;
    setDecided(decided.slice(0, -1));
    setPassed((all) => new Set([...all].filter((id) => !ids.has(id))));
    say({ text });
  };
  const number = decided.reduce((sum, { lessons }) => sum + lessons.length, 0);
  return { lesson: rest[0], rest, number, looked, pass, settle, undo: () => void undo() };
}

/** What can be done about the lesson that is looked at. */
export function useDecisions(waiting: LessonRow[]) {
  const { api, say } = usePage();
  const attempt = useAttempt();
  const { looked, pass, settle, ...review } = useDecided(waiting);
  const { lesson } = review;
  const decide = async (verb: string, edit: (() => Promise<Edited>) | null): Promise<boolean> =>
    lesson !== undefined &&
    (await attempt(`${verb}: ${lesson.text}`, async () => {
      const made = await edit?.();
      await looked(lesson.id, true);
      settle(
        { lessons: [lesson], edits: made === undefined ? [] : [made.id] },
        `${verb}: ${lesson.text}`,
      );
    }));
  const forgetMany = (lessons: readonly LessonRow[]): Promise<boolean> =>
    attempt(`forgetting ${counted(lessons.length, 'lesson')}`, async () => {
      const { done, text } = await forgetEach(api, lessons, say);
      settle({ lessons: lessons.filter(({ id }) => done.includes(id)), edits: done }, text);
    });
  const path = lesson === undefined ? '' : `/lessons/${encodeURIComponent(lesson.id)}`;
  return {
    ...review,
    forgetMany,
    keep: () => void decide('kept', null),
    forget: () => void decide('forgotten', () => api.send('DELETE', path)),
    pin: () => void decide('pinned', () => api.send('PATCH', path, { pinned: true })),
    reword: (text: string, kind: string) =>
      decide('changed', () => api.send('PATCH', path, { text, kind })),
    later: () => void (lesson !== undefined && pass([lesson])),
  };
}

export type Decisions = ReturnType<typeof useDecisions>;
