/**
 * GitHub Copilot CLI and the desktop app: `$COPILOT_HOME` or `~/.copilot`, `session-state/<id>/events.jsonl` (before 1.0.11
 * flat `session-state/<id>.jsonl`). Lines `{type, data, id, timestamp, parentId}`, appended.
 *
 * - `user.message`: `content` is what was typed, `transformedContent` what the model received. A message with a `source` comes
 *   from the program (`system`, `instruction-discovery`, …), and a reminder is in `<system_notification>`.
 * - `assistant.message`: text, and the calls in `toolRequests`; only the answer's tokens are known.
 * - `tool.execution_complete`: `success`, and in a shell's text `<shellId: 8 completed with exit code 0>`. Either may report a
 *   failure.
 * - Events with `parentToolCallId` or `agentId` are a subagent's, in the same file.
 * - `tool.execution_start`, `hook.*`, `permission.*`, `system.message` and most of `session.*` repeat or describe.
 * - Lines are often broken (raw U+2028, line breaks in strings, torn lines joined with the next, NULs): the reader splits only
 *   at line feeds and finds the next whole object.
 */
import type { Adapter, RawEntry, LogRecord, SessionFacts, Step, Usage } from '../types.js';
import { rawEntryOf, exitIn } from './calls.js';
import {
  type Json,
  isObject,
  isoTime,
  list,
  object,
  short,
  text as textOf,
  whole,
} from './fields.js';
import { type Base, type OpenCall, addCall, askCall, endCall } from './open-calls.js';
import { readSaid, saidEntries } from './typed.js';

interface CopilotCliState {
  session: string | null;
  cwd: string | null;
  branch: string | null;
  calls: OpenCall[];
  /** Output of each model's answers since the session was started or resumed. */
  output: Record<string, number>;
}

const TAGS =
  'system_notification|system_reminder|system-reminder|current_datetime|skill-context|environment_context|reminder';

/** Tools of the CLI itself; any other belongs to an MCP server or a client. */
const OWN = new Set(
  (
    'bash read_bash write_bash stop_bash list_bash powershell read_powershell write_powershell stop_powershell shell ' +
    'view rg grep glob edit create str_replace_editor apply_patch sql task read_agent list_agents write_agent ' +
    'update_todo report_intent store_memory skill ask_user exit_plan_mode rename_session ' +
    'fetch_copilot_cli_documentation show_file lsp'
  ).split(' '),
);
const isOwn = (tool: string): boolean => OWN.has(tool);

const SILENT =
  /^(?:hook\.|permission\.|external_tool\.|session\.(?!start$|resume$|shutdown$|context_changed$|compaction_complete$|title_changed$)|subagent\.|skill\.|assistant\.(?:turn_|intent|usage|message_delta|streaming|reasoning_delta)|tool\.(?:execution_start|execution_progress|execution_partial|user_requested)|system\.|elicitation\.|mcp\.|command\.|user_input\.|exit_plan_mode\.|pending_messages)/;

export const copilotCli: Adapter<CopilotCliState> = {
  agent: 'copilot-cli',
  title: 'GitHub Copilot CLI',
  places: [
    {
      env: 'COPILOT_HOME',
      root: '.copilot',
      under: 'session-state',
      globs: ['*/events.jsonl', '*.jsonl'],
    },
  ],
  start: () => ({ session: null, cwd: null, branch: null, calls: [], output: {} }),
  step,
};

/** The result of one event. */
interface EventResult {
  state: CopilotCliState;
  rawEntries: RawEntry[];
  facts?: Omit<SessionFacts, 'session'>;
  usage?: Usage[];
  unknown?: string;
}

function step(before: CopilotCliState, { value }: LogRecord): Step<CopilotCliState> {
  if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
  const data = object(value.data);
  const state =
    value.type === 'session.start' || value.type === 'session.resume'
      ? { ...before, session: short(data.sessionId) ?? before.session }
      : before;
  const { facts, ...told } = stepEvent(state, value, data);
  const { session } = told.state;
  return { ...told, ...(facts && session !== null ? { session: { session, ...facts } } : {}) };
}

function stepEvent(state: CopilotCliState, event: Json, data: Json): EventResult {
  const native = short(event.id);
  const base: Base = {
    native,
    time: isoTime(event.timestamp),
    cwd: state.cwd,
    branch: state.branch,
  };
  const type = textOf(event.type) ?? 'none';
  switch (type) {
    case 'session.start':
    case 'session.resume':
      return { ...enter({ ...state, output: {} }, object(data.context)), facts: headOf(data) };
    case 'session.shutdown':
      return { state, rawEntries: [], usage: sumsOf(state, base, object(data.modelMetrics)) };
    case 'session.context_changed': {
      const entered = enter(state, data);
      return { ...entered, facts: { cwd: entered.state.cwd, branch: entered.state.branch } };
    }
    case 'session.title_changed':
      return { state, rawEntries: [], facts: { title: short(data.title) } };
    case 'user.message':
      return { state, rawEntries: promptOf(base, event, data) };
    case 'assistant.message':
      return stepAnswer(state, base, event, data);
    case 'assistant.reasoning': {
      const text = textOf(data.content);
      return {
        state,
        rawEntries:
          text === null ? [] : [rawEntryOf({ ...base, role: 'thinking', origin: 'agent', text })],
      };
    }
    case 'tool.execution_complete':
      return stepResult(state, base, data);
    case 'abort':
      return { state, rawEntries: [noticeOf(base, 'The user interrupted the turn.', 'interrupt')] };
    case 'session.compaction_complete':
      return {
        state,
        rawEntries: [
          noticeOf(
            base,
            textOf(data.summaryContent) ?? 'The conversation was compacted.',
            'compaction',
          ),
        ],
      };
    default:
      return {
        state,
        rawEntries: [],
        ...(SILENT.test(type) ? {} : { unknown: type.slice(0, 80) }),
      };
  }
}

function noticeOf(base: Base, text: string, mark: string): RawEntry {
  return rawEntryOf({ ...base, role: 'system', origin: 'injected', text, marks: [mark] });
}

function enter(state: CopilotCliState, context: Json): EventResult {
  const cwd = short(context.cwd) ?? state.cwd;
  return {
    state: { ...state, cwd, branch: short(context.branch) ?? state.branch },
    rawEntries: [],
  };
}

function headOf(data: Json): Omit<SessionFacts, 'session'> {
  const context = object(data.context);
  const repository = short(context.repository);
  return {
    cwd: short(context.cwd),
    branch: short(context.branch),
    version: short(data.copilotVersion),
    remote:
      repository === null ? null : `${short(context.repositoryHost) ?? 'github.com'}/${repository}`,
  };
}

function isChild(event: Json, data: Json): boolean {
  return (
    textOf(data.parentToolCallId) !== null ||
    textOf(event.agentId) !== null ||
    textOf(data.agentId) !== null
  );
}

function promptOf(base: Base, event: Json, data: Json): RawEntry[] {
  const text = textOf(data.content) ?? '';
  const child = isChild(event, data);
  const source = textOf(data.source);
  const isMade = source !== null && source !== 'user';
  const said = readSaid(text, TAGS, child ? 'agent' : isMade ? 'injected' : 'user');
  return saidEntries(base, said, child ? ['subagent'] : []);
}

function stepAnswer(before: CopilotCliState, base: Base, event: Json, data: Json): EventResult {
  let state = before;
  const rawEntries: RawEntry[] = [];
  const child = isChild(event, data) ? ['subagent'] : [];
  const requests = list(data.toolRequests).filter(isObject);
  const told = (block: string): Base => ({
    ...base,
    native: base.native === null ? null : `${base.native}:${block}`,
  });
  const thought = textOf(data.reasoningText);
  if (thought !== null)
    rawEntries.push(
      rawEntryOf({ ...told('thinking'), role: 'thinking', origin: 'agent', text: thought }),
    );
  const text = textOf(data.content)?.trim() ?? '';
  const marks = [...child, ...(data.phase === 'final_answer' ? ['final'] : [])];
  if (text !== '')
    rawEntries.push(rawEntryOf({ ...base, role: 'assistant', origin: 'agent', text, marks }));
  requests.forEach((request, at) => {
    const tool = short(request.name) ?? 'unknown';
    const call = { id: short(request.toolCallId), tool, input: request.arguments };
    const { raw, open } = askCall({ ...told(String(at)), marks: child }, call, isOwn(tool));
    rawEntries.push(raw);
    state = { ...state, calls: addCall(state.calls, open) };
  });
  const output = whole(data.outputTokens) ?? 0;
  const id = short(data.messageId) ?? base.native;
  if (id === null || output === 0) return { state, rawEntries };
  const model = short(data.model);
  const counted = Object.entries({
    ...state.output,
    [model ?? '']: (state.output[model ?? ''] ?? 0) + output,
  });
  return {
    state: { ...state, output: Object.fromEntries(counted.slice(-MOST_MODELS)) },
    rawEntries,
    usage: [{ ...NO_TOKENS, native: id, time: base.time, model, output }],
  };
}

const NO_TOKENS = {
  ...{ input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 },
  cost: null,
};
const MOST_MODELS = 16;

/**
 * Tokens of each model since the start or resume, as a shutdown sums them up: the answers have only
 * their output. `inputTokens` includes what the cache gave and took.
 */
function sumsOf(state: CopilotCliState, { native, time }: Base, models: Json): Usage[] {
  if (native === null) return [];
  return Object.entries(models).map(([model, metrics]): Usage => {
    const usage = object(object(metrics).usage);
    const count = (value: unknown): number => Math.max(0, whole(value) ?? 0);
    const [cacheRead, cacheWrite] = [count(usage.cacheReadTokens), count(usage.cacheWriteTokens)];
    return {
      ...{ native: `${native}:${model.slice(0, 200)}`, time, model: short(model), cost: null },
      input: Math.max(0, count(usage.inputTokens) - cacheRead - cacheWrite),
      cacheRead,
      cacheWrite,
      output: Math.max(0, count(usage.outputTokens) - (state.output[model] ?? 0)),
      reasoning: count(usage.reasoningTokens),
    };
  });
}

function stepResult(state: CopilotCliState, base: Base, data: Json): EventResult {
  const error = object(data.error);
  const text = textOf(object(data.result).content) ?? textOf(error.message) ?? '';
  const refused =
    /^(?:denied|rejected)/.test(textOf(error.code) ?? '') ||
    /^The user rejected this tool call/.test(text);
  const ok = typeof data.success === 'boolean' ? data.success : null;
  const call = short(data.toolCallId);
  const tool = state.calls.find((open) => open.id === call)?.tool ?? null;
  const ending = {
    call,
    tool,
    text,
    ok,
    exit: tool === null || /bash|shell/.test(tool) ? exitIn(text) : null,
    ...(refused ? { outcome: 'rejected' as const } : {}),
    ...(tool === 'task' || tool === 'read_agent' ? { origin: 'agent' as const } : {}),
  };
  const { raw, calls } = endCall(base, state.calls, ending, isOwn);
  return { state: { ...state, calls }, rawEntries: [raw] };
}
