import type { Origin, Role, Step } from '../../types.js';
import { type Json, isObject, text as textOf, textHash } from '../fields.js';
import { isWebCommand } from '../web.js';
import { type RecordPlace, makeRawEntry, type ClaudeState } from './state.js';
import { type Segment, isWrapped, splitWrappers } from './wrappers.js';

/** One entry's share of a text in the user's channel, before it gets an id. */
export interface Piece {
  role: Role;
  origin: Origin;
  text: string;
  marks: string[];
  /** A `!` command, or the output of the last one. */
  shell?: 'command' | 'output';
}

/** Who filled the user's channel: a person, a program, the agent itself, or unknown. */
export type Sender = 'person' | 'program' | 'agent' | 'unknown';

/** Slash commands of the program itself: their arguments are settings, not a prompt. */
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
/** What the program itself writes in the user's channel without a wrapper. */
const HOOK = /^\s*(?:Operation stopped by hook:|\w+ operation blocked by hook|Stop hook feedback:)/;
const NOTICE =
  /^\s*(?:Caveat: The messages below were generated|Base directory for this skill:|\[Image: (?:source|original)|Unknown (?:slash command|command|skill):|Args from unknown skill:|Continue from where you left off\.\s*$|API Error:)/;
const OUTPUT = new Set(
  (
    'bash-stdout bash-stderr local-command-stdout local-command-stderr task-notification ' +
    'task_notification'
  ).split(' '),
);
const COMMAND = new Set(['command-name', 'command-message', 'command-args', 'command-contents']);

function piece(origin: Origin, text: string, marks: string[] = [], role: Role = 'user'): Piece {
  return { role, origin, text: text.trim(), marks };
}

/**
 * Who sent a user record, from its own marks. An `sdk` entry point is a program unless the record
 * says that a person typed.
 */
export function senderOf(record: Json): Sender {
  const kind = isObject(record.origin) ? textOf(record.origin.kind) : null;
  if (kind !== null && kind !== 'human') return 'program';
  if (record.promptSource === 'typed') return 'person';
  const sdk = typeof record.entrypoint === 'string' && record.entrypoint.startsWith('sdk');
  if (sdk) return 'program';
  if (kind === 'human') return 'person';
  return record.promptSource === 'sdk' || record.promptSource === 'system' ? 'program' : 'unknown';
}

/**
 * Splits a text of the user's channel into what the person typed and what the program, the agent or
 * a tool put there.
 *
 * @param sender who filled the channel; `agent` for prompts to subagents
 * @param record the record's marks (isMeta, isCompactSummary, planContent, sourceToolUseID)
 */
export function readPrompt(text: string, sender: Sender, record: Json = {}): Piece[] {
  if (text.trim() === '') return [];
  if (record.isCompactSummary === true || (sender !== 'person' && SUMMARY.test(text)))
    return [piece('injected', text, ['compaction'])];
  if (INTERRUPT.test(text)) return [piece('injected', text, ['interrupt'])];
  if (isInjected(record, sender) || HOOK.test(text)) return [piece('injected', text)];
  if (sender !== 'person' && NOTICE.test(text)) return [piece('injected', text)];
  if (sender === 'agent') return [piece('agent', text, ['subagent'])];
  if (record.planContent !== undefined || (sender !== 'person' && PLAN.test(text)))
    return [piece('agent', text, ['plan'])];
  if (sender === 'program') return [piece('injected', text)];
  if (typeof record.promptSource === 'string' && record.promptSource.includes('suggest'))
    return [piece('agent', text)];
  if (sender === 'unknown' && isWrapped(text) && splitWrappers(text)[0]?.tag === null)
    return [piece('injected', text)];
  return readSegments(splitWrappers(text));
}

/** Whether the record is marked as text that the program put there for the agent or the screen. */
function isInjected(record: Json, sender: Sender): boolean {
  return (
    record.isMeta === true ||
    record.isVisibleInTranscriptOnly === true ||
    typeof record.sourceToolUseID === 'string' ||
    (record.turnCompanion === true && sender !== 'person')
  );
}

function readSegments(segments: Segment[]): Piece[] {
  const output = segments.some(({ tag }) => tag !== null && OUTPUT.has(tag));
  const pieces: Piece[] = [];
  const slash = slashCommand(segments);
  if (slash) pieces.push(slash);
  for (const { tag, body } of segments) {
    if (body === '' || (tag !== null && COMMAND.has(tag))) continue;
    if (tag === null) pieces.push(...(output || slash ? [piece('injected', body)] : wordsOf(body)));
    else if (tag === 'user-memory-input') pieces.push(piece('user', body));
    else if (tag === 'bash-input')
      pieces.push({ ...piece('user', body, [], 'tool_call'), shell: 'command' });
    else if (tag === 'bash-stdout' || tag === 'bash-stderr') addOutput(pieces, body);
    else pieces.push(piece('injected', body));
  }
  return pieces;
}

/** The person's words and, separately, the log or diff that they pasted. */
function wordsOf(body: string): Piece[] {
  const { words, pasted } = splitPasted(body);
  if (pasted === '') return [piece('user', body)];
  return [...(words === '' ? [] : [piece('user', words)]), piece('injected', pasted, ['pasted'])];
}

/** Standard output and error of one `!` command are one result. */
function addOutput(pieces: Piece[], body: string): void {
  const last = pieces.at(-1);
  if (last?.shell === 'output') last.text += `\n${body}`;
  else pieces.push({ ...piece('tool', body, [], 'tool_result'), shell: 'output' });
}

/**
 * `/name words` as typed. The words are the person's, unless the command is one of the program's
 * own.
 */
function slashCommand(segments: Segment[]): Piece | null {
  const body = (tag: string) => segments.find((segment) => segment.tag === tag)?.body ?? '';
  const name = body('command-name').replace(/^\/?/, '/');
  if (name === '/') return null;
  const words = body('command-args');
  return slash(name, words);
}

/** The piece for a slash command with its arguments. */
function slash(name: string, words: string): Piece {
  const own = words !== '' && !BUILT_IN.has(name.slice(1).toLowerCase());
  return piece(own ? 'user' : 'injected', words === '' ? name : `${name} ${words}`, ['command']);
}

/** A prompt that was typed while the agent worked; its slash commands have no tags. */
export function readQueued(text: string, sender: Sender, record: Json = {}): Piece[] {
  const typed = /^\/([\w:-]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  if (typed && sender !== 'program') return [slash(`/${typed[1]}`, (typed[2] ?? '').trim())];
  return readPrompt(text, sender, record);
}

/**
 * Gives the pieces of one text their ids: the prompt itself gets the block's plain id, the other
 * pieces a suffix.
 */
export function placePieces(
  state: ClaudeState,
  place: RecordPlace,
  pieces: Piece[],
  block: string | number,
  main = pieces[0],
): Step<ClaudeState> {
  let bang = state.bang;
  const rawEntries = pieces.map((piece, n) => {
    const id = piece === main ? block : `${block}:${n}`;
    if (!piece.shell)
      return makeRawEntry(place, id, piece.role, piece.origin, piece.text, { marks: piece.marks });
    const command = piece.shell === 'command' ? piece.text : null;
    if (command !== null) bang = `!${place.uuid ?? textHash(command)}`;
    const web = command === null && state.bang !== null && state.bang.endsWith('+web');
    if (command !== null && isWebCommand(command)) bang += '+web';
    return makeRawEntry(place, id, piece.role, web ? 'external' : piece.origin, piece.text, {
      tool: 'Bash',
      call: bang,
      command,
    });
  });
  return { state: bang === state.bang ? state : { ...state, bang }, rawEntries };
}

/** Lines that programs print and people do not type. */
const PRINTED = [
  /^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d/, // log with a date
  /^\s*\[?\d\d:\d\d:\d\d[\].,\s]/, // log with a time
  /^\s+at \S.*[(:]\d+/, // JavaScript and Java stack
  /^Traceback \(most recent call last\)|^\s+File ".+", line \d+/, // Python stack
  /^\s*-->\s\S+:\d+|^\s*\d+\s+\|\s|^\s*[\^~]+\s*$|^\s*\|\s*[\^~-]*\s*$/, // code frames
  /^\s*\S+\.\w{1,5}:\d+(?::\d+)?[:\s]|^\s*\S+\.\w{1,5}\(\d+,\d+\):/, // file:line:column
  /^\s*(?:\S+\s)?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b[:\s\]]/,
  /^\s*(?:npm|yarn|pnpm) (?:ERR!|error|warn)\b|^error\[E\d+\]|^error TS\d+/i,
  /^\s*(?:--- (?:PASS|FAIL|SKIP)|=== (?:RUN|PAUSE|CONT)|ok\s+\S+\s+[\d.(]|(?:PASS|FAIL)\s+\S+|==> |FAILED \S+::|E {3,}\S)/,
  /^(?:diff --git |@@ -\d|(?:\+\+\+|---) [ab]\/|index [\da-f]{7,})/,
  /^\s*[✓✗✔✖×⎿●]\s|[│├└┌┐┤┬┴┼]|[─═]{4,}/,
  /^(?:❯|➜|➤)\s|^\S*\w+@[\w.-]+[:\s][~/].*[$#%]\s|^\$ \S/, // shell prompts
];

const MIN_LINES = 3;
/** Blank, indented or odd lines between two printed ones belong to them. */
const MAX_GAP = 2;

function isPrinted(line: string): boolean {
  return line.length < 2000 && PRINTED.some((shape) => shape.test(line));
}

/**
 * Splits a prompt into what the person wrote and the printed lines that they pasted (logs, stack
 * traces, diffs, shell sessions). Only runs of three or more unmistakable lines count; code, quotes
 * and prose stay with the person.
 */
export function splitPasted(text: string): { words: string; pasted: string } {
  const lines = text.split('\n');
  if (lines.length < MIN_LINES) return { words: text, pasted: '' };
  const taken = new Set<number>();
  let run: number[] = [];
  lines.forEach((line, at) => {
    if (!isPrinted(line)) return;
    const last = run.at(-1);
    if (last !== undefined && at - last - 1 > gapAllowed(lines, last, at)) {
      addRun(run, taken);
      run = [];
    }
    run.push(at);
  });
  addRun(run, taken);
  if (taken.size === 0) return { words: text, pasted: '' };
  const pick = (wanted: boolean) =>
    lines
      .filter((_, at) => taken.has(at) === wanted)
      .join('\n')
      .trim();
  return { words: pick(false).replace(/\n{3,}/g, '\n\n'), pasted: pick(true) };
}

/** Between printed lines any number of blank or indented lines may stand, but only a few others. */
function gapAllowed(lines: string[], from: number, to: number): number {
  const others = lines
    .slice(from + 1, to)
    .filter((line) => line.trim() !== '' && !/^\s{2,}/.test(line)).length;
  return others <= MAX_GAP ? Infinity : -1;
}

function addRun(run: number[], taken: Set<number>): void {
  if (run.length < MIN_LINES) return;
  for (let at = run[0]!; at <= run.at(-1)!; at++) taken.add(at);
}
