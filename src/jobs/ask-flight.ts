/** The one call that may be in the air. It runs outside the lane: a model that hangs delays nothing. */
import { messageOf } from '../errors.js';
import { ModelError, type LanguageModel, type ModelAnswer } from '../llm/index.js';
import type { Store } from '../store/index.js';
import { ANSWER_TOKENS, type Asked } from './ask-question.js';

export interface Flight {
  asked: Asked;
  model: LanguageModel;
  /** When the call was made: the key of its row in the ledger. */
  time: string;
  /** Set when it ended. */
  landed: { answer: ModelAnswer | null; error: ModelError | null; ms: number } | null;
  /** Settles when `landed` is set. */
  done: Promise<void>;
  cancel(): void;
}

const flights = new WeakMap<Store, Flight>();

export const flightOf = (store: Store): Flight | undefined => flights.get(store);

export const dropFlight = (store: Store): void => void flights.delete(store);

/** Makes the call and returns at once. */
export const startFlight = (
  store: Store,
  model: LanguageModel,
  asked: Asked,
  at: { time: string; timeoutMs: number; mono: () => number },
): Flight => {
  const ended = new AbortController();
  const begun = at.mono();
  // A timer of our own: nothing holds an AbortSignal.timeout inside AbortSignal.any, and collected as garbage it never ends a call.
  const timer = setTimeout(() => ended.abort(), at.timeoutMs).unref();
  const { signal } = ended;
  const flight: Flight = { asked, model, time: at.time, landed: null, done: Promise.resolve(), cancel: () => ended.abort() };
  const land = (answer: ModelAnswer | null, error: ModelError | null): void => {
    clearTimeout(timer);
    flight.landed = { answer, error, ms: Math.round(at.mono() - begun) };
  };
  flight.done = model.ask(asked.prompt, { maxTokens: ANSWER_TOKENS, signal }).then(
    (answer) => land(answer, null),
    (error: unknown) => land(null, error instanceof ModelError ? error : new ModelError('failed', messageOf(error), error)),
  );
  flights.set(store, flight);
  return flight;
};
