/**
 * The interface to a language model that somebody else runs: a call, its answer, and how it fails.
 */

export interface ModelAnswer {
  text: string;
  /** As the provider counted them, or null when it does not tell. */
  tokensIn: number | null;
  tokensOut: number | null;
}

export interface LanguageModel {
  /** `openai`, `anthropic` or `command`. */
  provider: string;
  /** The model's name, or the program's. */
  model: string;
  /**
   * One call, one message.
   * @param maxTokens most tokens of the answer, where the provider takes such a limit
   * @param schema JSON schema that a server may hold the answer to: with it small models answer in
   * the right shape
   * @throws ModelError
   */
  ask(
    prompt: string,
    options: { maxTokens: number; signal: AbortSignal; schema?: object },
  ): Promise<ModelAnswer>;
}

/**
 * `busy`: come back later (429, 503, overloaded); `refused`: wrong key, model or request, which
 * waiting does not cure.
 */
type ModelFailure = 'timeout' | 'busy' | 'refused' | 'failed';

export class ModelError extends Error {
  readonly failure: ModelFailure;
  /**
   * Whether the prompt may have left: not when a program could not be started or nobody listens.
   */
  readonly sent: boolean;

  constructor(failure: ModelFailure, message: string, cause?: unknown, sent = true) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ModelError';
    this.failure = failure;
    this.sent = sent;
  }
}

/** A longer answer is refused while it is read. */
export const MOST_ANSWER_BYTES = 1024 * 1024;
