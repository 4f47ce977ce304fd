import type { Draft, Origin } from '../../types.js';
import { makeDraft, nothing, type Part } from './entry.js';
import { isInjected, pieceKey, readPrompt } from './prompt.js';
import { enterTurn, meet, type State } from './state.js';

const INTERRUPTED = /^\s*<turn_aborted>/;

/** In a session that a program started nobody typed; a subagent's prompt is its parent agent's. */
const typist = (state: State): Origin => (state.subagent ? 'agent' : state.machine ? 'injected' : 'user');

/** What a person typed. The event and the paginated item are the same prompt. */
export function stepPrompt(before: State, time: string | null, text: string, stream: 0 | 1): Part {
  let state = before.turn === null && stream === 1 ? enterTurn(before, null) : before;
  const drafts: Draft[] = [];
  for (const piece of readPrompt(text)) {
    const met = meet(state, stream, 'user', pieceKey(piece));
    state = met.state;
    const origin = piece.origin === 'user' ? typist(state) : piece.origin;
    if (met.native !== null) drafts.push(makeDraft(state, time, met.native, 'user', origin, piece.text, { marks: piece.marks }));
  }
  return { state, drafts };
}

/**
 * A response item of role user. Since lines are wrapped, what was typed comes as an event, and an item that is not known
 * as injected could be either: it is left to the event.
 */
export function stepUserItem(before: State, time: string | null, texts: string[], turn: string | null): Part {
  let state = before;
  const drafts: Draft[] = [];
  for (const text of texts) {
    if (INTERRUPTED.test(text)) {
      const part = stepInterrupt(state, time, turn, 0);
      state = part.state;
      drafts.push(...part.drafts);
    } else if (isInjected(text)) {
      const met = meet(state, 0, 'user', text, turn);
      state = met.state;
      if (met.native !== null) drafts.push(makeDraft(state, time, met.native, 'user', 'injected', text.trim()));
    } else if (!state.wrapped) {
      const part = stepPrompt(state, time, text, 1);
      state = part.state;
      drafts.push(...part.drafts);
    }
  }
  return { state, drafts };
}

/** Text of the agent; item and event are one entry. */
export function stepAnswer(
  before: State,
  time: string | null,
  text: string,
  stream: 0 | 1,
  turn: string | null,
  final: boolean,
): Part {
  const trimmed = text.trim();
  if (trimmed === '') return nothing(before);
  const { state, native } = meet(before, stream, 'assistant', trimmed, turn);
  if (native === null) return nothing(state);
  return { state, drafts: [makeDraft(state, time, native, 'assistant', 'agent', trimmed, { marks: final ? ['final'] : [] })] };
}

/** The person stopped the agent. */
export function stepInterrupt(before: State, time: string | null, turn: string | null, stream: 0 | 1): Part {
  const { state, native } = meet(before, stream, 'system', 'interrupted', turn);
  if (native === null) return nothing(state);
  return {
    state,
    drafts: [makeDraft(state, time, native, 'system', 'injected', 'The user interrupted the turn.', { marks: ['interrupt'] })],
  };
}
