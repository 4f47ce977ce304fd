/** What is decided in a review, about one lesson by one key; taken back in the order of deciding. */
import { useState } from 'preact/hooks';
import type { LessonRow } from '../../wire.js';
import { type Edited, takeBack, useAttempt, usePage } from '../page-context.js';

interface Decision {
  lesson: LessonRow;
  /** The lesson whose edit is taken back with it; null: it was kept as it is. */
  edited: string | null;
}

/** Which lesson is looked at, what can be done about it, and what was decided before. */
export function useDecisions(waiting: LessonRow[]) {
  const { api, say } = usePage();
  const attempt = useAttempt();
  const [passed, setPassed] = useState<ReadonlySet<string>>(new Set());
  const [decided, setDecided] = useState<Decision[]>([]);
  const lesson = waiting.find(({ id }) => !passed.has(id));
  const path = lesson === undefined ? '' : `/lessons/${encodeURIComponent(lesson.id)}`;
  const looked = (id: string, keep: boolean): Promise<unknown> =>
    api.send('POST', `/review/${encodeURIComponent(id)}`, { keep });
  const pass = ({ id }: LessonRow): void => setPassed((all) => new Set([...all, id]));

  const decide = async (verb: string, edit: (() => Promise<Edited>) | null): Promise<boolean> =>
    lesson !== undefined &&
    (await attempt(`${verb}: ${lesson.text}`, async () => {
      const made = await edit?.();
      await looked(lesson.id, true);
      setDecided([...decided, { lesson, edited: made?.id ?? null }]);
      pass(lesson);
      say({ text: `${verb}: ${lesson.text}` });
    }));
  const undo = async (): Promise<void> => {
    const last = decided.at(-1);
    if (last === undefined) return say({ text: 'nothing to undo' });
    const { id, text } = last.lesson;
    const done = await attempt(`taken back: ${text}`, async () => {
      if (last.edited !== null) await takeBack(api, last.edited);
      await looked(id, false);
    });
    if (!done) return;
    setDecided(decided.slice(0, -1));
    setPassed((all) => new Set([...all].filter((each) => each !== id)));
    say({ text: `taken back: ${text}` });
  };
  return {
    lesson,
    number: decided.length,
    keep: () => void decide('kept', null),
    forget: () => void decide('forgotten', () => api.send('DELETE', path)),
    pin: () => void decide('pinned', () => api.send('PATCH', path, { pinned: true })),
    reword: (text: string, kind: string) =>
      decide('changed', () => api.send('PATCH', path, { text, kind })),
    later: () => void (lesson !== undefined && pass(lesson)),
    undo: () => void undo(),
  };
}

export type Decisions = ReturnType<typeof useDecisions>;
