import { typedText } from '../text/typed-lines.js';
import type { Entry } from '../types.js';
import { withoutOwnNotes } from './own-notes.js';

/** One message that a person typed. */
export interface Turn {
  entry: Entry;
  /** What the person typed in it; pasted parts are gone. */
  typed: string;
}

/** All messages of a session that a person typed, in order. Entries must be in order. */
export function readTurns(entries: readonly Entry[]): Turn[] {
  return entries
    .filter(
      ({ role, origin, copied, text }) =>
        role === 'user' && origin === 'user' && !copied && text.trim() !== '',
    )
    .map((entry) => ({ entry, typed: typedText(withoutOwnNotes(entry.text)) }));
}
