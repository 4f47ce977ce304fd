import type { RawEntry, Origin, Step } from '../../types.js';
import { textHash } from '../fields.js';
import { type CodexState, enterTurn, makeRawEntry, meet, nothing, starterOf } from './state.js';

const INTERRUPTED = /^\s*<turn_aborted>/;

/**
 * Nobody typed in a session that a program started; the parent agent writes a subagent's prompts.
 */
function typist(state: CodexState): Origin {
  const { subagent, machine } = starterOf(state);
  return subagent ? 'agent' : machine ? 'injected' : 'user';
}

/** What a person typed. The event and the paginated item are the same prompt. */
export function stepPrompt(
  before: CodexState,
  time: string | null,
  text: string,
  stream: 0 | 1,
): Step<CodexState> {
  let state = before.turn === null && stream === 1 ? enterTurn(before, null) : before;
  const rawEntries: RawEntry[] = [];
  for (const piece of readPrompt(text)) {
    const met = meet(state, stream, 'user', pieceKey(piece));
    state = met.state;
    const origin = piece.origin === 'user' ? typist(state) : piece.origin;
    if (met.native !== null)
      rawEntries.push(
        makeRawEntry(state, time, met.native, 'user', origin, piece.text, { marks: piece.marks }),
      );
  }
  return { state, rawEntries };
}

/**
 * A response item of role user. Typed text comes as an event, and an item that is not known as
 * injected could be either: the event decides.
 */
export function stepUserItem(
  before: CodexState,
  time: string | null,
  texts: string[],
  turn: string | null,
): Step<CodexState> {
  let state = before;
  const rawEntries: RawEntry[] = [];
  for (const text of texts) {
    if (INTERRUPTED.test(text)) {
      const part = stepInterrupt(state, time, turn, 0);
      state = part.state;
      rawEntries.push(...part.rawEntries);
    } else if (isInjected(text)) {
      const met = meet(state, 0, 'user', text, turn);
      state = met.state;
      if (met.native !== null)
        rawEntries.push(makeRawEntry(state, time, met.native, 'user', 'injected', text.trim()));
    }
  }
  return { state, rawEntries };
}

/** Text of the agent; item and event are one entry. */
export function stepAnswer(
  before: CodexState,
  time: string | null,
  text: string,
  stream: 0 | 1,
  turn: string | null,
  final: boolean,
): Step<CodexState> {
  const trimmed = text.trim();
  if (trimmed === '') return nothing(before);
  const { state, native } = meet(before, stream, 'assistant', trimmed, turn);
  if (native === null) return nothing(state);
  return {
    state,
    rawEntries: [
      makeRawEntry(state, time, native, 'assistant', 'agent', trimmed, {
        marks: final ? ['final'] : [],
      }),
    ],
  };
}

/** The person stopped the agent. */
export function stepInterrupt(
  before: CodexState,
  time: string | null,
  turn: string | null,
  stream: 0 | 1,
): Step<CodexState> {
  const { state, native } = meet(before, stream, 'system', 'interrupted', turn);
  if (native === null) return nothing(state);
  return {
    state,
    rawEntries: [
      makeRawEntry(state, time, native, 'system', 'injected', 'The user interrupted the turn.', {
        marks: ['interrupt'],
      }),
    ],
  };
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

/** Whether no word of a text can be the person's. */
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

/** Key of one piece of a message that is split into several. */
function pieceKey(piece: Piece): string {
  return `${piece.keyed ?? piece.origin}${textHash(piece.text)}`;
}
