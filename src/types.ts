/**
 * The vocabulary. Every word here is defined in docs/glossary.md; code, docs, CLI and tables use these and no synonyms.
 * Times are ISO 8601 UTC strings with milliseconds; days are `YYYY-MM-DD` (UTC); unknown is null.
 */
export * from './types/capture.js';
export * from './types/lesson.js';

export interface Project {
  /** 16 hex: hash of the normalised remote, else of the folder; fixed at first sight. */
  id: string;
  /** Repository or folder name + 4 hex of the id. */
  slug: string;
  name: string;
  remote: string | null;
  folders: string[];
  aliases: string[];
}

/** Wall and monotonic time; owned by app.ts, replaced in tests. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never jump. */
  mono(): number;
}

/** Turns a text into a vector of fixed length, unit norm. */
export interface Embedder {
  /** Model name, dtype, dimensions and a hash of the weights: vectors of two fingerprints never mix. */
  fingerprint: string;
  dimensions: number;
  embed(texts: string[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

export type JobName = 'ingest' | 'extract' | 'context' | 'embed' | 'ask' | 'rollup' | 'decay' | 'crystallize';
