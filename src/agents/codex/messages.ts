import type { Origin } from '../../types.js';
import { textHash } from '../fields.js';
import { type CodexState, enterTurn, inOrder, nothing, type Read, shared } from './state.js';
import { starterOf, type Time } from './state.js';

const INTERRUPTED = /^\s*<turn_aborted>/;

/**
 * Nobody typed in a session that a program started; the parent agent writes a subagent's prompts.
 */
function typist(state: CodexState): Origin {
  const { subagent, machine } = starterOf(state);
  return subagent ? 'agent' : machine ? 'injected' : 'user';
}

/** What a person typed. The event and the paginated item are the same prompt. */
export function stepPrompt(before: CodexState, time: Time, text: string, stream: 0 | 1): Read {
  const state = before.turn === null && stream === 1 ? enterTurn(before, null) : before;
  const steps = readPrompt(text).map((piece) => (now: CodexState) => {
    const origin = piece.origin === 'user' ? typist(now) : piece.origin;
    const key = `${piece.keyed ?? piece.origin}${textHash(piece.text)}`;
    return shared(now, time, stream, { ...piece, role: 'user', origin, key });
  });
  return inOrder(state, steps);
}

/**
 * A response item of role user. Typed text comes as an event, and an item that is not known as
 * injected could be either: the event decides.
 */
export function stepUserItem(state: CodexState, time: Time, texts: string[]): Read {
  const steps = texts.map((text) => (now: CodexState) => {
    if (INTERRUPTED.test(text)) return stepInterrupt(now, time, 0);
    const said = { role: 'user', origin: 'injected', text: text.trim(), key: text } as const;
    return isInjected(text) ? shared(now, time, 0, said) : nothing(now);
  });
  return inOrder(state, steps);
}

/** Text of the agent; item and event are one entry. */
export function stepAnswer(
  state: CodexState,
  time: Time,
  said: string,
  stream: 0 | 1,
  final: boolean,
): Read {
  const [text, marks] = [said.trim(), final ? ['final'] : []];
  if (text === '') return nothing(state);
  return shared(state, time, stream, { role: 'assistant', origin: 'agent', text, marks });
}

export function stepInterrupt(state: CodexState, time: Time, stream: 0 | 1): Read {
  const [text, key] = ['The user interrupted the turn.', 'interrupted'];
  const marks = ['interrupt'];
  return shared(state, time, stream, { role: 'system', origin: 'injected', text, key, marks });
}

/** A piece of a user message: what the person typed, or what the program added. */
interface Piece {
  origin: 'user' | 'injected' | 'agent';
  /** Origin in the id, if earlier versions used another one. */
  keyed?: 'agent';
  text: string;
  marks: string[];
}

/** Wrappers of the program: tags that open a text or enclose it. */
const TAG =
  /^\s*<(environment_context|user_instructions|subagent_notification|recommended_plugins|turn_aborted|heartbeat|task|user_shell_command|user_action|skill|permissions instructions|collaboration_mode|app-context|model_switch|system-reminder|INSTRUCTIONS|codex_delegation|realtime_conversation|hook_prompt|[a-z]+_(?:context|instructions|notification|mode|state))\b[^>]*>/;
const INJECTED =
  /^\s*(?:# AGENTS\.md instructions for |Warning: (?:apply_patch was requested|The maximum number of|Your (?:account|plan))|Another language model started to solve this problem|You are performing a CONTEXT CHECKPOINT COMPACTION|A previous agent produced the plan below|Base directory for this skill:)/;
/** The program writes this in capitals when the person accepts a plan of the agent. */
const PLAN = /^\s*PLEASE IMPLEMENT THIS PLAN:/;
/**
 * The person's own words: no program of Codex writes them. Earlier versions took them for the
 * agent's, so their id still says `agent`.
 */
const OWN_PLAN = /^\s*(?:please implement this plan:|implement the following plan:)/i;
const REQUEST = /^#{1,3}\s*My request(?: for Codex)?:?[ \t]*\n?/gm;
const IDE =
  /^\s*#{1,3}\s*(?:Files mentioned by the user|Context from my IDE setup|Selected text|Open tabs|Applications mentioned by the user|Diff comments|Code review guidelines)/i;

/**
 * Splits a text at the last heading of the request: an IDE or the app puts its own context before
 * it.
 */
function unwrapRequest(text: string): { before: string; after: string } | null {
  if (!IDE.test(text) && !/^#{1,3}\s*My request/m.test(text)) return null;
  const last = [...text.matchAll(REQUEST)].at(-1);
  return last
    ? {
        before: text.slice(0, last.index).trim(),
        after: text.slice(last.index + last[0].length).trim(),
      }
    : null;
}

function isInjected(text: string): boolean {
  return TAG.test(text) || INJECTED.test(text);
}

/**
 * Sorts the text of a user message. The person approved a plan to implement, but the agent wrote
 * it.
 */
function readPrompt(text: string): Piece[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (isInjected(trimmed)) return [{ origin: 'injected', text: trimmed, marks: [] }];
  if (PLAN.test(trimmed)) return [{ origin: 'agent', text: trimmed, marks: ['plan'] }];
  if (/^Implement the plan\.?$/i.test(trimmed))
    return [{ origin: 'injected', text: trimmed, marks: ['plan'] }];
  if (OWN_PLAN.test(trimmed)) return [{ origin: 'user', keyed: 'agent', text: trimmed, marks: [] }];
  const request = unwrapRequest(trimmed);
  if (!request) return [{ origin: 'user', text: trimmed, marks: [] }];
  const pieces: Piece[] =
    request.before === '' ? [] : [{ origin: 'injected', text: request.before, marks: [] }];
  return request.after === '' ? pieces : [...pieces, ...readPrompt(request.after)];
}
