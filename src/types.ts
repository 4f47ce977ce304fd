/**
 * The vocabulary. Every word here is defined in docs/glossary.md; code, docs, CLI and tables use these and no synonyms.
 * Times are ISO 8601 UTC strings with milliseconds; days are `YYYY-MM-DD` (UTC); unknown is null.
 */
export * from './types/agent.js';
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
/** A text as the model read it: its vector of unit length, and of each piece of it what the model made of it where it stands. */
export interface Reading {
  vector: Float32Array;
  /** Pieces of words in order; one that continues a word begins with `##`. */
  pieces: string[];
  /** A state a piece, `dimensions` values each. */
  states: Float32Array;
}

/** The same with one bit a value, which is kept: whether it is above zero. */
export interface SignedReading {
  vector: Float32Array;
  /** `dimensions / 8` bytes a piece. */
  signs: Uint8Array;
}

export interface Embedder {
  /** Model name, dtype, dimensions and a hash of the weights: vectors of two fingerprints never mix. */
  fingerprint: string;
  dimensions: number;
  embed(texts: string[]): Promise<Float32Array[]>;
  /** Absent when this embedder tells vectors alone. */
  read?(text: string): Promise<Reading>;
  embedSigned?(texts: string[]): Promise<SignedReading[]>;
  close(): Promise<void>;
}

export type JobName = 'ingest' | 'extract' | 'context' | 'embed' | 'ask' | 'rollup' | 'decay' | 'crystallize';
