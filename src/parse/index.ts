import type { Extraction } from '../types.js';
import { extractEpisode } from './episodes.js';
import { extractNotes } from './notes.js';
import { describeOpening } from './opening.js';
import { extractRelations } from './relations.js';
import { parseRows } from './rows.js';
import { inOrder, type SessionInput } from './session.js';
import { collectSightings } from './sightings.js';
import { extractTypedClaims } from './typed-claims.js';

export { readAnswer, type Claim } from './asked/json.js';
export { takeClaims, type ShownLessons, type Taken } from './asked/claims.js';
export { chooseGroups, CONSOLIDATE_TOKENS, renderConsolidation, takeProposals } from './asked/consolidate.js';
export { planDigest, renderDigest, type DigestPart } from './asked/digest.js';
export { OFFER_TOKENS, offerAnswerTokens, renderOffer, takeOffer } from './asked/offer.js';
export { chooseKnown, estimateTokens, isOwnCall, noteLine, OWN_CALL, PROMPT_TOKENS, renderPrompt } from './asked/prompt.js';
export { mentionsOf } from './sightings-tokens.js';
export { rankWishes } from './wishes.js';
export { EXTRACTOR_VERSION, activeSeconds, inOrder, type SessionInput } from './session.js';

/**
 * What one session yields. Pure: the same entries in any order give the same result.
 * Of an automated session only its steps and its foreign text count; a subagent types nothing.
 */
export function extractSession(input: SessionInput): Extraction {
  const session = { ...input, entries: inOrder(input.entries) };
  const rest = { sightings: collectSightings(session), opening: describeOpening(session), rows: parseRows(session) };
  if (session.facts.machine === true) return { ...rest, candidates: [], relations: [], episode: null };
  return {
    ...rest,
    candidates: [...(session.facts.subagent === true ? [] : extractTypedClaims(session)), ...extractNotes(session)],
    relations: extractRelations(session),
    episode: session.facts.subagent === true ? null : extractEpisode(session),
  };
}
