/** What was learnt from a session. */
import { useState } from 'preact/hooks';
import type { LearntView, SessionRow } from '../../wire.js';
import { LessonList } from '../lessons.js';
import { Show, useLoad } from '../page-context.js';
import { asked } from '../route.js';

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
            </>
          )}
        </Show>
      )}
    </details>
  );
}
