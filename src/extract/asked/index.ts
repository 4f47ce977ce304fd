export { readAnswer, type Claim } from './json.js';
export { takeClaims, type ShownLessons, type Taken } from './claims.js';
export { chooseGroups, CONSOLIDATE_TOKENS, renderConsolidation, takeProposals } from './consolidate.js';
export { planDigest, renderDigest, type DigestPart } from './digest.js';
export { renderHits, takeOrder } from './hits.js';
export { isOwnCall, OWN_CALL } from './prompt.js';
export { OFFER_TOKENS, offerAnswerTokens, renderOffer, takeOffer } from './offer.js';
export { chooseKnown, PROMPT_TOKENS, renderPrompt } from './prompt.js';
export { estimateTokens, noteLine } from './prompt.js';
