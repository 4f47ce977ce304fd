/** Sentences that the person typed once, each of which may become a rule. */
import { useState } from 'preact/hooks';
import type { WishRow } from '../../wire.js';
import { WordsForm } from '../edits.js';
import {
  EditButton,
  type Edited,
  projectName,
  takeBack,
  useAttempt,
  usePage,
} from '../page-context.js';
import { Rich } from '../words.js';

/** Which sentences are still open, and what deciding about one does. */
function useWishes(wishes: WishRow[]) {
  const { api, say } = usePage();
  const attempt = useAttempt();
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const note = (id: string, keep: boolean): Promise<unknown> =>
    api.send('POST', `/review/${encodeURIComponent(id)}`, { keep, wish: true });
  const decide = (
    { id, project }: WishRow,
    done: string,
    rule: { text: string; kind: string } | null,
  ): Promise<boolean> =>
    attempt(done, async () => {
      const made =
        rule === null ? null : await api.send<Edited>('POST', '/lessons', { ...rule, project });
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

/**
 * Sentences that the person typed once: a rule as typed, in other words, or never asked about
 * again.
 */
export function Wishes({ of }: { of: WishRow[] }) {
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
            <EditButton key={name} onClick={act}>
              {name}
            </EditButton>
          ))}
        </div>
      )}
    </article>
  );
}
