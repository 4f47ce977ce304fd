/**
 * Forgetting several lessons at once: said with their number and their words before it is done, and
 * taken back as one.
 */
import { useId, useRef } from 'preact/hooks';
import type { LessonRow } from '../wire.js';
import type { Api, Refusal } from './api.js';
import { asRefusal, type Notice, takeBack, useAttempt, usePage } from './page-context.js';
import { counted, Rich } from './words.js';

/** How often it is said how far it is: whoever hears the page must not hear each number. */
const SAID_EVERY = 10;

/**
 * Forgets one after the other, each as by itself. It ends at the first that is refused.
 * @returns those that were forgotten, and why not all were
 * @throws Refusal when none was
 */
export async function forgetEach(
  api: Api,
  lessons: readonly LessonRow[],
  say: (notice: Notice) => void,
): Promise<{ done: string[]; text: string }> {
  const done: string[] = [];
  let problem: Refusal | null = null;
  for (const { id } of lessons) {
    try {
      await api.send('DELETE', `/lessons/${encodeURIComponent(id)}`);
      done.push(id);
    } catch (error) {
      problem = asRefusal(error);
      break;
    }
    if (done.length % SAID_EVERY === 0 && done.length < lessons.length)
      say({ text: `under way: ${done.length} of ${lessons.length} forgotten` });
  }
  if (problem !== null && done.length === 0) throw problem;
  const all = `forgotten: ${counted(done.length, 'lesson')}`;
  return {
    done,
    text: problem === null ? all : `${all} of ${lessons.length}; then: ${problem.message}`,
  };
}

/** The newest first, as they were made: each is refused if another edit came after it. */
export async function takeEachBack(api: Api, ids: readonly string[]): Promise<void> {
  for (const id of [...ids].reverse()) await takeBack(api, id);
}

function useForgetAll(): (lessons: readonly LessonRow[]) => Promise<boolean> {
  const { api, say } = usePage();
  const attempt = useAttempt();
  return (lessons) =>
    attempt(`forgetting ${counted(lessons.length, 'lesson')}`, async () => {
      const { done, text } = await forgetEach(api, lessons, say);
      const undo = async (): Promise<void> =>
        void (await attempt(`taking ${counted(done.length, 'lesson')} back`, async () => {
          await takeEachBack(api, done);
          say({ text: `taken back: ${counted(done.length, 'lesson')}` });
        }));
      say({ text, undo });
    });
}

interface Several {
  lessons: readonly LessonRow[];
  /** Which they are, behind their number: `of this kind`. */
  what: string;
  /** What stays, and why. */
  note?: string;
  /** Instead of forgetting them as by themselves. */
  onForget?: (lessons: readonly LessonRow[]) => Promise<unknown>;
}

/** Asks first. Nothing is offered where there are fewer than two. */
export function ForgetMany({ lessons, what, note, onForget }: Several) {
  const { running } = usePage();
  const forgetAll = useForgetAll();
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  const number = counted(lessons.length, 'lesson');
  const forget = (): void => {
    dialog.current!.close();
    void (onForget ?? forgetAll)(lessons);
  };
  if (lessons.length < 2) return null;
  return (
    <>
      <button
        type="button"
        class="danger"
        disabled={running !== null}
        onClick={() => dialog.current!.showModal()}
      >
        Forget all {lessons.length} {what}…
      </button>
      <dialog ref={dialog} aria-labelledby={title}>
        <h2 id={title}>Forget {number}?</h2>
        <ul class="meant-list" tabIndex={0} aria-label="What will be forgotten">
          {lessons.map(({ id, text }) => (
            <li key={id}>
              <Rich of={text} />
            </li>
          ))}
        </ul>
        {note !== undefined && <p class="quiet-text">{note}</p>}
        <p class="quiet-text">They do not come back by themselves. Undo takes all of them back.</p>
        <div class="actions">
          <button type="button" autofocus onClick={() => dialog.current!.close()}>
            Cancel
          </button>
          <button type="button" class="danger" onClick={forget}>
            Forget {number}
          </button>
        </div>
      </dialog>
    </>
  );
}
