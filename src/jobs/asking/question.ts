/** A question to a model, and the claims that are kept from its answer. */
import type { Db } from '../../store/index.js';

/** The claims of an answer that are kept. */
export interface Kept {
  /** The answer had the requested JSON, valid or repaired. */
  isUsable: boolean;
  kept: number;
  /** Why claims were not taken. */
  dropped: readonly string[];
  /** Marks the sessions as asked about, with what the answer gave; without one only the first. */
  save(db: Db, time: string): Promise<void>;
}

export interface ModelRequest {
  /** Of the first session in the prompt. */
  agent: string;
  session: string;
  project: string;
  sessions: number;
  prompt: string;
  /** JSON schema of the answer. */
  schema: object;
  /** Tokens of the longest answer. */
  answerTokens: number;
  /** Tokens of the prompt and of the longest answer, at most. */
  estimate: number;
  /** @param answer null when no answer came and none is expected any more */
  take(answer: string | null): Kept;
}

/** Nothing to ask: noted, so that it is not looked at again. */
export interface Passed {
  pass(db: Db, time: string): Promise<void>;
}
