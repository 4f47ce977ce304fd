import { createHash } from 'node:crypto';
import type { Adapter, RawEntry, LogName, LogRecord, Shape, Step, Usage } from '../../types.js';
import { rawEntryOf, exitIn } from '../calls.js';
import {
  type Json,
  isObject,
  isoTime,
  list,
  object,
  short,
  text as textOf,
  whole,
} from '../fields.js';
import { type Base, askCall, endCall } from '../open-calls.js';
import { contentText, readSaid, type Said, saidEntries } from '../typed.js';

/** What a log's path and the files beside it say about its session. */
export interface GeminiState {
  session: string | null;
  cwd: string | null;
  child: boolean;
  parent: string | null;
}

const GLOBS = ['tmp/*/chats/*.json', 'tmp/*/chats/*.jsonl', 'tmp/*/chats/*/*.jsonl'];

/** Gemini CLI; docs/formats.md describes it and its fork Qwen Code. */
export const geminiCli: Adapter<GeminiState> = {
  agent: 'gemini-cli',
  title: 'Gemini CLI',
  places: [{ env: 'GEMINI_CLI_HOME', below: '.gemini', root: '.gemini', under: '', globs: GLOBS }],
  shape: (relative): Shape => (relative.endsWith('.json') ? 'document' : 'replay'),
  beside: (relative) => {
    const up = upFrom(relative);
    return [`${up}.project_root`, `${up}../../projects.json`];
  },
  unfold: (content) => (Array.isArray(content) ? replay(content) : unfoldDocument(object(content))),
  start: startState,
  step,
};

/** Tools of both programs; any other belongs to an MCP server or fetches from the web. */
const OWN = new Set(
  (
    'run_shell_command read_file read_many_files write_file replace edit list_directory glob search_file_content ' +
    'grep_search save_memory write_todos todo_write task agent exit_plan_mode enter_plan_mode ask_user ' +
    'ask_user_question activate_skill skill codebase_investigator cli_help complete_task get_internal_docs lsp ' +
    'delegate_to_agent'
  ).split(' '),
);
export const isOwn = (tool: string): boolean => OWN.has(tool);

/** Agents that run as a tool: their report has the origin `agent`. */
const AGENTS = new Set(['task', 'agent', 'codebase_investigator', 'delegate_to_agent', 'cli_help']);

const TAGS =
  'session_context|system-reminder|system_reminder|hook_context|state_snapshot|environment_context';
const INJECTED = /^--- Content from referenced files ---|^I ran the following shell command:\n```/m;

/** From a log's folder to the one of its project. */
function upFrom(relative: string): string {
  return '../'.repeat(Math.max(0, relative.split('/').length - 3));
}

function startState({ relative, beside = {} }: LogName): GeminiState {
  const parts = relative.split('/');
  const up = upFrom(relative);
  const root = short(beside[`${up}.project_root`]?.trim());
  const parent = parts.length > 4 ? short(parts[3]) : null;
  return {
    session: null,
    cwd: root ?? folderOf(beside[`${up}../../projects.json`], parts[1] ?? ''),
    child: parent !== null,
    parent,
  };
}

/** The folder that `projects.json` has for a name below `tmp/`; older names are hashes of it. */
function folderOf(json: string | undefined, slug: string): string | null {
  try {
    const projects = object(object(JSON.parse(json ?? '{}')).projects);
    return short(
      Object.keys(projects).find((folder) => projects[folder] === slug || sha256(folder) === slug),
    );
  } catch {
    return null;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The records of a whole file: its head, then its messages. */
function unfoldDocument(document: Json): unknown[] | null {
  if (textOf(document.sessionId) === null || !Array.isArray(document.messages)) return null;
  const { messages, ...head } = document;
  return [{ head }, ...list(messages)];
}

/**
 * The records of a log of lines, each message in its last version. Messages that were rewound or
 * replaced stay, so that a log gives the same entries whenever it was read.
 */
function replay(lines: readonly unknown[]): unknown[] | null {
  let head: Json = {};
  const messages = new Map<string, unknown>();
  const add = (message: unknown): void => {
    const id = textOf(object(message).id);
    messages.set(id ?? `none ${messages.size}`, message);
  };
  for (const line of lines.map(object)) {
    const set = object(line.$set);
    if (isObject(line.$set)) {
      const { messages: all, ...rest } = set;
      list(all).forEach(add);
      head = { ...head, ...rest };
    } else if (textOf(line.sessionId) !== null && textOf(line.id) === null)
      head = { ...head, ...line };
    else if (line.$rewindTo === undefined) add(line);
  }
  return textOf(head.sessionId) === null ? null : [{ head }, ...messages.values()];
}

function step(before: GeminiState, { value }: LogRecord): Step<GeminiState> {
  if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
  if (isObject(value.head)) return enter(before, value.head);
  const id = short(value.id);
  const base: Base = { native: id, time: isoTime(value.timestamp), cwd: before.cwd };
  switch (value.type) {
    case 'user':
      return { state: before, rawEntries: promptOf(before, base, value) };
    case 'gemini':
    case 'model': {
      const usage = id === null ? null : usageOf(id, base.time, value);
      return {
        state: before,
        rawEntries: answerOf(before, base, value),
        ...(usage === null ? {} : { usage: [usage] }),
      };
    }
    case 'info':
    case 'error':
    case 'warning':
      return { state: before, rawEntries: noticeOf(base, contentText(value.content)) };
    default:
      return {
        state: before,
        rawEntries: [],
        unknown: (textOf(value.type) ?? 'none').slice(0, 80),
      };
  }
}

function enter(before: GeminiState, head: Json): Step<GeminiState> {
  const session = short(head.sessionId);
  const state: GeminiState = {
    ...before,
    session,
    child: before.child || head.kind === 'subagent',
  };
  if (session === null) return { state, rawEntries: [] };
  const child = state.child ? { subagent: true, parent: state.parent } : {};
  return {
    state,
    rawEntries: [],
    session: { session, cwd: state.cwd, title: short(head.summary), ...child },
  };
}

/**
 * Splits a text of the user's channel. The program appends files named with `@` to the prompt, and
 * the output of a command typed with `!` to a sentence of its own: both extend to the end, whatever
 * they contain.
 */
export function readPrompt(text: string, typist: 'user' | 'agent' | 'injected'): Said[] {
  const at = text.search(INJECTED);
  const words = at < 0 ? text : text.slice(0, at);
  const injected = at < 0 ? '' : text.slice(at).trim();
  return [
    ...readSaid(words, TAGS, typist),
    ...(injected === '' ? [] : [{ origin: 'injected' as const, text: injected, marks: [] }]),
  ];
}

function promptOf(state: GeminiState, base: Base, message: Json): RawEntry[] {
  const said = readPrompt(
    contentText(message.content ?? message.parts),
    state.child ? 'agent' : 'user',
  );
  return saidEntries(base, said, state.child ? ['subagent'] : []);
}

function answerOf(state: GeminiState, base: Base, message: Json): RawEntry[] {
  const marks = state.child ? ['subagent'] : [];
  const part = (name: string): Base => ({
    ...base,
    native: base.native === null ? null : `${base.native}:${name}`,
    marks,
  });
  const thoughts = list(message.thoughts).map(object);
  const calls = list(message.toolCalls).filter(isObject);
  const text = contentText(message.content ?? message.parts).trim();
  return [
    ...thoughts.flatMap((thought, at) => {
      const said = [thought.subject, thought.description]
        .map(textOf)
        .filter((line) => line !== null);
      if (said.length === 0) return [];
      return [
        rawEntryOf({
          ...part(`thought${at}`),
          role: 'thinking',
          origin: 'agent',
          text: said.join('\n'),
        }),
      ];
    }),
    ...(text === ''
      ? []
      : [
          rawEntryOf({
            ...base,
            role: 'assistant',
            origin: 'agent',
            text,
            marks: [...marks, ...(calls.length === 0 ? ['final'] : [])],
          }),
        ]),
    ...calls.flatMap((call, at) => callOf(part, call, at)),
  ];
}

function callOf(part: (name: string) => Base, call: Json, at: number): RawEntry[] {
  const tool = short(call.name) ?? 'unknown';
  const id = short(call.id);
  const place = part(id ?? String(at));
  const { raw, open } = askCall(place, { id, tool, input: call.args }, isOwn(tool));
  const status = textOf(call.status);
  if (status !== 'success' && status !== 'error' && status !== 'cancelled') return [raw];
  const text = resultText(call);
  const result: Base = {
    ...place,
    native: place.native === null ? null : `${place.native}:result`,
    marks: [],
  };
  const time = isoTime(call.timestamp) ?? place.time;
  const ended = endCall(
    { ...result, time },
    [open],
    { call: id, tool, text, ...endOf(tool, status, text) },
    isOwn,
  );
  return [raw, { ...ended.raw, command: raw.command, files: raw.files }];
}

/** How a tool ended, by its status and, for a command, by its text. */
export function endOf(
  tool: string,
  status: string | null,
  text: string,
): Pick<Parameters<typeof endCall>[2], 'ok' | 'exit' | 'outcome' | 'origin'> {
  const refused =
    status === 'cancelled' && /denied|declined|rejected|did not allow/i.test(text.slice(0, 400));
  return {
    ok: status === null ? null : status === 'success',
    exit: tool === 'run_shell_command' ? exitIn(text) : null,
    ...(status === 'cancelled'
      ? { outcome: refused ? ('rejected' as const) : ('interrupted' as const) }
      : {}),
    ...(AGENTS.has(tool) ? { origin: 'agent' as const } : {}),
  };
}

/** What the model received, else what the screen showed. */
function resultText(call: Json): string {
  const responses = list(call.result).map((each) =>
    object(object(object(each).functionResponse).response),
  );
  const said = responses
    .map((response) => textOf(response.output) ?? textOf(response.error))
    .filter((text) => text !== null);
  return said.length > 0 ? said.join('\n') : (textOf(call.resultDisplay) ?? '');
}

function noticeOf(base: Base, text: string): RawEntry[] {
  const mark = /^Request cancelled\.?/i.test(text)
    ? 'interrupt'
    : /history compressed|was compressed/i.test(text)
      ? 'compaction'
      : null;
  return mark === null
    ? []
    : [rawEntryOf({ ...base, role: 'system', origin: 'injected', text, marks: [mark] })];
}

/** `input` includes cached tokens, and `thoughts` are not part of `output`. */
function usageOf(native: string, time: string | null, message: Json): Usage | null {
  const tokens = object(message.tokens);
  const count = (value: unknown): number => Math.max(0, whole(value) ?? 0);
  const cacheRead = count(tokens.cached);
  const reasoning = count(tokens.thoughts);
  const input = Math.max(0, count(tokens.input) - cacheRead) + count(tokens.tool);
  const output = count(tokens.output) + reasoning;
  if (input + output + cacheRead === 0) return null;
  return {
    native,
    time,
    model: short(message.model),
    input,
    cacheRead,
    cacheWrite: 0,
    output,
    reasoning,
    cost: null,
  };
}
