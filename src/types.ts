/**
 * The vocabulary, as CONTRIBUTING.md defines it; code, docs, CLI and tables use these words and no
 * synonyms. Times are ISO 8601 UTC strings with milliseconds, days are `YYYY-MM-DD` (UTC), unknown
 * is null.
 */
export * from './types/agent.js';
export type { Hit } from './types/answers.js';
export * from './types/capture.js';
export * from './types/columns.js';
export * from './types/entry.js';
export * from './types/lesson.js';
export * from './types/looking.js';
export * from './types/parsed.js';
export type {
  Edit,
  LessonEvent,
  FactEvent,
  FactFields,
  Lesson,
  StatusFacts,
} from './types/shapes.js';
export * from './types/values.js';

export interface Project {
  /** 16 hex characters: hash of the normalised remote, else of the folder. It never changes. */
  id: string;
  /** Repository or folder name + 4 hex of the id. */
  slug: string;
  name: string;
  remote: string | null;
  folders: string[];
  aliases: string[];
}

/** Wall time and monotonic time; tests use their own. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never jump. */
  mono(): number;
}

/**
 * A model's result for a text: a vector of unit length, and a state for each piece in its context.
 */
export interface Reading {
  vector: Float32Array;
  /** Pieces of words in order; a piece inside a word begins with `##`. */
  pieces: string[];
  /** One state per piece, with `dimensions` values each. */
  states: Float32Array;
}

/** The stored form: each value is one bit, which is set if the value is above zero. */
export interface SignedReading {
  vector: Float32Array;
  /** `dimensions / 8` bytes per piece. */
  signs: Uint8Array;
}

/** Turns a text into a vector of fixed length, unit norm. */
export interface Embedder {
  /**
   * Model name, dtype and a hash of everything that changes a vector; vectors with different
   * fingerprints are never compared.
   */
  fingerprint: string;
  /** 0 before the first answer. */
  dimensions: number;
  embed(texts: string[]): Promise<Float32Array[]>;
  /** For a question, if the model treats it differently from a text; absent: `embed` is used. */
  embedQuery?(text: string): Promise<Float32Array>;
  /** For a question; absent if the embedder returns only vectors. */
  read?(text: string): Promise<Reading>;
  embedSigned?(texts: string[]): Promise<SignedReading[]>;
  /** Best number of texts for one call; absent if it does not matter. */
  batch?: number;
  /** The texts leave this machine, so they must be masked. */
  sends?: true;
  close(): Promise<void>;
}
