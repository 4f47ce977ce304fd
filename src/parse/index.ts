import type { Extraction } from '../types.js';
import { callsOf, workOf } from './commands/runs.js';
import { extractEpisode } from './episodes.js';
import { extractNotes } from './notes.js';
import { describeOpening } from './opening.js';
import { parseRows } from './rows.js';
import { inOrder, type SessionInput } from './session.js';
import { extractTypedClaims } from './typed-claims.js';

export { ruleOf } from './rules.js';
export { ruleSentences } from './rule-sentences.js';
export { stepsAhead } from './rows.js';
export { splitSentences } from './sentences/split.js';
export { EXTRACTOR_VERSION, activeSeconds, inOrder, type SessionInput } from './session.js';

/**
 * What one session yields. Pure: the same entries in any order give the same result.
 * Of an automated session only its steps and its foreign text count; a subagent types nothing.
 */
export function extractSession(input: SessionInput): Extraction {
  const session = { ...input, entries: inOrder(input.entries) };
  // Reading the commands takes a third of the time: three readers share it.
  const work = workOf(session);
  const calls = work.own.entries.length === session.entries.length ? work.calls : callsOf(session);
  const rest = { opening: describeOpening(session), rows: parseRows(session, calls) };
  if (session.facts.machine === true) return { ...rest, candidates: [], episode: null };
  return {
    ...rest,
    candidates: [
      ...(session.facts.subagent === true ? [] : extractTypedClaims(session)),
      ...extractNotes(session),
    ],
    episode: session.facts.subagent === true ? null : extractEpisode(session, work),
  };
}
