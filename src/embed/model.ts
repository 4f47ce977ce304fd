/** The embedding model itself, loaded inside the child process; the only file that knows what it runs on. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Longest input in tokens: the model was trained for 256. */
const MAX_TOKENS = 256;

interface Numbers {
  dims: readonly number[];
  data: Float32Array;
}

interface Tensor {
  new (type: 'int64', data: BigInt64Array, dims: readonly number[]): object;
}

interface Runtime {
  Tensor: Tensor;
  InferenceSession: { create(path: string, options: object): Promise<{ run(inputs: Record<string, object>): Promise<{ last_hidden_state: Numbers }> }> };
}

interface Tokens {
  Tokenizer: new (tokenizer: object, config: object) => { encode(text: string): { ids: number[] } };
}

export interface Model {
  dimensions: number;
  /** One text, one call: dynamic quantisation scales activations over a whole batch, so in a batch a vector depends on its neighbours. */
  embed(text: string): Promise<Float32Array>;
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
 * Loads tokenizer and weights from `folder` (the layout that transformers reads offline); nothing here knows the network.
 *
 * `pipeline()` is slower than the bare session for two reasons measured here: its session spins all cores between calls
 * (10 ms of processor time a text against 5 with one thread), and it pools through generic tensor operations. So the
 * session is called directly, with a fixed number of threads, and pooled in one loop. Vectors are the same to the bit.
 * @param threads 1 keeps a laptop quiet in the background, 2 is a fifth faster for long texts
 */
export async function loadModel(folder: string, threads: number): Promise<Model> {
  // Two parts of transformers are needed, as it would find them itself; the whole takes another tenth of a second to load, and memory.
  const require = createRequire(createRequire(import.meta.url).resolve('@huggingface/transformers'));
  const { InferenceSession, Tensor } = require('onnxruntime-node') as Runtime;
  const { Tokenizer } = require('@huggingface/tokenizers') as Tokens;
  const [rules, config] = await Promise.all(['tokenizer.json', 'tokenizer_config.json'].map(async (name) => JSON.parse(await readFile(join(folder, name), 'utf8')) as object));
  const tokenizer = new Tokenizer(rules!, config!);
  const session = await InferenceSession.create(join(folder, 'onnx/model_quantized.onnx'), { intraOpNumThreads: threads, interOpNumThreads: 1, enableCpuMemArena: false });
  const run = async (text: string): Promise<Float32Array> => {
    const ids = tokenizer.encode(text).ids.slice(0, MAX_TOKENS);
    const row = (value: (i: number) => bigint) => new Tensor('int64', BigInt64Array.from(ids, (_, i) => value(i)), [1, ids.length]);
    const { last_hidden_state: hidden } = await session.run({ input_ids: row((i) => BigInt(ids[i]!)), attention_mask: row(() => 1n), token_type_ids: row(() => 0n) });
    return poolMean(hidden.data, hidden.dims[1]!, hidden.dims[2]!);
  };
  const dimensions = (await run('dripstone')).length;
  return { dimensions, embed: run };
}
