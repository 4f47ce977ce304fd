import { cue } from './language-turns.js';
import { entityKeys } from './statement-entities.js';

/** A claim with its place in the session. */
export interface Claim {
  text: string;
  seq: number;
  /** Running number among all sentences of the session's agent. */
  order: number;
}

/** A later sentence that takes something back: its place and what it names. */
export interface Retraction {
  order: number;
  names: ReadonlySet<string>;
  text: string;
}

/** Takes back what was said. */
const RETRACTS = cue(
  [
    "i was wrong", 'i (?:mis(?:read|understood|took|stated|diagnosed)|incorrectly|wrongly|mistakenly)', 'my (?:earlier|previous|initial|first|original) .{0,40}(?:was|were) (?:wrong|incorrect|mistaken|off|not)', '(?:turns out|actually|in fact).{0,60}(?:not|isn[’\']t|wasn[’\']t|doesn[’\']t|didn[’\']t|no|never|wrong)', 'was(?:n[’\']t| not) (?:the (?:cause|problem|issue|reason|culprit|real)|actually|because)', "(?:is|are)(?:n['’]t| not) (?:actually|really|the (?:cause|problem|issue|reason|culprit))", 'false (?:alarm|positive|lead)', 'correction', 'i retract', 'disregard', 'scratch that', 'that claim', 'red herring', 'ruled out', 'not the (?:cause|problem|culprit|root cause)', 'contrary to', 'does not (?:hold|survive)', 'is a false positive', 'disproved', 'refuted', 'stand corrected',
    'ich lag falsch', 'je me suis trompé', 'me equivoqué', 'eu estava errado', 'mi sono sbagliato', 'я ошиб(?:ся|лась)',
  ],
  ['我错了', '之前.{0,20}错', '误报', '并不是', '其实不是', '間違って', '誤り', '제가 틀렸', '잘못'],
);

/** An agent that says outright that it was wrong, or that something is not as it was told. */
const OUTRIGHT = /(?<![\p{L}])(?:(?:i|we) (?:was|were) wrong|i (?:misread|misunderstood|misstated|misdiagnosed|incorrectly|wrongly|mistakenly)|(?:my|the) (?:earlier|previous|initial|first|original) (?:claim|note|statement|conclusion|diagnosis|assumption|lesson|memory|finding)[^.]{0,60}(?:was|were|is) (?:wrong|incorrect|mistaken|outdated|stale|no longer true)|contrary to (?:my|the|what)|i retract|scratch that|disproved|refuted|stand corrected|(?:is|are) (?:outdated|no longer true))(?![\p{L}])|我错了|之前.{0,20}错|間違って|제가 틀렸/iu;

/** Whether a sentence takes back outright what was told before. */
export const takesBack = (text: string): boolean => OUTRIGHT.test(text.replace(/`[^`]*`/g, 'x'));

/** The sentence as a retraction, or null when it takes nothing back. */
export function asRetraction(text: string, order: number): Retraction | null {
  if (!RETRACTS.test(text)) return null;
  const names = entityKeys(text);
  return names.size > 0 ? { order, names, text } : null;
}

/** Whether a later sentence on the same things takes the claim back: two shared names, or one that is all the claim names. */
export function isWithdrawn(claim: Claim, retractions: readonly Retraction[]): boolean {
  const names = [...entityKeys(claim.text)];
  return retractions.some((one) => {
    if (one.order <= claim.order || one.text === claim.text) return false;
    const shared = names.filter((name) => one.names.has(name)).length;
    return shared >= 2 || (shared === 1 && names.length <= 2);
  });
}
