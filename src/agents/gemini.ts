/** Gemini CLI; docs/formats.md describes it and its fork Qwen Code. */
import { createHash } from 'node:crypto';
import type { Origin } from '../types.js';
import { agent, type Event } from './engine.js';
import { textHash } from '../text/fingerprint.js';
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
} from '../text/fields.js';
import { contentText, readPieces } from './typed.js';

/** Shared by both programs. */
export const family = {
  ownTools:
    'run_shell_command read_file read_many_files write_file replace edit list_directory glob search_file_content ' +
    'grep_search save_memory write_todos todo_write task agent exit_plan_mode enter_plan_mode ask_user ' +
    'ask_user_question activate_skill skill codebase_investigator cli_help complete_task get_internal_docs lsp ' +
    'delegate_to_agent invoke_agent update_topic tracker_create_task tracker_get_task tracker_list_tasks ' +
    'tracker_update_task tracker_add_dependency tracker_visualize notebook_edit monitor workflow task_create ' +
    'task_list task_update task_stop list_agents send_message create_sub_session enter_worktree exit_worktree ' +
    'get_goal propose_goal update_goal tool_search report_findings structured_output cron_create cron_list cron_delete',
  agentTools:
    /^(?:task|agent|invoke_agent|workflow|codebase_investigator|delegate_to_agent|cli_help)$/,
  tags: 'session_context|system-reminder|system_reminder|hook_context|state_snapshot|environment_context|intent_summary|qwen:[\\w-]+',
  repeats: true,
} as const;

const APPENDED =
  /^--- Content from referenced (?:files|context) ---|^I ran the following shell command:\n```/m;
/** Typed during the agent's work; the program adds instructions for the agent. */
const STEERED = /^User (?:hints|steering update):\n<user_input>\n([\s\S]*)\n<\/user_input>\n/;
/** Prompts of the program, to continue or to report. */
const OWN =
  /^(?:Please continue\.$|System: Potential loop detected\.|Background execution update:\n)/;

/**
 * A text of the user's channel. Contents of `@` files follow the prompt, and the output of a `!`
 * command follows a fixed sentence; both extend to the end.
 * @param shown the typed text, if the model got another text
 */
export function promptEvent(text: string, typist: Origin, shown: string | null = null): Event {
  const by = OWN.test(text) ? 'injected' : typist;
  const steer = STEERED.exec(text)?.[1];
  const typed = steer ?? (by === 'injected' ? text : (shown ?? text));
  const at = typed.search(APPENDED);
  const words = at < 0 ? typed : typed.slice(0, at);
  const rest = text.startsWith(words) ? text.slice(words.length) : text;
  const added = steer === undefined ? rest.trim() : '';
  return {
    ...{ is: 'prompt', text },
    pieces: [
      ...readPieces(words, family.tags, by),
      ...(added === '' ? [] : [{ origin: 'injected' as const, text: added, marks: [] }]),
    ],
  };
}

/** How a tool ended, by its status and, if cancelled, by its text. */
export function endOf(tool: string, status: string | null, text: string) {
  const isRefused = /denied|declined|rejected|did not allow/i.test(text.slice(0, 400));
  return {
    ok: status === null ? null : status === 'success',
    ...(tool === 'run_shell_command' ? {} : { exit: null }),
    outcome: status !== 'cancelled' ? null : isRefused ? 'rejected' : 'interrupted',
  } as const;
}

/** Path from a log's folder up to its project's folder. */
function upFrom(relative: string): string {
  return '../'.repeat(Math.max(0, relative.split('/').length - 3));
}

const GLOBS = ['tmp/*/chats/*.json', 'tmp/*/chats/*.jsonl', 'tmp/*/chats/*/*.jsonl'];

export const geminiCli = agent<string>({
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
  // Hashes of the last typed text and of the text that the model got for it.
  more: '',
  place: (record) => ({ id: short(record.id), time: isoTime(record.timestamp) }),
  read(record, { facts, more }) {
    if (isObject(record.head)) {
      const { sessionId, summary, kind } = record.head;
      const session = short(sessionId);
      if (session === null) return [];
      return [{ is: 'session', session, title: short(summary), subagent: kind === 'subagent' }];
    }
    const text = contentText(withoutThoughts(record.content ?? record.parts));
    switch (record.type) {
      case 'user': {
        const typist = facts.subagent ? 'agent' : 'user';
        const shown = textOf(contentText(record.displayContent));
        if (shown === null || text.startsWith(shown)) return [promptEvent(text, typist)];
        // A turn that a hook continues repeats its first prompt.
        const [was, now] = [more.split(' '), [textHash(shown), textHash(text)]];
        const isAgain = was[0] === now[0] && was[1] !== now[1];
        const event = promptEvent(text, isAgain ? 'injected' : typist, shown);
        return { events: [event], more: isAgain ? more : now.join(' ') };
      }
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

function withoutThoughts(content: unknown): unknown {
  return Array.isArray(content) ? content.filter((part) => object(part).thought !== true) : content;
}

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
 * The records of a log of lines, each message in its last version. Rewound or replaced messages
 * stay, so that the time of reading does not matter.
 */
function replay(lines: readonly unknown[]): unknown[] | null {
  let head: Json = {};
  const messages = new Map<string, unknown>();
  const add = (message: unknown): void => {
    const id = textOf(object(message).id) ?? `none ${messages.size}`;
    messages.set(id, withResults(object(message), object(messages.get(id))));
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

/** Keeps the earlier results of a message, since the program later shortens long ones. */
function withResults(message: Json, before: Json): Json {
  const calls = list(message.toolCalls).map((call) => {
    const first = object(
      list(before.toolCalls).find((each) => object(each).id === object(call).id),
    );
    const isShort = JSON.stringify(object(call).result ?? '').includes('<tool_output_masked>');
    return isShort && first.result ? { ...object(call), result: first.result } : call;
  });
  return calls.length === 0 ? message : { ...message, toolCalls: calls };
}

function answerEvents(record: Json, text: string): Event[] {
  const calls = list(record.toolCalls).filter(isObject);
  // The program's own answers have no model and are lists.
  if (record.model === undefined && Array.isArray(record.content) && calls.length === 0)
    return [{ is: 'notice', text }];
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

/**
 * The text that the model received, else the text on the screen. After a compression each call has
 * the results of all parallel calls.
 */
function resultText(call: Json): string {
  const responses = list(call.result).map((each) => object(object(each).functionResponse));
  const own = responses.filter(({ id }) => id === call.id);
  const outputs = (own.length > 0 ? own : responses).flatMap(({ response }) => {
    const { output, error } = object(response);
    return textOf(output) ?? textOf(error) ?? [];
  });
  return outputs.length > 0 ? outputs.join('\n') : (textOf(call.resultDisplay) ?? '');
}
