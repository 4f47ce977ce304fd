import { extractSession, type SessionInput } from '../../src/parse/index.js';
import type { Candidate } from '../../src/types.js';

/** What agents left for their successors. */
export function notesOf(input: SessionInput): Candidate[] {
  return extractSession(input).candidates.filter(({ tags }) => tags.includes('note'));
}

/** What a person said to remember. */
export function saidOf(input: SessionInput): Candidate[] {
  return extractSession(input).candidates.filter(({ tags }) => tags.includes('said'));
}
