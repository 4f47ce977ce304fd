import type { Extraction } from '../types.js';
import { extractAbsences } from './absences.js';
import { viewLog } from './agent-texts.js';
import { extractCommands } from './commands.js';
import { extractConclusions } from './sentences/conclusions.js';
import { extractCures } from './cures.js';
import { extractTries } from './cures/changed.js';
import { extractEpisode } from './episodes.js';
import { extractNotes } from './notes.js';
import { describeOpening } from './opening.js';
import { extractRelations } from './relations.js';
import { extractUserSentences } from './sentences/sentences.js';
import { extractWithdrawals } from './withdrawals.js';
import { inOrder, type JudgedInput } from './session.js';
import { collectSightings } from './sightings.js';

export { readAnswer, type Claim } from './asked/json.js';
export { takeClaims, type ShownLessons, type Taken } from './asked/claims.js';
export { chooseGroups, CONSOLIDATE_TOKENS, renderConsolidation, takeProposals } from './asked/consolidate.js';
export { planDigest, renderDigest, type DigestPart } from './asked/digest.js';
export { renderHits, takeOrder } from './asked/hits.js';
export { OFFER_TOKENS, offerAnswerTokens, renderOffer, takeOffer } from './asked/offer.js';
export { chooseKnown, estimateTokens, isOwnCall, noteLine, OWN_CALL, PROMPT_TOKENS, renderPrompt } from './asked/prompt.js';
export { saysStanding } from './sentences/sentences.js';
export { EXTRACTOR_VERSION, activeSeconds, inOrder, type JudgedInput, type SessionInput } from './session.js';

/**
 * What one session yields. Pure: the same entries in any order give the same result.
 * A machine-made or subagent session yields no candidate and no episode; its foreign text still taints.
 */
export function extractSession(input: JudgedInput): Extraction {
  const session = { ...input, entries: inOrder(input.entries) };
  const sightings = collectSightings(session);
  const opening = describeOpening(session);
  if (session.facts.machine === true) return { candidates: [], sightings, relations: [], episode: null, opening };
  const view = viewLog(session.entries);
  const shown = [
    ...extractCommands(session),
    ...extractCures(session),
    ...extractAbsences(session),
    ...extractWithdrawals(session, view),
    ...extractConclusions(session, view),
  ];
  const said = session.facts.subagent === true ? [] : [...extractUserSentences(session, view.turns), ...extractNotes(session)];
  return {
    candidates: [...shown, ...said, ...extractTries(session)],
    sightings,
    relations: extractRelations(session),
    episode: session.facts.subagent === true ? null : extractEpisode(session, view.turns, [...shown, ...said]),
    opening,
  };
}
