import type { Occurrence } from '../types.js';
import { nameKey } from '../text/plain-names.js';
import { typedText } from '../text/typed-lines.js';
import { withoutOwnNotes } from './own-notes.js';
import { textTokens } from './occurrences-tokens.js';
import type { SessionInput } from './session.js';

/** Longest prompt that is read for commands, and most names of one session. */
const REACH = 60_000;
const MOST = 2000;

/**
 * Commands that the person typed in a session: taint lets them pass. Pasted text
 * and our own notes do not count.
 */
export function collectOccurrences(session: SessionInput): Occurrence[] {
  const first = new Map<string, Occurrence>();
  let time = '1970-01-01T00:00:00.000Z';
  for (const entry of session.entries) {
    time = entry.time ?? time;
    if (entry.origin !== 'user' || entry.role === 'tool_call') continue;
    for (const name of textTokens(typedText(withoutOwnNotes(entry.text.slice(0, REACH))), true)) {
      const token = nameKey(name);
      if (!first.has(token) && first.size < MOST)
        first.set(token, { token, origin: 'user', time, seq: entry.seq });
    }
  }
  return [...first.values()].sort((a, b) => (a.token < b.token ? -1 : 1));
}
