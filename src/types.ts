/**
 * The vocabulary. CONTRIBUTING.md defines the words; code, docs, CLI and tables use
 * these and no synonyms. Times are ISO 8601 UTC strings with milliseconds; days are `YYYY-MM-DD`
 * (UTC); unknown is null.
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

/**
 * A text as the model read it: its vector of unit length, and of each piece of it what the model
 * made of it where it stands.
 */
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

/** Turns a text into a vector of fixed length, unit norm. */
export interface Embedder {
  /**
   * Model name, dtype and a hash of what changes a vector: vectors of two fingerprints never mix.
   */
  fingerprint: string;
  /** 0: not known before the first answer. */
  dimensions: number;
  embed(texts: string[]): Promise<Float32Array[]>;
  /** Of a question, where the model wants it told from a text; absent: as of any text. */
  embedQuery?(text: string): Promise<Float32Array>;
  /** A question; absent when this embedder gives vectors alone. */
  read?(text: string): Promise<Reading>;
  embedSigned?(texts: string[]): Promise<SignedReading[]>;
  /** Texts that one call takes best; absent: no matter. */
  batch?: number;
  /** What it is given leaves this machine's processes: only masked text may be given. */
  sends?: true;
  close(): Promise<void>;
}
