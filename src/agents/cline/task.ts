import type { RawEntry, LogName, LogRecord, SessionFacts, Step, Usage } from '../../types.js';
import { rawEntryOf, exitIn } from '../calls.js';
import { cutLines, renderEdit } from '../edits.js';
import {
  type Json,
  isObject,
  isoTime,
  list,
  object,
  short,
  text as textOf,
  whole,
  linesOf,
} from '../fields.js';
import { type Base, askCall, endCall } from '../open-calls.js';
import { readSaid, saidEntries } from '../typed.js';

/** A task of the extensions: what its folder and the files beside it say. */
export interface TaskState {
  task: string;
  cwd: string | null;
  parent: string | null;
  version: string | null;
  told: boolean;
  /** The id and tool of the last call, for a refusal that follows. */
  last: { call: string; tool: string } | null;
}

/** Files beside `ui_messages.json`. */
export const BESIDE = ['task_metadata.json', 'history_item.json', '../../state/taskHistory.json'];

export const TAGS =
  'environment_details|file_content|folder_content|url_content|system-reminder|explicit_instructions|git_working_state|' +
  'problems|terminal_output';

export function startTask({ relative, beside = {} }: LogName): TaskState {
  const task = relative.split('/').at(-2) ?? '';
  const own = parse(beside['history_item.json']);
  const all = list(parseAny(beside['../../state/taskHistory.json'])).map(object);
  const listed = all.find((each) => each.id === task) ?? {};
  const environments = list(parse(beside['task_metadata.json']).environment_history).map(object);
  return {
    task,
    cwd: short(own.workspace) ?? short(listed.cwdOnTaskInitialization) ?? short(listed.workspace),
    parent: short(own.parentTaskId) ?? short(listed.parentTaskId),
    version: short(environments.at(-1)?.cline_version),
    told: false,
    last: null,
  };
}

function parseAny(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? 'null');
  } catch {
    return null;
  }
}

export function parse(json: unknown): Json {
  return typeof json === 'string' ? object(parseAny(json)) : {};
}

/**
 * The messages of a task as records `{id, message}`. The output of a command, which comes in many
 * pieces, is attached to the command. A message's id is its time, kind and, among equal ones, its
 * number.
 */
export function unfoldTask(content: unknown): unknown[] | null {
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

/** Records that repeat, describe, or only ask for permission to continue. */
const SILENT =
  /^(?:checkpoint_|api_req_(?:finished|failed|retr)|resume_|mistake_limit|auto_approval|shell_integration|task_progress$|error|diff_error|clineignore_error|rooignore_error|deleted_api_reqs|load_mcp|info$|hook|generate_explanation|mcp_notification|mcp_server_request_started|condense$|user_feedback_diff|codebase_search_result|browser_action_launch|interactive_app|report_bug|new_task$|conditional_rules|subagent|use_subagents|too_many_tools|image$|sliding_window)/;

/** The person's own words. */
const TYPED = new Set(['task', 'user_feedback', 'answer']);

export function stepTask(before: TaskState, { value }: LogRecord): Step<TaskState> {
  const record = object(value);
  const message = object(record.message);
  const id = textOf(record.id);
  const kind = kindOf(message);
  if (id === null || kind === '') return { state: before, rawEntries: [], unknown: 'record' };
  const request = kind === 'api_req_started' ? parse(message.text) : null;
  const cwd = before.cwd ?? folderIn(textOf(request?.request));
  const state: TaskState = { ...before, cwd, told: true };
  const base: Base = { native: `${state.task}:${id}`, time: isoTime(message.ts), cwd };
  const isNew = !before.told || cwd !== before.cwd;
  const told =
    request === null
      ? stepMessage(state, base, kind, record)
      : stepRequest(state, base, message, request);
  return isNew ? { ...told, session: factsOf(told.state) } : told;
}

function factsOf({ task, cwd, version, parent }: TaskState): SessionFacts {
  return { session: task, cwd, version, ...(parent === null ? {} : { parent, subagent: true }) };
}

/** The folder as the model saw it. */
function folderIn(request: string | null): string | null {
  return short(
    /# Current (?:Working Directory|Workspace Directory) \(([^)\n]{1,4096})\)/.exec(
      request ?? '',
    )?.[1],
  );
}

function stepMessage(state: TaskState, base: Base, kind: string, record: Json): Step<TaskState> {
  const message = object(record.message);
  const text = textOf(message.text)?.trim() ?? '';
  const same = (rawEntries: RawEntry[]): Step<TaskState> => ({ state, rawEntries });
  if (TYPED.has(kind)) {
    // The first words of a task that another task started come from there; later ones were typed.
    const child = state.parent !== null && kind === 'task';
    return same(
      saidEntries(base, readSaid(text, TAGS, child ? 'agent' : 'user'), child ? ['subagent'] : []),
    );
  }
  switch (kind) {
    case 'text':
    case 'completion_result': {
      const marks = kind === 'text' ? [] : ['final'];
      return same(
        text === ''
          ? []
          : [rawEntryOf({ ...base, role: 'assistant', origin: 'agent', text, marks })],
      );
    }
    case 'reasoning':
      return same(
        text === '' ? [] : [rawEntryOf({ ...base, role: 'thinking', origin: 'agent', text })],
      );
    case 'followup':
    case 'plan_mode_respond': {
      const asked = parse(message.text);
      const said = textOf(asked.question) ?? textOf(asked.response) ?? text;
      const marks = kind === 'followup' ? ['question'] : [];
      return same(
        said === ''
          ? []
          : [rawEntryOf({ ...base, role: 'assistant', origin: 'agent', text: said, marks })],
      );
    }
    case 'condense_context': {
      const summary =
        textOf(object(message.contextCondense).summary) ?? 'The conversation was compacted.';
      return same([
        rawEntryOf({
          ...base,
          role: 'system',
          origin: 'injected',
          text: summary,
          marks: ['compaction'],
        }),
      ]);
    }
    case 'command':
      return stepCommand(state, base, text, record);
    case 'tool':
    case 'use_mcp_server':
    case 'browser_action':
      return stepTool(state, base, kind, parse(message.text), text);
    case 'mcp_server_response':
    case 'browser_action_result':
      return stepResponse(state, base, text);
    default:
      return { ...same([]), ...(SILENT.test(kind) ? {} : { unknown: kind.slice(0, 80) }) };
  }
}

function stepCommand(before: TaskState, base: Base, text: string, record: Json): Step<TaskState> {
  const command = text.replace(/REQ_APP$/, '').trim();
  const call = base.native ?? '';
  const state = { ...before, last: { call, tool: 'execute_command' } };
  const { raw, open } = askCall(
    base,
    { id: call, tool: 'execute_command', input: { command } },
    true,
  );
  const output = textOf(record.output) ?? '';
  if (output === '' && object(record.message).commandCompleted !== true)
    return { state, rawEntries: [raw] };
  const result: Base = { ...base, native: `${call}:result` };
  const ending = { call, tool: 'execute_command', text: output, ok: null, exit: exitIn(output) };
  const { raw: ended } = endCall(result, [open], ending, () => true);
  return { state, rawEntries: [raw, { ...ended, command: raw.command }] };
}

/** A tool of the extension as shown on the screen, an MCP server's, or the browser. */
function stepTool(
  before: TaskState,
  base: Base,
  kind: string,
  told: Json,
  text: string,
): Step<TaskState> {
  const server =
    kind === 'use_mcp_server'
      ? `mcp__${textOf(told.serverName) ?? ''}__${textOf(told.toolName) ?? ''}`
      : null;
  const tool = short(server ?? textOf(told.tool)) ?? kind;
  const call = base.native ?? '';
  const state = { ...before, last: { call, tool } };
  const path = short(told.path);
  const lines = changesOf(tool, textOf(told.diff) ?? textOf(told.content) ?? '');
  const input =
    server === null
      ? { path: told.path, query: told.regex ?? told.query, url: told.url }
      : (told.arguments ?? told.uri);
  const { raw } = askCall(
    base,
    { id: call, tool, input: typeof input === 'string' ? input : object(input) },
    server === null,
  );
  if (lines.length > 0) return { state, rawEntries: [{ ...raw, text: renderEdit(path, lines) }] };
  return { state, rawEntries: [raw.text === '' ? { ...raw, text: cutLines(text) } : raw] };
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
    sign = edge.startsWith('=')
      ? '+'
      : /SEARCH/.test(edge)
        ? '-'
        : /REPLACE/.test(edge)
          ? ''
          : sign;
    return [];
  });
}

function stepResponse(state: TaskState, base: Base, text: string): Step<TaskState> {
  const ending = { call: state.last?.call ?? null, tool: state.last?.tool ?? null, text, ok: null };
  return { state, rawEntries: [endCall(base, [], ending, () => false).raw] };
}

/**
 * A request to the model contains its tokens, how the last call ended, and whether the person
 * stopped it.
 */
function stepRequest(before: TaskState, base: Base, message: Json, request: Json): Step<TaskState> {
  const rawEntries: RawEntry[] = [];
  const answer = /^\[[^\n]*\] Result:\s*([^\n]*)/.exec(textOf(request.request) ?? '')?.[1] ?? '';
  const refused = /^The user denied this operation/.test(answer);
  const failed = /^(?:The tool execution failed|Error executing|<error>)/.test(answer);
  const { last } = before;
  if (last !== null && (refused || failed)) {
    const result: Base = { ...base, native: `${last.call}:ended` };
    const ending = {
      ...last,
      text: answer,
      ok: false,
      ...(refused ? { outcome: 'rejected' as const } : {}),
    };
    const open = { id: last.call, tool: last.tool, command: null, files: [], web: false };
    rawEntries.push(endCall(result, [open], ending, (tool) => !tool.startsWith('mcp__')).raw);
  }
  if (request.cancelReason === 'user_cancelled') {
    const text = 'The user interrupted the turn.';
    rawEntries.push(
      rawEntryOf({ ...base, role: 'system', origin: 'injected', text, marks: ['interrupt'] }),
    );
  }
  const usage = usageOf(base, message, request);
  return {
    state: { ...before, last: null },
    rawEntries,
    ...(usage === null ? {} : { usage: [usage] }),
  };
}

function usageOf({ native, time }: Base, message: Json, request: Json): Usage | null {
  const count = (value: unknown): number => Math.max(0, whole(value) ?? 0);
  const [input, output, cacheRead, cacheWrite] = [
    request.tokensIn,
    request.tokensOut,
    request.cacheReads,
    request.cacheWrites,
  ].map(count) as [number, number, number, number];
  if (native === null || input + output + cacheRead + cacheWrite === 0) return null;
  const model = short(object(message.modelInfo).modelId);
  const cost = typeof request.cost === 'number' && request.cost > 0 ? request.cost : null;
  return { native, time, model, input, cacheRead, cacheWrite, output, reasoning: 0, cost };
}
