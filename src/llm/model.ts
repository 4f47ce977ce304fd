/** The interface to a language model: a call, its answer, its failures. */

export interface ModelAnswer {
  text: string;
  /** As the provider counted; null if it did not. */
  tokensIn: number | null;
  tokensOut: number | null;
}

export interface LanguageModel {
  /** `openai`, `anthropic` or `command`. */
  provider: string;
  /** The name of the model or of the program. */
  model: string;
  /**
   * One call, one message.
   * @param maxTokens most tokens of the answer, if the provider supports such a limit
   * @param schema JSON schema of the answer, for servers that enforce one
   * @throws ModelError
   */
  ask(
    prompt: string,
    options: { maxTokens: number; signal: AbortSignal; schema?: object },
  ): Promise<ModelAnswer>;
}

/**
 * `busy`: try again later (429, 503, overloaded). `refused`: wrong key, model or request, so a
 * later try fails too.
 */
type ModelFailure = 'timeout' | 'busy' | 'refused' | 'failed';

export class ModelError extends Error {
  /** @param sent whether the prompt may have been sent */
  constructor(
    readonly failure: ModelFailure,
    message: string,
    cause?: unknown,
    readonly sent = true,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ModelError';
  }
}

/** A longer answer is refused while it is read. */
export const MOST_ANSWER_BYTES = 1024 * 1024;
