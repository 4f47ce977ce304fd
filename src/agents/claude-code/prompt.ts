/** Texts in the user's channel: their senders, and the parts that the person typed. */
import type { Origin } from '../../types.js';
import type { Event } from '../engine.js';
import { textHash } from '../../text/fingerprint.js';
import { type Json, object, text as textOf } from '../../text/fields.js';
import { type PromptPiece, splitPasted } from '../typed.js';
import { isWebCommand } from '../web.js';
import type { More } from './state.js';
import { isWrapped, splitWrappers } from './wrappers.js';

/** The part of a text in the user's channel that becomes one entry. */
export interface Piece extends PromptPiece {
  /** A `!` command, or the output of the last such command. */
  shell?: 'command' | 'output';
}

/** Who wrote to the user's channel: a person, a program, the agent itself, or unknown. */
export type Sender = 'person' | 'program' | 'agent' | 'unknown';

/** The program's own slash commands; their arguments are settings, not prompts. */
const BUILT_IN = new Set(
  (
    'add-dir advisor agents allowed-tools android app artifacts auto-mode-setup autocompact autofix-pr bashes branch bug ' +
    'cd checkpoint chrome clear color config context copy cost desktop diff doctor effort exit export extra-usage fast ' +
    'feedback focus heapdump help hooks ide insights install-github-app install-slack-app ios keybindings login logout ' +
    'mcp memory mobile model new output-style passes permissions plugin plugins powerup privacy-settings quit radio rc ' +
    'recap release-notes reload-plugins reload-skills remote-control remote-env rename reset resume rewind sandbox ' +
    'scroll-speed settings setup-bedrock setup-vertex skills stats status statusline stickers stop tasks ' +
    'team-onboarding teleport terminal-setup theme todos tp tui undo upgrade usage usage-credits vim voice web-setup'
  ).split(' '),
);

const PLAN = /^\s*Implement the following plan:/;
const SUMMARY = /^\s*This session is being continued from a previous conversation/;
const INTERRUPT = /^\s*\[Request interrupted by user/;
/** Texts that the program writes to the user's channel without a wrapper. */
const HOOK = /^\s*(?:Operation stopped by hook:|\w+ operation blocked by hook|Stop hook feedback:)/;
const NOTICE =
  /^\s*(?:Caveat: The messages below were generated|Base directory for this skill:|\[Image: (?:source|original)|Unknown (?:slash command|command|skill):|Args from unknown skill:|Continue from where you left off\.\s*$|API Error:|Your claude\.ai usage limit has reset\. Continue|\d+ background agents? (?:was|were) stopped by the user:|\[(?:SYSTEM NOTIFICATION|Cross-session|Artifact comment|Subagent) [^\]\n]*\]|(?:Another Claude session|A peer session|The coordinator|The \S+ plugin) sent a message(?: while you were working)?:\s*<)/;
/** A long paste; its closing tag also has the id. */
const PASTED = /<pasted_content id="([\w-]+)">\n([\s\S]*?)\n<\/pasted_content id="\1">/g;
const OUTPUT = /^(?:(?:bash|local-command)-std(?:out|err)|task[-_]notification)$/;

export function piece(origin: Origin, text: string, ...marks: string[]): Piece {
  return { origin, text: text.trim(), marks };
}

/**
 * Sender of a user record, from its marks. An `sdk` entry point is a program unless the record is
 * marked as typed.
 */
export function senderOf(record: Json): Sender {
  const kind = textOf(object(record.origin).kind);
  if (kind !== null && kind !== 'human') return 'program';
  if (record.promptSource === 'typed') return 'person';
  if (textOf(record.entrypoint)?.startsWith('sdk')) return 'program';
  if (kind === 'human') return 'person';
  return record.promptSource === 'sdk' || record.promptSource === 'system' ? 'program' : 'unknown';
}

/**
 * Splits a text of the user's channel into typed words and text from the program, the agent or a
 * tool.
 *
 * @param sender `agent` for prompts to subagents
 * @param record the record's marks (isMeta, isCompactSummary, planContent, sourceToolUseID)
 */
export function readPrompt(text: string, sender: Sender, record: Json = {}): Piece[] {
  if (text.trim() === '') return [];
  if (record.isCompactSummary === true || (sender !== 'person' && SUMMARY.test(text)))
    return [piece('injected', text, 'compaction')];
  if (INTERRUPT.test(text)) return [piece('injected', text, 'interrupt')];
  if (isInjected(record, sender) || HOOK.test(text)) return [piece('injected', text)];
  if (sender !== 'person' && NOTICE.test(text)) return [piece('injected', text)];
  if (sender === 'agent') return [piece('agent', text)];
  if (record.planContent !== undefined || (sender !== 'person' && PLAN.test(text)))
    return [piece('agent', text, 'plan')];
  if (sender === 'program') return [piece('injected', text)];
  if (textOf(record.promptSource)?.includes('suggest')) return [piece('agent', text)];
  const pastes = [...text.matchAll(PASTED)].map(([, , body]) => body!);
  const typed = text.replace(PASTED, '').trim();
  // If the prompt is only a paste, the person wrote it elsewhere.
  return typed === ''
    ? readSegments(pastes.join('\n\n') || text, sender)
    : [...readSegments(typed, sender), ...pastes.map((body) => piece('injected', body, 'pasted'))];
}

/** Whether the record is marked as the program's text for the agent or the screen. */
function isInjected(record: Json, sender: Sender): boolean {
  return (
    record.isMeta === true ||
    record.isVisibleInTranscriptOnly === true ||
    typeof record.sourceToolUseID === 'string' ||
    (record.turnCompanion === true && sender !== 'person')
  );
}

function readSegments(text: string, sender: Sender): Piece[] {
  const segments = splitWrappers(text);
  if (sender === 'unknown' && isWrapped(text) && segments[0]?.tag === '')
    return [piece('injected', text)];
  const hasOutput = segments.some(({ tag }) => OUTPUT.test(tag));
  const bodyOf = (tag: string) => segments.find((segment) => segment.tag === tag)?.body ?? '';
  const name = bodyOf('command-name').replace(/^\//, '');
  const isSlash = name !== '';
  const pieces = isSlash ? [slash(name, bodyOf('command-args'))] : [];
  for (const { tag, body } of segments) {
    const last = pieces.at(-1);
    if (body === '' || tag.startsWith('command-')) continue;
    if (tag === '' && !hasOutput && !isSlash) pieces.push(...wordsOf(body));
    else if (tag === 'user-memory-input') pieces.push(piece('user', body));
    else if (tag === 'bash-input') pieces.push({ ...piece('user', body), shell: 'command' });
    else if (tag !== 'bash-stdout' && tag !== 'bash-stderr') pieces.push(piece('injected', body));
    // Standard output and error of one `!` command are one result.
    else if (last?.shell === 'output') last.text += `\n${body}`;
    else pieces.push({ ...piece('tool', body), shell: 'output' });
  }
  return pieces;
}

/** The person's words and, separately, the log or diff that they pasted. */
function wordsOf(body: string): Piece[] {
  const { words, pasted } = splitPasted(body);
  return [
    ...(words === '' ? [] : [piece('user', words)]),
    ...(pasted === '' ? [] : [piece('injected', pasted, 'pasted')]),
  ];
}

/** `/name words` as typed. The words are the person's, unless it is the program's own command. */
function slash(name: string, words: string): Piece {
  const isOwn = words !== '' && !BUILT_IN.has(name.toLowerCase());
  const text = words === '' ? `/${name}` : `/${name} ${words}`;
  return piece(isOwn ? 'user' : 'injected', text, 'command');
}

/** A prompt that was typed during the agent's work; its slash commands have no tags. */
export function readQueued(text: string, sender: Sender, record: Json): Piece[] {
  const typed = /^\/([\w:-]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  return typed && sender !== 'program'
    ? [slash(typed[1]!, (typed[2] ?? '').trim())]
    : readPrompt(text, sender, record);
}

/** The place of a text whose pieces become entries. */
export interface At {
  id: string | null;
  part: string | number;
  time?: string | null;
}

/** The prompt gets the text's plain id; the other pieces get an added number. */
export function pieceEvents(
  more: More,
  pieces: readonly Piece[],
  { id, part, time }: At,
  main = pieces[0],
): Event[] {
  const isWeb = more.bang?.endsWith('+web') === true;
  return pieces.map((each, n): Event => {
    const { text, marks, shell } = each;
    const at = { id, part: each === main ? part : `${part}:${n}`, ...(time && { time }) };
    if (shell === undefined) return { is: 'prompt', text, pieces: [each], ...at };
    const origin = isWeb ? 'external' : 'tool';
    const shellResult = { tool: 'Bash', asked: null, ok: null, exit: null, origin } as const;
    if (shell === 'output') return { is: 'result', call: more.bang, text, ...shellResult, ...at };
    const web = isWebCommand(text);
    more.bang = `!${id ?? textHash(text)}${web ? '+web' : ''}`;
    const asks = { text, command: text, files: [], web, marks };
    return { is: 'call', call: more.bang, tool: 'Bash', asks, by: 'user', ...at };
  });
}
