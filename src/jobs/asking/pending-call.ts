/** The one call that may be pending. It runs outside the queue, so a model that hangs delays no job. */
import { messageOf } from '../../errors.js';
import { type LanguageModel, type ModelAnswer, ModelError } from '../../llm/index.js';
import type { ModelRequest } from './question.js';

export interface PendingCall {
  asked: ModelRequest;
  model: LanguageModel;
  /** When the call was made: the key of its row in the ledger. */
  time: string;
  /** Set when it ended. */
  landed: { answer: ModelAnswer | null; error: ModelError | null; ms: number } | null;
  /** Settles when `landed` is set. */
  done: Promise<void>;
  cancel(): void;
}

/** Makes the call and returns at once. */
export function startCall(
  model: LanguageModel,
  asked: ModelRequest,
  at: { time: string; timeoutMs: number; mono: () => number },
): PendingCall {
  const ended = new AbortController();
  const begun = at.mono();
  // A timer of our own: nothing holds an AbortSignal.timeout inside AbortSignal.any, and collected as garbage it never ends a
  // call.
  const timer = setTimeout(() => ended.abort(), at.timeoutMs).unref();
  const { signal } = ended;
  const flight: PendingCall = { asked, model, time: at.time, landed: null, done: Promise.resolve(), cancel: () => ended.abort() };
  const land = (answer: ModelAnswer | null, error: ModelError | null): void => {
    clearTimeout(timer);
    flight.landed = { answer, error, ms: Math.round(at.mono() - begun) };
  };
  flight.done = model.ask(asked.prompt, { maxTokens: asked.answerTokens, signal, schema: asked.schema }).then(
    (answer) => land(answer, null),
    (error: unknown) => land(null, error instanceof ModelError ? error : new ModelError('failed', messageOf(error), error)),
  );
  return flight;
}
