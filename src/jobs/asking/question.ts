/** A question to a model, and what is kept of its answer. */
import type { Db } from '../../store/index.js';
import type { Refused } from '../../asked/index.js';
import type { Candidate } from '../../types.js';

/** Shown to the model: short, and unique among so few. */
export const ID_CHARS = 5;

/** What is believed of an answer. */
export interface Kept {
  /** The answer held what was asked for, whole or mended. */
  isUsable: boolean;
  kept: number;
  /** Claims among them. */
  claims?: readonly Candidate[];
  /** What was not taken, and why. */
  dropped: readonly Refused[];
  /** Marks it as asked and keeps what its answer gave; without an answer it only marks it. */
  save(db: Db, time: string): Promise<void>;
}

export interface ModelRequest {
  agent: string;
  session: string;
  project: string;
  prompt: string;
  /** JSON schema of the answer. */
  schema: object;
  /** Of a session: `seq` of the last entry that is shown with it and before. */
  upTo?: number;
  /** Tokens of the longest answer. */
  answerTokens: number;
  /** Tokens of the prompt and of the longest answer, at most. */
  estimate: number;
  /** It is not asked again after so many calls that ran into the time limit. */
  patience: number;
  /** @param answer null when no answer came and none is expected any more */
  take(answer: string | null): Kept;
}

/** Nothing to ask: noted, so that it is not looked at again. */
export interface Passed {
  pass(db: Db, time: string): Promise<void>;
}
