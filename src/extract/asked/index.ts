export { readAnswer, type Answer, type Claim } from './answer.js';
export { takeClaims, type DropReason, type Rewording, type ShownLessons, type Taken } from './claims.js';
export { planDigest, renderDigest, type DigestPart } from './digest.js';
export { isOwnCall, OWN_CALL } from './mark.js';
export { chooseKnown, PROMPT_TOKENS, renderPrompt, type KnownLesson } from './prompt.js';
export { estimateTokens } from './tokens.js';
