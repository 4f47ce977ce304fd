/** The judge's weights as they lie in a file. */

/** Hash places of the words' weights, as a power of two. */
export const HASH_BITS = 16;

/** What is learnt of one speaker's sentences. */
export interface Head {
  /** By the dense features' order. */
  dense: Float32Array;
  /** By a word's place; `scale` makes a weight of it. */
  words: Int8Array;
  scale: number;
  bias: number;
  /** Rising steps of calibration: scores, and the probability at each; between two it is read off the line. */
  scores: Float32Array;
  probabilities: Float32Array;
}

export interface Weights {
  /** For what agents say. */
  assistant: Head;
  /** For what people send. */
  user: Head;
}

/** Steps of a calibration. */
export const STEPS = 16;

const MAGIC = 'dripjdg1';
const HEAD_NUMBERS = 2 + 2 * STEPS;

/** Size of a file with that many dense features. */
function sizeOf(dense: number): number {
  return MAGIC.length + 8 + 2 * (4 * (HEAD_NUMBERS + dense) + (1 << HASH_BITS));
}

/**
 * Format, little endian: `dripjdg1`, hash bits (u32), dense features (u32), then the heads for agents and people: scale, bias
 * (f32), 16 scores and 16 probabilities (f32), the dense weights (f32), the words' weights (i8).
 */
export function encodeWeights(weights: Weights): Uint8Array {
  const dense = weights.assistant.dense.length;
  const bytes = new Uint8Array(sizeOf(dense));
  const view = new DataView(bytes.buffer);
  bytes.set(new TextEncoder().encode(MAGIC));
  view.setUint32(MAGIC.length, HASH_BITS, true);
  view.setUint32(MAGIC.length + 4, dense, true);
  let at = MAGIC.length + 8;
  for (const head of [weights.assistant, weights.user]) {
    for (const number of [head.scale, head.bias, ...head.scores, ...head.probabilities, ...head.dense]) {
      view.setFloat32(at, number, true);
      at += 4;
    }
    bytes.set(new Uint8Array(head.words.buffer, head.words.byteOffset, head.words.length), at);
    at += head.words.length;
  }
  return bytes;
}

/** @throws Error when the bytes are no weights of this version */
export function decodeWeights(bytes: Uint8Array): Weights {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length >= MAGIC.length + 8 && new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) === MAGIC;
  const dense = whole ? view.getUint32(MAGIC.length + 4, true) : 0;
  if (!whole || view.getUint32(MAGIC.length, true) !== HASH_BITS || bytes.length !== sizeOf(dense))
    throw new Error('not a file of judge weights of this version');
  let at = MAGIC.length + 8;
  const next = (): number => {
    at += 4;
    return view.getFloat32(at - 4, true);
  };
  const head = (): Head => {
    const [scale, bias] = [next(), next()];
    const scores = Float32Array.from({ length: STEPS }, next);
    const probabilities = Float32Array.from({ length: STEPS }, next);
    const numbers = Float32Array.from({ length: dense }, next);
    const words = Int8Array.from(bytes.subarray(at, at + (1 << HASH_BITS)), (byte) => (byte << 24) >> 24);
    at += 1 << HASH_BITS;
    return { scale, bias, scores, probabilities, dense: numbers, words };
  };
  return { assistant: head(), user: head() };
}

/** The place of a word's weight: FNV-1a over its UTF-16 units, mixed once more. */
export function placeOfWord(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at += 1) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> (32 - HASH_BITS);
}
