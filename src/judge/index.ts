export { calibrate, explain, judge, saysItLasts, type Judgement, type Reason } from './judge.js';
export { featuresOf, type Features, type Said } from './features.js';
export { decodeWeights, encodeWeights, HASH_BITS, placeOfWord, STEPS, type Head, type Weights } from './weights.js';
