/** Prompts for a language model, and what is believed of its answers. Pure. */
export { readAnswer, type Refused } from './json.js';
export { takeClaims, type ShownLessons, type Taken } from './claims.js';
export { isWorthAsking, planDigest, renderDigest, type DigestPart } from './digest.js';
export { chooseKnown, knownLine } from './known.js';
export { stretchesOf } from './repeats.js';
export { ANSWER_TOKENS, isOwnCall, PROMPT_TOKENS, renderPrompt, SESSION_SCHEMA } from './prompt.js';
export { OWN_CALL } from '../parse/own-notes.js';
