/** Changing a lesson: the edits that the server makes, and the form for other words. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Choice, EditButton, takeBack, usePage, useEdit } from './page-context.js';
import { LESSON_KINDS } from '../../types/values.js';

/** The edits of a lesson. Each says what was done, and can be taken back. */
export function useLessonEdits() {
  const { api } = usePage();
  const edit = useEdit();
  const path = (id: string): string => `/lessons/${encodeURIComponent(id)}`;
  return {
    forget: (id: string, text: string) =>
      edit(() => api.send('DELETE', path(id)), `forgotten: ${text}`),
    pin: (id: string, pinned: boolean) =>
      edit(() => api.send('PATCH', path(id), { pinned }), pinned ? 'pinned' : 'no longer pinned'),
    reword: (id: string, text: string, kind: string) =>
      edit(() => api.send('PATCH', path(id), { text, kind }), `changed: ${text}`),
    apart: (id: string, other: string) =>
      edit(() => api.send('POST', `${path(id)}/apart`, { other }), 'both hold'),
    merge: (id: string, other: string, text: string) =>
      edit(
        async () => {
          await api.send('PATCH', path(id), { text });
          try {
            return await api.send('DELETE', path(other));
          } catch (error) {
            // Both edits or none.
            await takeBack(api, id);
            throw error;
          }
        },
        `joined: ${text}`,
        async () => {
          await takeBack(api, other);
          return await takeBack(api, id);
        },
      ),
  };
}

interface Rewording {
  title: string;
  text: string;
  /** Null: the kind stays what it is. */
  kind: string | null;
  onSave(text: string, kind: string): Promise<unknown>;
  onCancel(): void;
}

/** New words for a lesson. Ctrl-Enter saves, Escape leaves it as it is. */
export function WordsForm({ title, text, kind, onSave, onCancel }: Rewording) {
  const [words, setWords] = useState(text);
  const [chosen, setChosen] = useState(kind ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  // At once: what is typed next is meant for it.
  useLayoutEffect(() => {
    field.current!.focus();
    return () => document.getElementById('main')!.focus({ preventScroll: true });
  }, []);
  const save = (event: Event): void => {
    event.preventDefault();
    if (words.trim() !== '') void onSave(words.trim(), chosen);
  };
  return (
    <form
      class="words"
      onSubmit={save}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel();
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save(event);
      }}
    >
      <label>
        {title}
        <textarea
          ref={field}
          required
          rows={3}
          maxLength={2000}
          dir="auto"
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
      </label>
      <div class="filters">
        {kind !== null && (
          <Choice
            title="Kind"
            value={chosen}
            none={null}
            options={LESSON_KINDS.map((each) => [each, each])}
            onPick={setChosen}
          />
        )}
        <EditButton type="submit" class="main">
          Save
        </EditButton>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
