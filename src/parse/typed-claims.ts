import { typedClaims } from '../text/typed-lines.js';
import { MOST_LESSON_CHARS, type Candidate } from '../types.js';
import { withoutOwnNotes } from './own-notes.js';
import { toCandidate } from './sentences/statement.js';
import type { SessionInput } from './session.js';

/** Trust in what a person typed. */
const USER = 0.9;

/**
 * `Remember: …` lines that the person typed, verbatim. No other sentence of a prompt is a claim.
 * Entries must be in order.
 */
export function extractTypedClaims(session: SessionInput): Candidate[] {
  const out = new Map<string, Candidate>();
  for (const entry of session.entries) {
    // The words of an answered question are often the agent's own options.
    if (
      entry.role !== 'user' ||
      entry.origin !== 'user' ||
      entry.copied ||
      entry.marks.includes('question')
    )
      continue;
    for (const text of typedClaims(withoutOwnNotes(entry.text))) {
      if (text.length > MOST_LESSON_CHARS || !/\p{L}.*\p{L}/u.test(text) || /[?？]$/u.test(text))
        continue;
      const candidate = toCandidate(session, {
        kind: 'preference',
        text,
        quote: text,
        entry,
        saidBy: 'user',
        importance: 5,
        trust: USER,
        worth: 1,
        alone: true,
        tags: ['said'],
      });
      out.set(candidate.key, candidate);
    }
  }
  return [...out.values()];
}
