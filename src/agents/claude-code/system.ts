import type { Step } from '../../types.js';
import { object, text as textOf, type Json } from '../fields.js';
import { makeRawEntry, placeOf } from './state.js';
import type { ClaudeState } from './state.js';
import { splitWrappers } from './wrappers.js';

const SILENT =
  /^(?:turn_duration|stop_hook_summary|microcompact_boundary|session_start|init|status|bridge_status|file_snapshot|agents_killed|permission_retry)$/;
const SHOWN =
  /^(?:compact_boundary|informational|local_command|away_summary|api_error|error|api_refusal|model_refusal_fallback|scheduled_task_fire|memory_saved|hook)$/;

/** A `system` record: what the program says about the session. None of it is the person's words. */
export function stepSystem(state: ClaudeState, record: Json): Step<ClaudeState> {
  const subtype = textOf(record.subtype) ?? '';
  const now =
    subtype === 'turn_duration' || subtype === 'away_summary' ? { ...state, busy: false } : state;
  if (SILENT.test(subtype)) return { state: now, rawEntries: [] };
  const error = object(record.error);
  const said =
    textOf(record.content) ??
    textOf(error.formatted) ??
    textOf(error.message) ??
    textOf(record.apiRefusalExplanation);
  const text = splitWrappers(said ?? '')
    .map(({ body }) => body)
    .filter(Boolean)
    .join('\n');
  const rawEntries =
    text === ''
      ? []
      : [
          makeRawEntry(placeOf(record, state), 0, 'system', 'injected', text, {
            marks: subtype === 'compact_boundary' ? ['compaction'] : [],
          }),
        ];
  return SHOWN.test(subtype)
    ? { state: now, rawEntries }
    : { state: now, rawEntries, unknown: `system:${subtype}` };
}
