/**
 * Pooling and prefixes of known models, by a part of their name, since a folder may not have these
 * settings and a server never has.
 */
export type Pooling = 'mean' | 'cls' | 'last';

/** How a text becomes a vector. */
export interface ModelUse {
  pooling: Pooling;
  /** Prefix of a text, and of a question: some models were trained with one. */
  documentPrefix: string;
  queryPrefix: string;
}

const SEARCHING = 'Represent this sentence for searching relevant passages: ';

/** As in the models' own descriptions; the first row that fits counts. */
const KNOWN: readonly [name: RegExp, Partial<ModelUse>][] = [
  [/e5-.*instruct/, { pooling: 'last' }],
  [/(?:^|[-_/])e5(?:-|$)/, { documentPrefix: 'passage: ', queryPrefix: 'query: ' }],
  [/nomic-embed/, { documentPrefix: 'search_document: ', queryPrefix: 'search_query: ' }],
  [/bge-m3/, { pooling: 'cls' }],
  [/bge-.*-en|arctic-embed|mxbai-embed/, { pooling: 'cls', queryPrefix: SEARCHING }],
  [/bge-|gte-/, { pooling: 'cls' }],
  [/qwen3-embedding/, { pooling: 'last' }],
];

/** Pure. */
export function useOf(name: string): ModelUse {
  const known = KNOWN.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1];
  return { pooling: 'mean', documentPrefix: '', queryPrefix: '', ...known };
}
