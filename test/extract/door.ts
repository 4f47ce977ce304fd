/** What a session yields, by what it was learnt from: each kind of candidate carries its own tags. */
import { extractSession, type JudgedInput } from '../../src/extract/index.js';
import { TRIED_TAG, type Candidate } from '../../src/types.js';

const TAGS = {
  absence: ['absent'],
  conclusion: ['conclusion', 'written-down'],
  cure: ['cure', 'lint-rule', 'recurring'],
  note: ['note'],
  said: ['said', 'language'],
  withdrawal: ['removed', 'denied'],
};
const NOT_OF_COMMANDS = [...Object.values(TAGS).flat(), TRIED_TAG];

function candidates(input: JudgedInput, wanted: readonly string[], unwanted: readonly string[] = []): Candidate[] {
  const has = (tags: readonly string[], any: readonly string[]): boolean => any.some((tag) => tags.includes(tag));
  return extractSession(input).candidates.filter(({ tags }) => has(tags, wanted) && !has(tags, unwanted));
}

export function absencesOf(input: JudgedInput): Candidate[] {
  return candidates(input, TAGS.absence, TAGS.withdrawal);
}
export function conclusionsOf(input: JudgedInput): Candidate[] {
  return candidates(input, TAGS.conclusion);
}
export function curesOf(input: JudgedInput): Candidate[] {
  return candidates(input, TAGS.cure);
}
export function notesOf(input: JudgedInput): Candidate[] {
  return candidates(input, TAGS.note);
}
export function saidOf(input: JudgedInput): Candidate[] {
  return candidates(input, TAGS.said);
}
export function withdrawalsOf(input: JudgedInput): Candidate[] {
  return candidates(input, TAGS.withdrawal);
}
/** What commands and their results taught, cures aside. */
export function commandsOf(input: JudgedInput): Candidate[] {
  return extractSession(input).candidates.filter(({ tags }) => !tags.some((tag) => NOT_OF_COMMANDS.includes(tag)));
}
