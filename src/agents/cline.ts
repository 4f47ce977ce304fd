/**
 * Cline, Roo Code (ended in May 2026) and the first Kilo Code: an editor's extensions with a folder for each task, and Cline's
 * sessions since 4.0. All are rewritten whole after each change; docs/formats.md describes them.
 */
import type { Adapter, LogName, LogPlace } from '../types.js';
import { blockEvents, REFUSED } from './blocks.js';
import { cutLines, renderEdit } from './edits.js';
import { agent, type Agent, type Event, type Kept } from './engine.js';
import {
  count,
  isObject,
  isoTime,
  type Json,
  linesOf,
  list,
  object,
  parse,
  parseAny,
  short,
  text as textOf,
  whole,
} from '../text/fields.js';
import { family } from './opencode/index.js';
import { contentText } from './typed.js';

/** Editors that run VS Code's extensions; a name may be longer, such as `Code - Insiders`. */
const EDITORS = ['Code', 'VSCodium', 'Cursor', 'Windsurf'];

/** Where editors store an extension's data on Linux, macOS, Windows and remote machines. */
function extension(id: string): LogPlace[] {
  const [glob, under] = [`${id}/tasks/*/ui_messages.json`, ''];
  const roots = EDITORS.flatMap((name) => {
    const below = `${name}*/User/globalStorage`;
    return [
      { env: 'XDG_CONFIG_HOME', below, root: `.config/${below}` },
      { env: null, root: `Library/Application Support/${below}` },
      { env: null, root: `AppData/Roaming/${below}` },
    ];
  });
  return [
    ...roots.map((root) => ({ ...root, under, globs: [glob] })),
    { env: null, root: '.vscode-server*/data/User', under, globs: [`globalStorage/${glob}`] },
  ];
}

/** Files beside `ui_messages.json`. */
const BESIDE = ['task_metadata.json', 'history_item.json', '../../state/taskHistory.json'];
const SESSIONS = {
  under: '',
  root: '.cline/data',
  globs: ['tasks/*/ui_messages.json', 'sessions/*/*.messages.json'],
};

interface Task {
  /** A program started the session. */
  isMachine: boolean;
  /** The last call, for a later refusal. */
  last: { call: string; tool: string } | null;
  /** Time of the import from another agent, whose log has the earlier messages. */
  imported: string | null;
}

const tasks = {
  ownTools:
    'execute_command bash run_commands read_file read_files write_to_file replace_in_file editor apply_patch ' +
    'edit_file search_files search_codebase list_files list_code_definition_names ask_followup_question ask_question ' +
    'attempt_completion plan_mode_respond new_task submit_and_exit skills use_skill spawn_agent mark_goal_complete',
  agentTools: /^(?:task|agent|spawn_agent|team_(?:run_task|await_runs|read_mailbox))$/i,
  refused: REFUSED,
  tags:
    'environment_details|file_content|folder_content|url_content|system-reminder|explicit_instructions|git_working_state|' +
    'problems|terminal_output|user_command|mode_notice',
  repeats: true,
  more: { isMachine: false, last: null, imported: null },
  beside: () => BESIDE,
  begin: beginTask,
  unfold: unfoldTask,
  place: (record: Json, { facts }: Kept<Task>) => ({
    id: `${facts.session}:${textOf(record.id) ?? ''}`,
    time: isoTime(object(record.message).ts),
  }),
  read: readTask,
} satisfies Partial<Agent<Task>>;

export const cline = agent<Task>({
  ...tasks,
  agent: 'cline',
  title: 'Cline',
  places: [
    ...extension('saoudrizwan.claude-dev'),
    { env: 'CLINE_DATA_DIR', ...SESSIONS },
    { env: 'CLINE_DIR', below: 'data', ...SESSIONS },
  ],
  // A subagent's messages are in its parent session's folder.
  beside: (relative) =>
    isTask(relative)
      ? BESIDE
      : [...new Set([`${nameOf(relative)}.json`, `${relative.split('/').at(-2)}.json`])],
  begin: (name) => (isTask(name.relative) ? beginTask(name) : beginSession(name)),
  unfold: (content, { relative }) =>
    isTask(relative) ? unfoldTask(content) : unfoldSession(content),
  place: (record, kept) =>
    isObject(record.message)
      ? tasks.place(record, kept)
      : { id: placedIn(kept.facts.session, record.id), time: isoTime(record.ts) },
  read: (record, kept) =>
    isObject(record.message) ? readTask(record, kept) : readSession(record, kept),
});

export const roo = agent<Task>({
  ...tasks,
  agent: 'roo',
  title: 'Roo Code',
  places: extension('rooveterinaryinc.roo-cline'),
});

const task = agent<Task>({ ...tasks, agent: 'kilo', title: 'Kilo Code', places: [] }) as Adapter;
const database = family('kilo', 'Kilo Code', [
  { env: 'XDG_DATA_HOME', below: 'kilo', root: '.local/share/kilo', under: '' },
]) as Adapter;

/** Kilo Code: tasks of the extension, and since spring 2026 OpenCode's database. */
export const kilo: Adapter = {
  ...database,
  places: [...database.places, ...extension('kilocode.kilo-code')],
  beside: (relative) => (isTask(relative) ? BESIDE : (database.beside?.(relative) ?? [])),
  unfold: (content, name) =>
    (isTask(name.relative) ? task : database).unfold?.(content, name) ?? null,
  start: (name) => (isTask(name.relative) ? task : database).start(name),
  step: (state, record) => (object(state).more === null ? database : task).step(state, record),
};

function placedIn(session: string, id: unknown): string | null {
  return short(id) === null ? null : `${session}:${short(id)}`;
}

function isTask(relative: string): boolean {
  return relative.endsWith('ui_messages.json');
}

function nameOf(relative: string): string {
  return (relative.split('/').at(-1) ?? '').replace(/\.messages\.json$/, '');
}

function beginSession({ relative, beside = {} }: LogName) {
  const own = nameOf(relative);
  const root = relative.split('/').at(-2) ?? own;
  const isRoot = root === own;
  const head = parse(beside[`${own}.json`] ?? beside[`${root}.json`]);
  const { importedFrom, title } = object(head.metadata);
  const isMachine = isRoot && head.interactive === false;
  return {
    cwd: short(head.cwd) ?? short(head.workspace_root),
    title: isRoot ? short(title) : null,
    parent: isRoot ? null : root,
    ...(isMachine && { machine: true }),
    more: { isMachine, last: null, imported: isoTime(object(importedFrom).importedAt) },
  };
}

function unfoldSession(content: unknown): unknown[] | null {
  const { messages, ...head } = object(content);
  return textOf(head.sessionId) === null || !Array.isArray(messages)
    ? null
    : [{ head }, ...list(messages)];
}

function readSession(record: Json, { facts, more }: Kept<Task>): Event[] {
  if (isObject(record.head)) {
    const { sessionId, agent: by } = record.head;
    const subagent = textOf(by) !== null && by !== 'lead';
    return [{ is: 'session', session: short(sessionId), subagent }];
  }
  const time = isoTime(record.ts) ?? '';
  if (more.imported !== null && time <= more.imported) return [];
  const { kind, displayRole } = object(record.metadata);
  const text = contentText(record.content);
  if (/compaction/.test(textOf(kind) ?? '')) return [{ is: 'notice', text, mark: 'compaction' }];
  const isMade = MADE.test(textOf(kind) ?? textOf(displayRole) ?? '') || MADE_TEXT.test(text);
  if (isMade && record.role === 'assistant') return [{ is: 'notice', text }];
  const isChild = facts.subagent === true || !more.isMachine;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, cost } = object(
    record.metrics,
  );
  return [
    ...blockEvents(unwrapped(record), isMade || !isChild ? 'injected' : undefined).flatMap(
      (event) => operationsOf(event, list(record.content)),
    ),
    {
      ...{ is: 'usage', native: placedIn(facts.session, record.id), cost, output: outputTokens },
      // `inputTokens` includes tokens read from and written to the cache.
      input: count(inputTokens) - count(cacheReadTokens) - count(cacheWriteTokens),
      ...{ cacheRead: cacheReadTokens, cacheWrite: cacheWriteTokens },
      model: object(record.modelInfo).id,
    },
  ];
}

/**
 * A call may contain several operations, and its result lists all of them. Each command becomes a
 * separate call with its result.
 */
function operationsOf(event: Event, blocks: unknown[]): Event[] {
  if (event.is !== 'call' && event.is !== 'result') return [event];
  const { name, content } = object(blocks[Number(event.part)]);
  const nth = (at: number) =>
    at === 0 ? {} : { call: `${event.call}:${at}`, part: `${event.part}.${at}` };
  if (event.is === 'call') {
    const { commands } = object(event.input);
    if (event.tool !== 'run_commands' || commands === undefined) return [event];
    return [commands].flat().map((each, at) => {
      const { command, args } = object(each);
      const input = { command: isObject(each) ? [command, ...list(args)] : each };
      return { ...event, ...nth(at), input };
    });
  }
  const done = list(content).filter(isObject);
  if (!done.every(({ success }) => typeof success === 'boolean') || done.length === 0)
    return [event];
  const ends = done.map(({ result, error, success }, at) => {
    const text = [contentText(result), textOf(error) ?? '']
      .filter((part) => part !== '')
      .join('\n');
    return { ...event, ...nth(at), text, ok: event.ok && success === true };
  });
  const [text, ok] = [ends.map((end) => end.text).join('\n'), ends.every((end) => end.ok)];
  return name === 'run_commands' ? ends : [{ ...event, text, ok }];
}

/** Messages of the program, by kind, display or text. */
const MADE = /_(?:notice|reminder)$|^(?:system|status|error)$/;
const MADE_TEXT =
  /^(?:\[TASK RESUMPTION\]|The user approved switching to act mode\.|Are you sure you've completed the goal:)/;
/** Commands with the person's text; other commands have the program's text. */
const ASKED =
  /<user_command slash="(?:team|goal)">(?:spawn a team of agents for the following task: )?([\s\S]*?)<\/user_command>/g;

/** The person's words are in a tag that names their purpose. */
function unwrapped(message: Json): Json {
  if (message.role !== 'user') return message;
  const open = /<\/?(?:task|feedback|answer|user_message|user_input)(?:\s[^<>]*)?>/g;
  const plain = (text: unknown): unknown =>
    typeof text === 'string' ? text.replace(ASKED, '$1').replace(open, '') : text;
  const { content } = message;
  return {
    ...message,
    content: Array.isArray(content)
      ? content.map((block) =>
          isObject(block) && 'text' in block ? { ...block, text: plain(block.text) } : block,
        )
      : plain(content),
  };
}

function beginTask({ relative, beside = {} }: LogName) {
  const session = relative.split('/').at(-2) ?? '';
  const own = parse(beside['history_item.json']);
  const all = list(parseAny(beside['../../state/taskHistory.json'])).map(object);
  const listed = all.find(({ id }) => id === session) ?? {};
  const environments = list(parse(beside['task_metadata.json']).environment_history).map(object);
  const parent = short(own.parentTaskId) ?? short(listed.parentTaskId);
  return {
    ...{ session, parent, subagent: parent !== null },
    cwd: short(own.workspace) ?? short(listed.cwdOnTaskInitialization) ?? short(listed.workspace),
    version: short(environments.at(-1)?.cline_version),
  };
}

/**
 * The messages of a task as records `{id, message}`; a command includes its output. The id consists
 * of time, kind and, among equal ones, number.
 */
function unfoldTask(content: unknown): unknown[] | null {
  if (!Array.isArray(content)) return null;
  const counts = new Map<string, number>();
  const records: { id: string; message: Json; output?: string }[] = [];
  let command: (typeof records)[number] | null = null;
  for (const message of content.filter(isObject)) {
    const kind = kindOf(message);
    if (kind === 'command_output') {
      const text = textOf(message.text)?.trim() ?? '';
      if (command !== null && text !== '')
        command.output = command.output ? `${command.output}\n${text}` : text;
      continue;
    }
    const key = `${whole(message.ts) ?? 0}:${kind}`;
    const nth = counts.get(key) ?? 0;
    counts.set(key, nth + 1);
    const record = { id: nth === 0 ? key : `${key}:${nth}`, message };
    records.push(record);
    if (kind === 'command') command = record;
  }
  return records.length > 0 && records.every(({ message }) => kindOf(message) !== '')
    ? records
    : null;
}

function kindOf(message: Json): string {
  return textOf(message.say) ?? textOf(message.ask) ?? '';
}

/** Records that repeat or describe others, or only ask for permission to continue. */
const SILENT =
  /^(?:checkpoint_|api_req_(?:finished|failed|retr)|resume_|mistake_limit|auto_approval|shell_integration|task_progress$|error|diff_error|clineignore_error|rooignore_error|deleted_api_reqs|load_mcp|info$|hook|generate_explanation|mcp_notification|mcp_server_request_started|condense$|user_feedback_diff|codebase_search_result|browser_action_launch|interactive_app|report_bug|new_task$|conditional_rules|subagent|use_subagents|too_many_tools|image$|sliding_window)/;

function readTask(record: Json, { facts, more }: Kept<Task>): { events: Event[]; more: Task } {
  const message = object(record.message);
  const kind = kindOf(message);
  const text = textOf(message.text)?.trim() ?? '';
  const id = `${facts.session}:${textOf(record.id) ?? ''}`;
  const same = (...events: Event[]) => ({ events, more });
  if (textOf(record.id) === null || kind === '') return same({ is: 'unknown', type: 'record' });
  switch (kind) {
    case 'task':
    case 'user_feedback':
    case 'answer': {
      // If another task started this one, the first prompt comes from that task; later prompts were
      // typed.
      const child = facts.subagent === true && kind === 'task';
      return same({ is: 'prompt', text, by: child ? 'agent' : 'user', child });
    }
    case 'text':
    case 'completion_result':
      return same({ is: 'answer', text, final: kind !== 'text', child: false });
    case 'reasoning':
      return same({ is: 'thought', text });
    case 'followup':
    case 'plan_mode_respond': {
      const asked = parse(text);
      const asks = textOf(asked.question) ?? textOf(asked.response) ?? text;
      const mark = kind === 'followup' ? 'question' : null;
      return same({ is: 'answer', text: asks, mark, child: false });
    }
    case 'condense_context': {
      const summary = textOf(object(message.contextCondense).summary);
      return same({ is: 'notice', text: summary, mark: 'compaction' });
    }
    case 'command':
      return commandEvents(id, text, record, more);
    case 'tool':
    case 'use_mcp_server':
    case 'browser_action':
      return toolEvents(id, kind, text, more);
    case 'mcp_server_response':
    case 'browser_action_result': {
      const { call = null, tool = null } = more.last ?? {};
      return same({ is: 'result', call, tool, text, ok: null, exit: null, asked: null });
    }
    case 'api_req_started':
      return requestEvents(id, message, facts.cwd ?? null, more);
    default:
      return same(...(SILENT.test(kind) ? [] : [{ is: 'unknown', type: kind } as const]));
  }
}

type Events = { events: Event[]; more: Task };

function commandEvents(call: string, text: string, record: Json, more: Task): Events {
  const [tool, output] = ['execute_command', textOf(record.output) ?? ''];
  const input = { command: text.replace(/REQ_APP$/, '').trim() };
  const isOver = output !== '' || object(record.message).commandCompleted === true;
  return {
    events: [
      { is: 'call', call, tool, input, child: false },
      ...(isOver ? [{ is: 'result', part: 'result', call, text: output, ok: null } as const] : []),
    ],
    more: { ...more, last: { call, tool } },
  };
}

/** A tool of the extension as on the screen, an MCP server's tool, or the browser. */
function toolEvents(call: string, kind: string, text: string, more: Task): Events {
  const shown = parse(text);
  const isServer = kind === 'use_mcp_server';
  const server = `mcp__${textOf(shown.serverName) ?? ''}__${textOf(shown.toolName) ?? ''}`;
  const tool = short(isServer ? server : textOf(shown.tool)) ?? kind;
  const lines = changesOf(tool, textOf(shown.diff) ?? textOf(shown.content) ?? '');
  const own = { path: shown.path, query: shown.regex ?? shown.query, url: shown.url };
  const input = isServer ? (shown.arguments ?? shown.uri) : own;
  const isEmpty = Object.values(object(parseAny(input))).every((each) => textOf(each) === null);
  const changed = lines.length > 0 ? renderEdit(short(shown.path), lines) : null;
  const visibleText = changed ?? (isEmpty ? cutLines(text) : null);
  return {
    events: [
      {
        is: 'call',
        call,
        tool,
        input,
        child: false,
        ...(visibleText === null ? {} : { text: visibleText }),
      },
    ],
    more: { ...more, last: { call, tool } },
  };
}

/** Changed lines of a written file, or of search-and-replace blocks. */
function changesOf(tool: string, content: string): string[] {
  if (tool === 'newFileCreated') return linesOf(content).map((line) => `+${line}`);
  if (!/^(?:editedExistingFile|appliedDiff|searchAndReplace|insertContent)$/.test(tool)) return [];
  let sign = '';
  return linesOf(content).flatMap((line) => {
    const edge = /^(?:<{3,}|-{3,}|={3,}|>{3,}|\+{3,})(?: ?(?:SEARCH|REPLACE).*)?$/.exec(line)?.[0];
    if (edge === undefined)
      return sign === '' ? (/^[-+](?![-+]{2})/.test(line) ? [line] : []) : [`${sign}${line}`];
    if (edge.startsWith('=')) sign = '+';
    else if (/SEARCH/.test(edge)) sign = '-';
    else if (/REPLACE/.test(edge)) sign = '';
    return [];
  });
}

/**
 * A request to the model contains its tokens, the end of the last call, the folder, and whether the
 * person stopped the request.
 */
function requestEvents(native: string, message: Json, cwd: string | null, more: Task): Events {
  const request = parse(message.text);
  const asked = textOf(request.request) ?? '';
  const folder = /# Current (?:Working Directory|Workspace Directory) \(([^)\n]{1,4096})\)/;
  const text = /^\[[^\n]*\] Result:\s*([^\n]*)/.exec(asked)?.[1] ?? '';
  const isRefused = /^The user denied this operation/.test(text);
  const isFailed = /^(?:The tool execution failed|Error executing|<error>)/.test(text);
  const { last } = more;
  const events: Event[] = [{ is: 'session', cwd: cwd ?? short(folder.exec(asked)?.[1]) }];
  if (last !== null && (isRefused || isFailed))
    events.push({
      ...{ is: 'result', id: last.call, part: 'ended', call: last.call, text, ok: false },
      asked: { tool: last.tool, input: {} },
      outcome: isRefused ? 'rejected' : null,
      origin: last.tool.startsWith('mcp__') ? 'external' : 'tool',
    });
  if (request.cancelReason === 'user_cancelled') events.push({ is: 'notice', mark: 'interrupt' });
  events.push({
    ...{ is: 'usage', native, model: object(message.modelInfo).modelId, cost: request.cost },
    ...{ input: request.tokensIn, output: request.tokensOut },
    ...{ cacheRead: request.cacheReads, cacheWrite: request.cacheWrites },
  });
  return { events, more: { ...more, last: null } };
}
