import { textHash } from '../hash.js';

/** A piece of a user message: what the person typed, or what the program put around it. */
export interface Piece {
  origin: 'user' | 'injected' | 'agent';
  text: string;
  marks: string[];
}

/** Wrappers of the program, as tags that open a text or stand around a whole one. */
const TAG =
  /^\s*<(environment_context|user_instructions|subagent_notification|recommended_plugins|turn_aborted|heartbeat|task|user_shell_command|user_action|skill|permissions instructions|collaboration_mode|app-context|model_switch|system-reminder|INSTRUCTIONS|codex_delegation|realtime_conversation|hook_prompt|[a-z]+_(?:context|instructions|notification|mode|state))\b[^>]*>/;
const INJECTED =
  /^\s*(?:# AGENTS\.md instructions for |Warning: (?:apply_patch was requested|The maximum number of|Your (?:account|plan))|Another language model started to solve this problem|You are performing a CONTEXT CHECKPOINT COMPACTION|A previous agent produced the plan below|Base directory for this skill:)/;
const PLAN = /^\s*(?:PLEASE IMPLEMENT THIS PLAN:|Implement the following plan:)/i;
const REQUEST = /^#{1,3}\s*My request(?: for Codex)?:?[ \t]*\n?/gm;
const IDE =
  /^\s*#{1,3}\s*(?:Files mentioned by the user|Context from my IDE setup|Selected text|Open tabs|Applications mentioned by the user|Diff comments|Code review guidelines)/i;

/** Text after the last heading of the request: an IDE or the app puts its own context before it. */
function unwrapRequest(text: string): { before: string; after: string } | null {
  if (!IDE.test(text) && !/^#{1,3}\s*My request/m.test(text)) return null;
  const last = [...text.matchAll(REQUEST)].at(-1);
  return last ? { before: text.slice(0, last.index).trim(), after: text.slice(last.index + last[0].length).trim() } : null;
}

/** Whether no word of a text can be the person's. */
export const isInjected = (text: string): boolean => TAG.test(text) || INJECTED.test(text);

/** Sorts the text of a user message. A plan to implement was approved by the person, but written by the agent. */
export function readPrompt(text: string): Piece[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  if (isInjected(trimmed)) return [{ origin: 'injected', text: trimmed, marks: [] }];
  if (PLAN.test(trimmed)) return [{ origin: 'agent', text: trimmed, marks: ['plan'] }];
  if (/^Implement the plan\.?$/i.test(trimmed)) return [{ origin: 'injected', text: trimmed, marks: ['plan'] }];
  const request = unwrapRequest(trimmed);
  if (!request) return [{ origin: 'user', text: trimmed, marks: [] }];
  const pieces: Piece[] = request.before === '' ? [] : [{ origin: 'injected', text: request.before, marks: [] }];
  return request.after === '' ? pieces : [...pieces, ...readPrompt(request.after)];
}

/** Key of one piece of a message that is cut in several. */
export const pieceKey = (piece: Piece): string => `${piece.origin}${textHash(piece.text)}`;
