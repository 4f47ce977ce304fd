/** A question to a model, and the claims that are kept from its answer. */
import type { Db } from '../../store/index.js';

/** The claims of an answer that are kept. */
export interface Kept {
  /** The answer had the requested JSON, valid or after a repair. */
  isUsable: boolean;
  kept: number;
  /** Reasons of the claims that are not kept. */
  dropped: readonly string[];
  /** Marks the sessions as asked about, with the result; without an answer only the first. */
  save(db: Db, time: string): Promise<void>;
}

export interface ModelRequest {
  /** Agent of the first session in the prompt. */
  agent: string;
  session: string;
  project: string;
  sessions: number;
  prompt: string;
  /** JSON schema of the answer. */
  schema: object;
  /** Most tokens of an answer. */
  answerTokens: number;
  /** Most tokens of the prompt and the answer. */
  estimate: number;
  /** @param answer null if there will be no answer */
  take(answer: string | null): Kept;
}

/** A session with nothing to ask, which is noted so that later runs skip it. */
export interface Passed {
  pass(db: Db, time: string): Promise<void>;
}
