import type { Adapter, LogName, LogRecord, LogPlace, Step } from '../../types.js';
import { readBlocks } from '../blocks/index.js';
import { type Json, isObject, isoTime, list, object, short, text as textOf } from '../fields.js';
import type { OpenCall } from '../open-calls.js';
import { family } from '../opencode/index.js';
import { BESIDE, TAGS, type TaskState, parse, startTask, stepTask, unfoldTask } from './task.js';

/** Editors that run VS Code's extensions; a name may be longer, such as `Code - Insiders`. */
const EDITORS = ['Code', 'VSCodium', 'Cursor', 'Windsurf'];

/** Where editors store an extension's data on Linux, macOS, Windows and remote machines. */
function extension(id: string): LogPlace[] {
  const globs = [`${id}/tasks/*/ui_messages.json`];
  const under = '';
  return [
    ...EDITORS.flatMap((name) => {
      const below = `${name}*/User/globalStorage`;
      return [
        { env: 'XDG_CONFIG_HOME', below, root: `.config/${below}`, under, globs },
        { env: null, root: `Library/Application Support/${below}`, under, globs },
        { env: null, root: `AppData/Roaming/${below}`, under, globs },
      ];
    }),
    {
      env: null,
      root: '.vscode-server*/data/User',
      under,
      globs: globs.map((glob) => `globalStorage/${glob}`),
    },
  ];
}

/** A session since 4.0: its head and messages are in two files. */
interface SessionState {
  session: string | null;
  cwd: string | null;
  title: string | null;
  machine: boolean;
  child: boolean;
  calls: OpenCall[];
}

const SESSIONS = 'sessions/*/*.messages.json';

/** Cline; README.md beside this file describes it and its forks. */
export const cline: Adapter<TaskState | SessionState> = {
  agent: 'cline',
  title: 'Cline',
  places: [
    ...extension('saoudrizwan.claude-dev'),
    {
      env: 'CLINE_DATA_DIR',
      root: '.cline/data',
      under: '',
      globs: ['tasks/*/ui_messages.json', SESSIONS],
    },
    {
      env: 'CLINE_DIR',
      below: 'data',
      root: '.cline/data',
      under: '',
      globs: ['tasks/*/ui_messages.json', SESSIONS],
    },
  ],
  beside: (relative) => (isTask(relative) ? BESIDE : [`${sessionOf(relative)}.json`]),
  unfold: (content, { relative }) =>
    isTask(relative) ? unfoldTask(content) : unfoldSession(content),
  start: (name) => (isTask(name.relative) ? startTask(name) : startSession(name)),
  step: (state, record) => ('task' in state ? stepTask(state, record) : stepSession(state, record)),
};

/** Roo Code, and the first Kilo Code: Cline's tasks with a `history_item.json` beside each. */
export const roo: Adapter<TaskState> = {
  agent: 'roo',
  title: 'Roo Code',
  places: extension('rooveterinaryinc.roo-cline'),
  beside: () => BESIDE,
  unfold: unfoldTask,
  start: startTask,
  step: stepTask,
};

const database = family('kilo', 'Kilo Code', [
  { env: 'XDG_DATA_HOME', below: 'kilo', root: '.local/share/kilo', under: '' },
]) as Adapter;

/** Kilo Code: tasks of the extension, and since spring 2026 OpenCode's database. */
export const kilo: Adapter = {
  ...database,
  places: [...database.places, ...extension('kilocode.kilo-code')],
  beside: (relative) => (isTask(relative) ? BESIDE : (database.beside?.(relative) ?? [])),
  unfold: (content, name) =>
    isTask(name.relative) ? unfoldTask(content) : (database.unfold?.(content, name) ?? null),
  start: (name) => (isTask(name.relative) ? startTask(name) : database.start(name)),
  step: (state, record) =>
    isTaskState(state) ? stepTask(state, record) : database.step(state, record),
};

function isTaskState(state: unknown): state is TaskState {
  return isObject(state) && 'task' in state;
}

function isTask(relative: string): boolean {
  return relative.endsWith('ui_messages.json');
}

function sessionOf(relative: string): string {
  return (relative.split('/').at(-1) ?? '').replace(/\.messages\.json$/, '');
}

function startSession({ relative, beside = {} }: LogName): SessionState {
  const head = parse(beside[`${sessionOf(relative)}.json`]);
  return {
    session: null,
    cwd: short(head.cwd) ?? short(head.workspace_root),
    title: short(object(head.metadata).title),
    machine: head.interactive === false,
    child: false,
    calls: [],
  };
}

function unfoldSession(content: unknown): unknown[] | null {
  const { messages, ...head } = object(content);
  return textOf(head.sessionId) === null || !Array.isArray(messages)
    ? null
    : [{ head }, ...list(messages)];
}

/** Cline's own tools, old and new; any other belongs to an MCP server. */
const OWN = new Set(
  (
    'execute_command bash run_commands read_file read_files write_to_file replace_in_file editor apply_patch ' +
    'edit_file search_files search_codebase list_files list_code_definition_names ask_followup_question ask_question ' +
    'attempt_completion plan_mode_respond new_task submit_and_exit skills use_skill'
  ).split(' '),
);

function stepSession(before: SessionState, { value }: LogRecord): Step<SessionState> {
  if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
  if (isObject(value.head)) return enter(before, value.head);
  if (value.role !== 'user' && value.role !== 'assistant')
    return {
      state: before,
      rawEntries: [],
      unknown: `message:${textOf(value.role) ?? 'none'}`.slice(0, 80),
    };
  const id = short(value.id);
  const base = {
    native: id === null ? null : `${before.session ?? ''}:${id}`,
    time: isoTime(value.ts),
    cwd: before.cwd,
  };
  const { child } = before;
  const told = readBlocks(base, before.calls, unwrapped(value), {
    isOwn: (tool) => OWN.has(tool),
    tags: TAGS,
    typist: child ? 'agent' : before.machine ? 'injected' : 'user',
    marks: child ? ['subagent'] : [],
    isFinal: true,
  });
  const { calls, ...rest } = told;
  return { ...rest, state: { ...before, calls } };
}

/** The person's words are in a tag that names their purpose. */
function unwrapped(message: Json): Json {
  const open = /<\/?(?:task|feedback|answer|user_message|user_input)(?:\s[^<>]*)?>/g;
  if (message.role !== 'user') return message;
  if (typeof message.content === 'string')
    return { ...message, content: message.content.replace(open, '') };
  const content = list(message.content).map((block) => {
    const text = textOf(object(block).text);
    return text === null ? block : { ...object(block), text: text.replace(open, '') };
  });
  return { ...message, content };
}

function enter(before: SessionState, head: Json): Step<SessionState> {
  const session = short(head.sessionId);
  const agent = textOf(head.agent);
  const state = { ...before, session, child: agent !== null && agent !== 'lead' };
  if (session === null) return { state, rawEntries: [] };
  const { cwd, title, machine, child } = state;
  const facts = {
    session,
    cwd,
    title,
    ...(machine ? { machine } : {}),
    ...(child ? { subagent: true } : {}),
  };
  return { state, rawEntries: [], session: facts };
}
