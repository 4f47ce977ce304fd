/** Gemini CLI; docs/formats.md describes it and its fork Qwen Code. */
import { createHash } from 'node:crypto';
import type { Origin } from '../types.js';
import { agent, type Event } from './engine.js';
import {
  count,
  isObject,
  isoTime,
  type Json,
  list,
  object,
  parse,
  short,
  text as textOf,
} from './fields.js';
import { contentText, readSaid } from './typed.js';

/** What both programs share. */
export const family = {
  ownTools:
    'run_shell_command read_file read_many_files write_file replace edit list_directory glob search_file_content ' +
    'grep_search save_memory write_todos todo_write task agent exit_plan_mode enter_plan_mode ask_user ' +
    'ask_user_question activate_skill skill codebase_investigator cli_help complete_task get_internal_docs lsp ' +
    'delegate_to_agent',
  agentTools: /^(?:task|agent|codebase_investigator|delegate_to_agent|cli_help)$/,
  tags: 'session_context|system-reminder|system_reminder|hook_context|state_snapshot|environment_context',
  repeats: true,
} as const;

const APPENDED = /^--- Content from referenced files ---|^I ran the following shell command:\n```/m;

/**
 * A text of the user's channel. The program appends files named with `@` to the prompt, and the
 * output of a command typed with `!` to a sentence of its own: both extend to the end, whatever they
 * contain.
 */
export function promptEvent(text: string, by: Origin): Event {
  const at = text.search(APPENDED);
  const words = at < 0 ? text : text.slice(0, at);
  const added = at < 0 ? '' : text.slice(at).trim();
  return {
    ...{ is: 'prompt', text },
    said: [
      ...readSaid(words, family.tags, by),
      ...(added === '' ? [] : [{ origin: 'injected' as const, text: added, marks: [] }]),
    ],
  };
}

/** How a tool ended, by its status and, where it was cancelled, by its text. */
export function endOf(tool: string, status: string | null, text: string) {
  const isRefused = /denied|declined|rejected|did not allow/i.test(text.slice(0, 400));
  return {
    ok: status === null ? null : status === 'success',
    ...(tool === 'run_shell_command' ? {} : { exit: null }),
    outcome: status !== 'cancelled' ? null : isRefused ? 'rejected' : 'interrupted',
  } as const;
}

/** From a log's folder to the one of its project. */
function upFrom(relative: string): string {
  return '../'.repeat(Math.max(0, relative.split('/').length - 3));
}

const GLOBS = ['tmp/*/chats/*.json', 'tmp/*/chats/*.jsonl', 'tmp/*/chats/*/*.jsonl'];

export const geminiCli = agent<null>({
  ...family,
  agent: 'gemini-cli',
  title: 'Gemini CLI',
  places: [{ env: 'GEMINI_CLI_HOME', below: '.gemini', root: '.gemini', under: '', globs: GLOBS }],
  shape: (relative) => (relative.endsWith('.json') ? 'document' : 'replay'),
  beside: (relative) => {
    const up = upFrom(relative);
    return [`${up}.project_root`, `${up}../../projects.json`];
  },
  unfold: (content) => (Array.isArray(content) ? replay(content) : unfoldDocument(object(content))),
  begin({ relative, beside = {} }) {
    const parts = relative.split('/');
    const up = upFrom(relative);
    const parent = parts.length > 4 ? short(parts[3]) : null;
    const folder = folderOf(beside[`${up}../../projects.json`], parts[1] ?? '');
    const cwd = short(beside[`${up}.project_root`]?.trim()) ?? folder;
    return { cwd, parent, subagent: parent !== null };
  },
  more: null,
  place: (record) => ({ id: short(record.id), time: isoTime(record.timestamp) }),
  read(record, { facts }) {
    if (isObject(record.head)) {
      const { sessionId, summary, kind } = record.head;
      const session = short(sessionId);
      if (session === null) return [];
      return [{ is: 'session', session, title: short(summary), subagent: kind === 'subagent' }];
    }
    const text = contentText(record.content ?? record.parts);
    switch (record.type) {
      case 'user':
        return [promptEvent(text, facts.subagent ? 'agent' : 'user')];
      case 'gemini':
      case 'model':
        return answerEvents(record, text);
      case 'info':
      case 'error':
      case 'warning':
        if (/^Request cancelled\.?/i.test(text)) return [{ is: 'notice', text, mark: 'interrupt' }];
        return /history compressed|was compressed/i.test(text)
          ? [{ is: 'notice', text, mark: 'compaction' }]
          : [];
      default:
        return [{ is: 'unknown', type: record.type }];
    }
  },
});

/** The folder that `projects.json` has for a name below `tmp/`; older names are hashes of it. */
function folderOf(json: string | undefined, slug: string): string | null {
  const projects = object(parse(json).projects);
  const hash = (folder: string): string => createHash('sha256').update(folder).digest('hex');
  const isIt = (folder: string): boolean => projects[folder] === slug || hash(folder) === slug;
  return short(Object.keys(projects).find(isIt));
}

/** The records of a whole file: its head, then its messages. */
function unfoldDocument({ messages, ...head }: Json): unknown[] | null {
  return textOf(head.sessionId) === null || !Array.isArray(messages)
    ? null
    : [{ head }, ...list(messages)];
}

/**
 * The records of a log of lines, each message in its last version. Messages that were rewound or
 * replaced stay, so that a log gives the same entries whenever it was read.
 */
function replay(lines: readonly unknown[]): unknown[] | null {
  let head: Json = {};
  const messages = new Map<string, unknown>();
  const add = (message: unknown): void => {
    messages.set(textOf(object(message).id) ?? `none ${messages.size}`, message);
  };
  for (const line of lines.map(object)) {
    if (isObject(line.$set)) {
      const { messages: all, ...rest } = line.$set;
      list(all).forEach(add);
      head = { ...head, ...rest };
    } else if (textOf(line.sessionId) !== null && textOf(line.id) === null)
      head = { ...head, ...line };
    else if (line.$rewindTo === undefined) add(line);
  }
  return textOf(head.sessionId) === null ? null : [{ head }, ...messages.values()];
}

function answerEvents(record: Json, text: string): Event[] {
  const calls = list(record.toolCalls).filter(isObject);
  const { input, output, cached, thoughts, tool } = object(record.tokens);
  return [
    ...list(record.thoughts).map((thought, at): Event => {
      const { subject, description } = object(thought);
      const lines = [subject, description].flatMap((line) => textOf(line) ?? []);
      return { is: 'thought', part: `thought${at}`, text: lines.join('\n') };
    }),
    { is: 'answer', text, final: calls.length === 0 },
    ...calls.flatMap((call, at) => callEvents(call, short(record.id), at)),
    {
      ...{ is: 'usage', native: short(record.id), model: record.model, cacheRead: cached },
      // `input` includes cached tokens, and `thoughts` are not part of `output`.
      input: Math.max(0, count(input) - count(cached)) + count(tool),
      output: count(output) + count(thoughts),
      reasoning: thoughts,
    },
  ];
}

function callEvents(call: Json, record: string | null, at: number): Event[] {
  const [tool, id] = [short(call.name) ?? 'unknown', short(call.id)];
  const part = id ?? String(at);
  const asked: Event = { is: 'call', part, call: id, tool, input: call.args };
  const status = textOf(call.status);
  if (status !== 'success' && status !== 'error' && status !== 'cancelled') return [asked];
  const text = resultText(call);
  const time = isoTime(call.timestamp);
  return [
    asked,
    {
      ...{ is: 'result', id: record, part: `${part}:result`, call: id, tool, text },
      ...(time === null ? {} : { time }),
      ...endOf(tool, status, text),
    },
  ];
}

/** What the model received, else what the screen showed. */
function resultText(call: Json): string {
  const responses = list(call.result).map((each) => object(object(each).functionResponse).response);
  const said = responses.flatMap((response) => {
    const { output, error } = object(response);
    return textOf(output) ?? textOf(error) ?? [];
  });
  return said.length > 0 ? said.join('\n') : (textOf(call.resultDisplay) ?? '');
}
