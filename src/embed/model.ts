/** Loads the embedding model in the child process; no other file imports transformers. */
import { createRequire } from 'node:module';
import { dirname, basename } from 'node:path';
import type * as Transformers from '@huggingface/transformers';
import type { Reading } from '../types.js';
import { useOf, type ModelUse, type Pooling } from './model-use.js';

/** Longest input in tokens, for which the model was trained. */
const MAX_TOKENS = 256;

/** A model to load; the defaults are those of the shipped model. */
export interface ModelToLoad extends Partial<ModelUse> {
  folder: string;
  threads: number;
  /** Selects a file in `onnx/`. */
  dtype?: Dtype;
}
export type Dtype = 'q8' | 'fp32' | 'fp16' | 'int8' | 'uint8' | 'q4';
export type As = 'document' | 'query';

export interface Model {
  dimensions: number;
  /**
   * Reads one text per call: in a batch, quantisation would make a vector depend on the other
   * texts.
   */
  read(text: string, as?: As): Promise<Reading>;
}

interface Tensor {
  dims: number[];
  data: Float32Array;
}
interface Output {
  last_hidden_state?: Tensor;
  token_embeddings?: Tensor;
  /** Only for a model that pools by itself, so that its tokens are not available. */
  sentence_embedding?: Tensor;
}

/**
 * Mean of the token vectors, then unit length, as sentence-transformers does. A single text has no
 * padding to mask.
 * @param hidden `[tokens * width]` values, row-major
 */
function poolMean(hidden: Float32Array, tokens: number, width: number): Float32Array {
  const vector = new Float32Array(width);
  for (let t = 0; t < tokens; t++) {
    const row = t * width;
    for (let j = 0; j < width; j++) vector[j] = vector[j]! + hidden[row + j]!;
  }
  return unit(vector);
}

function unit(vector: Float32Array): Float32Array {
  let square = 0;
  for (const x of vector) square += x * x;
  const norm = Math.sqrt(square) || 1;
  for (let j = 0; j < vector.length; j++) vector[j] = vector[j]! / norm;
  return vector;
}

function pool(pooling: Pooling, hidden: Float32Array, tokens: number, width: number): Float32Array {
  if (pooling === 'mean') return poolMean(hidden, tokens, width);
  const row = pooling === 'cls' ? 0 : tokens - 1;
  return unit(hidden.slice(row * width, (row + 1) * width));
}

/**
 * Converts pieces to the form of WordPiece, which marks continuations (`##ing`); SentencePiece and
 * byte-level BPE mark beginnings.
 */
function asWordPieces(pieces: readonly string[]): string[] {
  const mark = ['▁', 'Ġ'].find((each) => pieces.some((piece) => piece.startsWith(each)));
  if (mark === undefined) return [...pieces];
  return pieces.map((piece, i) =>
    piece.startsWith(mark) ? piece.slice(1) : i === 0 ? piece : `##${piece}`,
  );
}

interface Tokenizer {
  (text: string, options: object): { input_ids: { data: ArrayLike<bigint> } };
  tokenize(text: string): string[];
}

/** Counts the tokens that mark the ends of a text: those before the text, and all. */
function marksOf(tokenizer: Tokenizer): { before: number; all: number } {
  const marked = Array.from(tokenizer('dripstone', {}).input_ids.data);
  const bare = Array.from(tokenizer('dripstone', { add_special_tokens: false }).input_ids.data);
  return { before: Math.max(0, marked.indexOf(bare[0]!)), all: marked.length - bare.length };
}

/**
 * Loads tokenizer and weights from `folder`, never from the network. Does not use `pipeline()`,
 * which keeps all cores busy between calls.
 */
export async function loadModel(what: ModelToLoad): Promise<Model> {
  const { folder, threads, dtype = 'q8' } = what;
  const { pooling, documentPrefix, queryPrefix } = { ...useOf(basename(folder)), ...what };
  const prefixes = { document: documentPrefix, query: queryPrefix };
  // The CommonJS version loads faster than the ES module.
  const { env, AutoTokenizer, AutoModel } = createRequire(import.meta.url)(
    '@huggingface/transformers',
  ) as typeof Transformers;
  env.allowRemoteModels = false;
  env.localModelPath = dirname(folder);
  const name = basename(folder);
  const tokenizer = await AutoTokenizer.from_pretrained(name);
  const model = await AutoModel.from_pretrained(name, {
    dtype,
    session_options: { intraOpNumThreads: threads, interOpNumThreads: 1, enableCpuMemArena: false },
  });
  const marks = marksOf(tokenizer as unknown as Tokenizer);
  const run = async (text: string, as: As = 'document'): Promise<Reading> => {
    const prefix = prefixes[as];
    const inputs = tokenizer(prefix + text, { truncation: true, max_length: MAX_TOKENS }) as Record<
      string,
      unknown
    >;
    const output = (await model(inputs)) as unknown as Output;
    const hidden = output.last_hidden_state ?? output.token_embeddings;
    if (hidden === undefined) return ownVector(output);
    const [, tokens, width] = hidden.dims as [number, number, number];
    // The prefix affects the vector, but its tokens are not part of the text.
    const skipped = prefix === '' ? 0 : tokenizer.tokenize(prefix.trimEnd()).length;
    const pieces = asWordPieces(tokenizer.tokenize(prefix + text)).slice(
      skipped,
      tokens - marks.all,
    );
    const from = marks.before + skipped;
    return {
      vector: pool(pooling, hidden.data, tokens, width),
      pieces,
      states: hidden.data.slice(from * width, (from + pieces.length) * width),
    };
  };
  const dimensions = (await run('dripstone')).vector.length;
  return { dimensions, read: run };
}

function ownVector({ sentence_embedding: own }: Output): Reading {
  if (own === undefined)
    throw new Error(
      'it is not an embedding model: it gives neither last_hidden_state nor sentence_embedding',
    );
  return {
    vector: unit(own.data.slice(0, own.dims.at(-1))),
    pieces: [],
    states: new Float32Array(0),
  };
}

/** Only a token whose length is a multiple of this fills whole units of vectors.bin. */
const KEPT = 64;

/** The signs of a window to store; empty if the model's vector length does not fit. */
export function keptOf({ vector, states }: Reading): Uint8Array {
  return vector.length % KEPT === 0 ? signsOf(states) : new Uint8Array(0);
}

/** One bit per value, lowest bit first. @param states a multiple of eight values */
export function signsOf(states: Float32Array): Uint8Array {
  const signs = new Uint8Array(states.length >> 3);
  for (let i = 0; i < states.length; i++) if (states[i]! > 0) signs[i >> 3]! |= 1 << (i & 7);
  return signs;
}
