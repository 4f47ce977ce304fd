/** Texts of the person, the program and the agent. */
import type { Origin } from '../../types.js';
import type { Event } from '../engine.js';
import { textHash } from '../../text/fingerprint.js';
import { list, object, text as textOf } from '../../text/fields.js';
import { enterTurn, type More, once, starterOf } from './turns.js';

/** Text of the agent; item and event are one entry. */
export function answerEvents(now: More, text: string, stream: 0 | 1, phase: unknown): Event[] {
  const final = typeof phase === 'string' && /final|output/.test(phase);
  return text.trim() === '' ? [] : once(now, stream, { is: 'answer', text, final });
}

export function interruptEvents(now: More, stream: 0 | 1): Event[] {
  return once(now, stream, { is: 'notice', mark: 'interrupt' }, 'interrupted');
}

function promptBy(origin: Origin, text: string, marks: string[] = []): Event & { is: 'prompt' } {
  return { is: 'prompt', text, pieces: [{ origin, text, marks }] };
}

/** A typed prompt. The event and the paginated item are the same prompt. */
export function promptEvents(now: More, text: string, stream: 0 | 1): Event[] {
  if (now.turn === null && stream === 1) enterTurn(now, null);
  return pieceEvents(now, text.trim(), stream);
}

/**
 * Author of prompts: nobody types in a program's session, and an agent writes its subagents'
 * prompts.
 */
export function typist(now: More): Origin {
  const { subagent, machine } = starterOf(now);
  return subagent ? 'agent' : machine ? 'injected' : 'user';
}

/**
 * A response item of role user. An item that is not known as injected may be typed or injected;
 * only typed text also has an event.
 */
export function userItemEvents(now: More, content: unknown): Event[] {
  const parts = typeof content === 'string' ? [{ text: content }] : list(content).map(object);
  return parts.flatMap((part) => {
    const text = textOf(part.text) ?? '';
    if (/^\s*<turn_aborted>/.test(text)) return interruptEvents(now, 0);
    return isInjected(text) ? once(now, 0, promptBy('injected', text.trim()), text) : [];
  });
}

/** Tags of the program at the beginning of a text or around it. */
const TAG =
  /^\s*<(environment_context|user_instructions|subagent_notification|recommended_plugins|turn_aborted|heartbeat|task|user_shell_command|user_action|skill|permissions instructions|collaboration_mode|app-context|model_switch|system-reminder|INSTRUCTIONS|codex_delegation|realtime_conversation|hook_prompt|external_\w+|(?:[a-z]+_)+(?:context|instructions|notification|mode|state))\b[^>]*>/;
const INJECTED =
  /^\s*(?:# AGENTS\.md instructions for |Warning: (?:apply_patch was requested|The maximum number of|Your (?:account|plan))|Another language model started to solve this problem|You are performing a CONTEXT CHECKPOINT COMPACTION|A previous agent produced the plan below|Base directory for this skill:)/;
/** The program writes this in capitals if the person accepts the agent's plan. */
const PLAN = /^PLEASE IMPLEMENT THIS PLAN:/;
/**
 * The person's own words. Earlier versions stored them as the agent's, so their id still contains
 * `agent`.
 */
const OWN_PLAN = /^(?:please implement this plan:|implement the following plan:)/i;
const REQUEST = /^#{1,3}\s*My request(?: for Codex)?:?[ \t]*\n?/gm;
function isInjected(text: string): boolean {
  return TAG.test(text) || INJECTED.test(text);
}

/**
 * Splits the text of a user message. An accepted plan is the agent's text. An IDE or the app adds
 * context before the last heading of the request.
 */
function pieceEvents(now: More, all: string, stream: 0 | 1): Event[] {
  const piece = (origin: Origin, text = all, marks: string[] = [], keyed = origin): Event[] => {
    const by = origin === 'user' ? typist(now) : origin;
    return once(now, stream, promptBy(by, text, marks), `${keyed}${textHash(text)}`);
  };
  if (all === '') return [];
  if (isInjected(all)) return piece('injected');
  if (PLAN.test(all)) return piece('agent', all, ['plan']);
  if (/^Implement the plan\.?$/i.test(all)) return piece('injected', all, ['plan']);
  if (OWN_PLAN.test(all)) return piece('user', all, [], 'agent');
  const request = [...all.matchAll(REQUEST)].at(-1);
  if (!request) return piece('user');
  const before = all.slice(0, request.index).trim();
  const after = all.slice(request.index + request[0].length).trim();
  return [...(before === '' ? [] : piece('injected', before)), ...pieceEvents(now, after, stream)];
}
