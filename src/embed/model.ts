/** The embedding model itself, loaded inside the child process; the only importer of transformers. */
import { createRequire } from 'node:module';
import { dirname, basename } from 'node:path';
import type * as Transformers from '@huggingface/transformers';
import type { Reading } from '../types.js';

/** Longest input in tokens: the model was trained for 256. */
const MAX_TOKENS = 256;

export interface Model {
  dimensions: number;
  /**
   * One text, one call: dynamic quantisation scales activations over a whole batch, so in a batch a vector depends on its
   * neighbours.
   */
  read(text: string): Promise<Reading>;
}

interface Hidden {
  last_hidden_state: { dims: number[]; data: Float32Array };
}

/**
 * Mean over the token vectors, then unit length (sentence-transformers' pooling for this model; one text has no padding to mask).
 * @param hidden `[tokens * width]` values, row-major
 */
export function poolMean(hidden: Float32Array, tokens: number, width: number): Float32Array {
  const vector = new Float32Array(width);
  for (let t = 0; t < tokens; t++) {
    const row = t * width;
    for (let j = 0; j < width; j++) vector[j] = vector[j]! + hidden[row + j]!;
  }
  let square = 0;
  for (const x of vector) square += x * x;
  const norm = Math.sqrt(square) || 1;
  for (let j = 0; j < width; j++) vector[j] = vector[j]! / norm;
  return vector;
}

/**
 * Loads tokenizer and weights from `folder` (the layout that transformers reads offline); never touches the network.
 *
 * `pipeline()` is slower than the bare session for two reasons measured here: its session spins all cores between calls
 * (10 ms of processor time a text against 5 with one thread), and it pools through generic tensor operations. So the
 * model is called directly, with a fixed number of threads, and pooled in one loop.
 * @param threads 1 keeps a laptop quiet in the background, 2 is a fifth faster for long texts
 */
export async function loadModel(folder: string, threads: number): Promise<Model> {
  // Its CommonJS form loads in two thirds of the time of an `import`.
  const { env, AutoTokenizer, AutoModel } = createRequire(import.meta.url)('@huggingface/transformers') as typeof Transformers;
  env.allowRemoteModels = false;
  env.localModelPath = dirname(folder);
  const name = basename(folder);
  const tokenizer = await AutoTokenizer.from_pretrained(name);
  const model = await AutoModel.from_pretrained(name, {
    dtype: 'q8',
    session_options: { intraOpNumThreads: threads, interOpNumThreads: 1, enableCpuMemArena: false },
  });
  const run = async (text: string): Promise<Reading> => {
    const inputs = tokenizer(text, { truncation: true, max_length: MAX_TOKENS }) as Record<string, unknown>;
    const { last_hidden_state: hidden } = (await model(inputs)) as unknown as Hidden;
    const [, tokens, width] = hidden.dims as [number, number, number];
    // First and last token mark the ends of the text.
    const pieces = tokenizer.tokenize(text).slice(0, tokens - 2);
    return {
      vector: poolMean(hidden.data, tokens, width),
      pieces,
      states: hidden.data.slice(width, (1 + pieces.length) * width),
    };
  };
  const dimensions = (await run('dripstone')).vector.length;
  return { dimensions, read: run };
}

/** One bit a value, lowest bit first. @param states a multiple of eight values */
export function signsOf(states: Float32Array): Uint8Array {
  const signs = new Uint8Array(states.length >> 3);
  for (let i = 0; i < states.length; i++) if (states[i]! > 0) signs[i >> 3]! |= 1 << (i & 7);
  return signs;
}
