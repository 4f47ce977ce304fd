export { calibrate, explain, judge, saysItLasts, type Reason } from './judge.js';
export { featuresOf, type Said } from './features.js';
export { decodeWeights, encodeWeights, HASH_BITS, placeOfWord, STEPS, type Head, type Weights } from './weights.js';
