/** What was learnt from a session. */
import { useState } from 'preact/hooks';
import type { LearntView, SessionRow } from '../../wire.js';
import { ForgetMany } from '../forget.js';
import { LessonList } from '../lessons.js';
import { Show, useLoad } from '../page-context.js';
import { asked } from '../route.js';
import { counted } from '../words.js';

type Lessons = LearntView['lessons'];

/** Read when it is opened: most sessions are only read. */
export function Learnt({ of: { agent, session } }: { of: SessionRow }) {
  const [isOpen, setOpen] = useState(false);
  const loaded = useLoad<LearntView>(isOpen ? asked('/view/learnt', { agent, session }) : null);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Lessons from this session</summary>
      {isOpen && (
        <Show of={loaded}>
          {({ lessons }) => (
            <>
              {lessons.length === 0 && <p>No lessons to show.</p>}
              <LessonList lessons={lessons} />
              <ForgetMany
                lessons={forgettable(lessons)}
                what="that only this session supports"
                note={staying(lessons)}
              />
            </>
          )}
        </Show>
      )}
    </details>
  );
}

/**
 * What another session says, too, is not this one's to be forgotten with; a pin is the person's
 * word. Pure.
 */
function forgettable(lessons: Lessons): Lessons {
  return lessons.filter(({ alone, pinned }) => alone && !pinned);
}

function staying(lessons: Lessons): string | undefined {
  const number = lessons.length - forgettable(lessons).length;
  if (number === 0) return undefined;
  return `Not included: ${counted(number, 'lesson')} that you pinned or that other sessions support too.`;
}
