/** Changes of lessons: the server's edits, and the form for new words. */
import type { Ref } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { LESSON_KINDS } from '../../types/values.js';
import { Choice, useEdit, usePage } from './page-context.js';

export const lessonPath = (id: string): string => `/lessons/${encodeURIComponent(id)}`;

/** The edits of a lesson, each with a message and undo. */
export function useLessonEdits() {
  const { api } = usePage();
  const edit = useEdit();
  return {
    forget: (id: string, text: string) =>
      edit(() => api.send('DELETE', lessonPath(id)), `forgotten: ${text}`),
    pin: (id: string, pinned: boolean) =>
      edit(
        () => api.send('PATCH', lessonPath(id), { pinned }),
        pinned ? 'pinned' : 'no longer pinned',
      ),
    reword: (id: string, text: string, kind: string) =>
      edit(() => api.send('PATCH', lessonPath(id), { text, kind }), `changed: ${text}`),
    apart: (id: string, other: string) =>
      edit(() => api.send('POST', `${lessonPath(id)}/apart`, { other }), 'both are true'),
  };
}

interface Typing {
  title: string;
  value: string;
  field?: Ref<HTMLTextAreaElement>;
  onType(text: string): void;
}

/** The text field for a lesson's words. */
export function Words({ title, value, field, onType }: Typing) {
  return (
    <label class="words">
      {title}
      <textarea
        ref={field}
        required
        rows={3}
        maxLength={2000}
        dir="auto"
        value={value}
        onInput={({ currentTarget }) => onType(currentTarget.value)}
      />
    </label>
  );
}

export function Kind({ value, onPick }: { value: string; onPick(kind: string): void }) {
  return <Choice title="Kind" value={value} none={null} options={LESSON_KINDS} onPick={onPick} />;
}

interface Rewording {
  title: string;
  text: string;
  kind: string;
  onSave(text: string, kind: string): Promise<unknown>;
  onCancel(): void;
}

/** A form for new words of a lesson. Ctrl-Enter saves, Escape cancels. */
export function WordsForm({ title, text, kind, onSave, onCancel }: Rewording) {
  const [words, setWords] = useState(text);
  const [chosen, setChosen] = useState(kind);
  const field = useRef<HTMLTextAreaElement>(null);
  // Sets the focus before the next key, which is meant for this field.
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
      onSubmit={save}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === 'Escape') onCancel();
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save(event);
      }}
    >
      <Words title={title} value={words} field={field} onType={setWords} />
      <div class="filters">
        <Kind value={chosen} onPick={setChosen} />
        <button type="submit">Save</button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
