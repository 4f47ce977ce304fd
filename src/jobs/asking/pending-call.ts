/** Calls a model outside the queue, so that a model that hangs delays no job. */
import { messageOf } from '../../errors.js';
import { type LanguageModel, type ModelAnswer, ModelError } from '../../llm/index.js';
import type { ModelRequest } from './question.js';

type Asked = Pick<ModelRequest, 'prompt' | 'answerTokens' | 'estimate'> &
  Partial<Pick<ModelRequest, 'schema'>>;

export interface PendingCall<A extends Asked = ModelRequest> {
  asked: A;
  model: LanguageModel;
  /** Time of the call: the key of its row in the ledger. */
  time: string;
  /** Null until the call ends. */
  ended: { answer: ModelAnswer | null; error: ModelError | null; ms: number } | null;
  /** Settles when `ended` is set. */
  done: Promise<void>;
  cancel(): void;
}

/** Makes the call and returns at once. */
export function startCall<A extends Asked>(
  model: LanguageModel,
  asked: A,
  at: { time: string; timeoutMs: number; mono: () => number },
): PendingCall<A> {
  const stop = new AbortController();
  const begun = at.mono();
  // Our own timer, since an AbortSignal.timeout inside AbortSignal.any can be collected as garbage
  // before it fires.
  const timer = setTimeout(() => stop.abort(), at.timeoutMs).unref();
  const { signal } = stop;
  const pending: PendingCall<A> = {
    asked,
    model,
    time: at.time,
    ended: null,
    done: Promise.resolve(),
    cancel: () => stop.abort(),
  };
  const end = (answer: ModelAnswer | null, error: ModelError | null): void => {
    clearTimeout(timer);
    pending.ended = { answer, error, ms: Math.round(at.mono() - begun) };
  };
  pending.done = model
    .ask(asked.prompt, { maxTokens: asked.answerTokens, signal, schema: asked.schema })
    .then(
      (answer) => end(answer, null),
      (error: unknown) =>
        end(
          null,
          error instanceof ModelError ? error : new ModelError('failed', messageOf(error), error),
        ),
    );
  return pending;
}

/**
 * The provider's count of tokens, else ours. A failed call counts the sent tokens; a call that
 * timed out also counts the longest answer.
 * @param answered tokens of the answer by our count
 */
export function spentBy(
  { asked, ended }: PendingCall<Asked>,
  answered: number,
): { tokens_in: number; tokens_out: number } {
  const { answer, error } = ended!;
  const counted = asked.estimate - asked.answerTokens;
  if (answer !== null)
    return { tokens_in: answer.tokensIn ?? counted, tokens_out: answer.tokensOut ?? answered };
  if (error?.sent === false) return { tokens_in: 0, tokens_out: 0 };
  return { tokens_in: counted, tokens_out: error?.failure === 'timeout' ? asked.answerTokens : 0 };
}
