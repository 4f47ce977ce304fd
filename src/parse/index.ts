import type { Extraction } from '../types.js';
import { callsOf } from './calls.js';
import { extractClaims } from './claims.js';
import { extractEpisode } from './episodes.js';
import { parseRows } from './rows.js';
import { describeOpening, inOrder, readTurns, type SessionInput } from './session.js';

export { noteLines } from './claims.js';
export { forbiddenBy, noteNames, ruleOf } from './rules.js';
export { stepsAhead } from './rows.js';
export { splitSentences } from './sentences.js';
export { EXTRACTOR_VERSION, activeSeconds, inOrder, type SessionInput } from './session.js';

/**
 * Extracts one session. Pure: the same entries in any order give the same result. An automated
 * session gives only rows and its opening; nobody types in a subagent.
 */
export function extractSession(input: SessionInput): Extraction {
  const session = { ...input, entries: inOrder(input.entries) };
  const { machine, subagent } = session.facts;
  const turns = readTurns(session.entries);
  const calls = callsOf(session);
  const rest = {
    opening: describeOpening(turns),
    rows: parseRows(session, calls, subagent === true ? [] : turns),
  };
  if (machine === true) return { ...rest, candidates: [], dropped: [], episode: null };
  if (subagent === true) return { ...rest, ...extractClaims(session, false), episode: null };
  // Without entries copied from the session that this one continues.
  const own = { ...session, entries: session.entries.filter(({ copied }) => !copied) };
  const ownCalls = own.entries.length === session.entries.length ? calls : callsOf(own);
  return {
    ...rest,
    ...extractClaims(session, true),
    episode: extractEpisode(own, ownCalls, turns),
  };
}
