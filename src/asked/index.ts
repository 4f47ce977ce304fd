/** Prompts for a language model, and what is believed of its answers. Pure. */
export { readAnswer, type Claim, type Refused } from './json.js';
export { takeClaims, type ShownLessons, type Taken } from './claims.js';
export {
  chooseGroups,
  CONSOLIDATE_SCHEMA,
  CONSOLIDATE_TOKENS,
  renderConsolidation,
  takeProposals,
} from './consolidate.js';
export { planDigest, renderDigest, type DigestPart } from './digest.js';
export {
  OFFER_SCHEMA,
  OFFER_TOKENS,
  offerAnswerTokens,
  offerLine,
  renderOffer,
  takeOffer,
} from './offer.js';
export { chooseKnown } from './known.js';
export { stretchesOf } from './repeats.js';
export { ANSWER_TOKENS, estimateTokens, FORMS, isOwnCall, renderPrompt } from './prompt.js';
export { answersOf } from './one.js';
export { OWN_CALL } from '../parse/own-notes.js';
