/** Writes prompts for a language model and checks its answers. Pure. */
export { readAnswer } from './json.js';
export { takeClaims, type ShownLessons } from './claims.js';
export { isWorthAsking, planDigest, renderDigest, type Digest } from './digest.js';
export { chooseKnown, knownLine } from './known.js';
export { answerTokens, isOwnCall, renderPrompt, SESSION_SCHEMA } from './prompt.js';
export { OWN_CALL } from '../parse/own-notes.js';
