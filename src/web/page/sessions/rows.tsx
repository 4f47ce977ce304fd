/** Lines of sessions. */
import type { SessionRow } from '../../wire.js';
import { projectName, usePage } from '../page-context.js';
import { addressOf } from '../route.js';
import { counted, duration, Text, When } from '../words.js';

export function SessionRows({ of }: { of: SessionRow[] }) {
  return (
    <ul class="rows">
      {of.map((session) => (
        <li key={`${session.agent} ${session.session}`}>
          <a
            data-row
            class="lesson-text"
            href={addressOf('session', [session.agent, session.session])}
          >
            <Text of={session.title ?? 'without a title'} />
          </a>
          <SessionFacts of={session} />
        </li>
      ))}
    </ul>
  );
}

const OUTCOMES: Record<string, string> = {
  success: 'done',
  partial: 'done in part',
  abandoned: 'abandoned',
};

export function SessionFacts({ of }: { of: SessionRow }) {
  const { start } = usePage();
  return (
    <p class="facts">
      <When at={of.started} />
      <span>
        <Text of={of.agent} />
      </span>
      {of.project !== null && (
        <span>
          <Text of={projectName(start, of.project)} />
        </span>
      )}
      {of.branch !== null && (
        <code>
          <Text of={of.branch} />
        </code>
      )}
      <span>{counted(of.entries, 'entry').replace(/ys$/, 'ies')}</span>
      {of.active_seconds !== null && <span>{duration(of.active_seconds)}</span>}
      {of.subagent && <span class="kind">subagent</span>}
      {of.machine && <span class="kind">automated</span>}
      {of.unfinished ? (
        <span class="status conflict">unfinished</span>
      ) : (
        of.outcome !== null &&
        OUTCOMES[of.outcome] !== undefined && (
          <span class={`status ${of.outcome}`}>{OUTCOMES[of.outcome]}</span>
        )
      )}
    </p>
  );
}
