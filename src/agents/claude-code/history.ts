import type { RawEntry } from '../../types.js';
import { rawEntryOf } from '../calls.js';
import { dropBinary, type Json, isoTime, short, text as textOf } from '../fields.js';
import { readQueued } from './prompt.js';

/**
 * Beside `projects/`: what the person typed in every session. It stays when Claude Code deletes a
 * session's log.
 */
export const HISTORY = 'history.jsonl';

/**
 * Stands where something was pasted; what it was stands in `pastedContents`, and nobody typed it.
 */
const PASTED = /\[(?:Pasted text|Image|\.\.\.Truncated text) #\d+(?: \+\d+ lines)?(?:\.\.\.)?\]/g;

/**
 * What the person typed in one line; nothing for a slash command without words, a `!` command, and
 * a line without a session (older versions): nobody could tell whether its log was read. A line has
 * no id, but its session and millisecond are one.
 */
export function readHistory(record: Json): RawEntry[] {
  const session = short(record.sessionId);
  const time = isoTime(record.timestamp);
  const typed = dropBinary(textOf(record.display) ?? '').replace(PASTED, '');
  if (session === null || time === null || /^\s*(?:!|$)/.test(typed)) return [];
  return readQueued(typed, 'person')
    .filter(({ role, origin }) => role === 'user' && origin === 'user')
    .map(({ text }, at) =>
      rawEntryOf({
        native: `history:${session}:${time}:${at}`,
        ...{
          time,
          role: 'user',
          origin: 'user',
          text,
          cwd: short(record.project),
          beside: session,
        },
      }),
    );
}
