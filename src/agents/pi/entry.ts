import type { RawEntry, Origin, Outcome, SessionFacts, Step, Usage } from '../../types.js';
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
import { type Base, type OpenCall, addCall, askCall, endCall } from '../open-calls.js';
import { contentText, readSaid, saidEntries } from '../typed.js';

export interface PiState {
  session: string | null;
  cwd: string | null;
  /** Another session started this one: its prompts are the parent agent's. */
  child: boolean;
  /** Records before this time were copied from the session that this one was forked from. */
  forked: string | null;
  calls: OpenCall[];
}

export function startState(): PiState {
  return { session: null, cwd: null, child: false, forked: null, calls: [] };
}

/** Bookkeeping, and records that extensions keep for themselves. */
const SILENT = new Set(
  (
    'model_change thinking_level_change custom label credential_pin service_tier_change mode_change leaf ' +
    'tool_selection mcp_tool_selection ttsr_injection session_exit active_tools_change'
  ).split(' '),
);

/** Tools of the agents themselves; any other belongs to an extension or an MCP server. */
const OWN = new Set(
  (
    'bash read write edit grep find ls glob lsp ask ask_user task todo todo_write yield eval python exec process ' +
    'notebook ast_grep ast_edit debug job await exit_plan_mode resolve submit_result ssh run_terminal edit_file ' +
    'memory_search memory_get commit sessions_list sessions_history session_status'
  ).split(' '),
);
const isOwn = (tool: string): boolean => OWN.has(tool);

const TAGS =
  'skill|system-reminder|system_reminder|system-notice|system-notification|file|context|environment_context';
/** What OpenClaw's heartbeat and timers send in the user's channel. */
const TIMER =
  /^\s*(?:\[cron:|Read HEARTBEAT\.md|System: \[|\(session bootstrap\)|A new session was started via)/;

type LineResult = Pick<Step<PiState>, 'state' | 'rawEntries' | 'usage' | 'unknown'> & {
  facts?: Omit<SessionFacts, 'session'>;
};

/** @param value a line, or a row that contains one */
export function stepEntry(before: PiState, value: unknown): Step<PiState> {
  const row = isObject(value) && typeof value.event === 'string' ? value : null;
  const entry = row === null ? value : parse(row.event as string);
  if (!isObject(entry)) return { state: before, rawEntries: [], unknown: 'record' };
  const session = row === null ? before.session : short(row.session);
  const state = session === before.session ? before : { ...startState(), session };
  const { facts, ...told } = stepLine(state, entry);
  const entered = told.state.session !== before.session;
  if ((facts === undefined && !entered) || told.state.session === null) return told;
  return { ...told, session: { session: told.state.session, ...facts } };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

function stepLine(state: PiState, entry: Json): LineResult {
  const time = isoTime(entry.timestamp) ?? isoTime(object(entry.message).timestamp);
  const id = short(entry.id);
  const base: Base = { native: id === null ? null : `${id}@${time ?? ''}`, time, cwd: state.cwd };
  const type = textOf(entry.type) ?? 'none';
  switch (type) {
    case 'session':
      return stepHead(state, entry);
    case 'session_init':
      return { state: { ...state, child: true }, rawEntries: [], facts: { subagent: true } };
    case 'title':
    case 'title_change':
      return { state, rawEntries: [], facts: { title: short(entry.title) } };
    case 'session_info':
      return { state, rawEntries: [], facts: { title: short(entry.name) } };
    case 'message':
      return markCopied(stepMessage(state, base, object(entry.message)));
    case 'compaction':
    case 'branch_summary': {
      const text = textOf(entry.summary) ?? 'The conversation was compacted.';
      return markCopied({
        state,
        rawEntries: [
          rawEntryOf({ ...base, role: 'system', origin: 'injected', text, marks: ['compaction'] }),
        ],
      });
    }
    case 'custom_message':
      return markCopied({ state, rawEntries: injected(base, contentText(entry.content)) });
    default:
      return { state, rawEntries: [], ...(SILENT.has(type) ? {} : { unknown: type.slice(0, 80) }) };
  }
}

/** A fork starts with the records of its parent session, with their ids and times. */
function markCopied(told: LineResult): LineResult {
  const { forked } = told.state;
  if (forked === null) return told;
  return {
    ...told,
    rawEntries: told.rawEntries.map((raw) =>
      (raw.time ?? forked) < forked ? { ...raw, copied: true } : raw,
    ),
  };
}

function stepHead(before: PiState, entry: Json): LineResult {
  const from = short(entry.parentSession) ?? short(entry.branchedFrom);
  const parent = from === null ? null : (/([^/\\_]+?)(?:\.jsonl)?$/.exec(from)?.[1] ?? null);
  const state: PiState = {
    ...before,
    session: short(entry.id) ?? before.session,
    cwd: short(entry.cwd) ?? before.cwd,
    forked: parent === null ? null : isoTime(entry.timestamp),
  };
  return {
    state,
    rawEntries: [],
    facts: { cwd: state.cwd, ...(parent === null ? {} : { parent }) },
  };
}

function injected(base: Base, text: string, role: RawEntry['role'] = 'system'): RawEntry[] {
  return text.trim() === ''
    ? []
    : [rawEntryOf({ ...base, role, origin: 'injected', text: text.trim() })];
}

function stepMessage(state: PiState, base: Base, message: Json): LineResult {
  switch (message.role) {
    case 'user':
      return { state, rawEntries: promptOf(state, base, message) };
    case 'assistant':
      return stepAnswer(state, base, message);
    case 'toolResult':
      return stepResult(state, base, message);
    case 'bashExecution':
    case 'pythonExecution':
      return { state, rawEntries: typedCommand(base, message) };
    case 'developer':
    case 'system':
    case 'custom':
    case 'hookMessage':
    case 'fileMention':
      return { state, rawEntries: injected(base, contentText(message.content), 'user') };
    case 'branchSummary':
    case 'compactionSummary':
      return { state, rawEntries: [] };
    default:
      return {
        state,
        rawEntries: [],
        unknown: `message:${textOf(message.role) ?? 'none'}`.slice(0, 80),
      };
  }
}

function promptOf(state: PiState, base: Base, message: Json): RawEntry[] {
  const byAgent = state.child || message.attribution === 'agent';
  const text = contentText(message.content);
  const typist: Origin = byAgent
    ? 'agent'
    : TIMER.test(text) || message.synthetic === true
      ? 'injected'
      : 'user';
  return saidEntries(base, readSaid(text, TAGS, typist), byAgent ? ['subagent'] : []);
}

function stepAnswer(before: PiState, base: Base, message: Json): LineResult {
  let state = before;
  const rawEntries: RawEntry[] = [];
  const blocks =
    typeof message.content === 'string'
      ? [{ type: 'text', text: message.content }]
      : list(message.content);
  const child = state.child ? ['subagent'] : [];
  let unknown: string | undefined;
  blocks.filter(isObject).forEach((block, at) => {
    const place: Base = {
      ...base,
      native: base.native === null ? null : `${base.native}:${at}`,
      marks: child,
    };
    const text = (textOf(block.text) ?? textOf(block.thinking) ?? '').trim();
    if (block.type === 'toolCall') {
      const tool = short(block.name) ?? 'unknown';
      const { raw, open } = askCall(
        place,
        { id: short(block.id), tool, input: block.arguments },
        isOwn(tool),
      );
      rawEntries.push(raw);
      state = { ...state, calls: addCall(state.calls, open) };
    } else if (block.type === 'thinking' && text !== '')
      rawEntries.push(rawEntryOf({ ...place, role: 'thinking', origin: 'agent', text }));
    else if (block.type === 'text' && text !== '') {
      const marks = [...child, ...(message.stopReason === 'stop' ? ['final'] : [])];
      rawEntries.push(rawEntryOf({ ...place, role: 'assistant', origin: 'agent', text, marks }));
    } else if (block.type !== 'thinking' && block.type !== 'text' && block.type !== 'image')
      unknown = `block:${textOf(block.type) ?? 'none'}`.slice(0, 80);
  });
  if (message.stopReason === 'aborted') {
    const native = base.native === null ? null : `${base.native}:abort`;
    const text = 'The user interrupted the turn.';
    rawEntries.push(
      rawEntryOf({
        ...base,
        native,
        role: 'system',
        origin: 'injected',
        text,
        marks: ['interrupt'],
      }),
    );
  }
  const usage = usageOf(base, message);
  return {
    state,
    rawEntries,
    ...(usage === null ? {} : { usage: [usage] }),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

/** Pi does not include cached tokens in `input`, and includes reasoning in `output`. */
function usageOf(base: Base, message: Json): Usage | null {
  const used = object(message.usage);
  const count = (value: unknown): number => Math.max(0, whole(value) ?? 0);
  const native =
    base.native ??
    (base.time === null ? null : `${base.time}:${count(used.input)}:${count(used.output)}`);
  const total = object(used.cost).total;
  const tokens = {
    input: count(used.input),
    cacheRead: count(used.cacheRead),
    cacheWrite: count(used.cacheWrite),
    output: count(used.output),
  };
  if (native === null || Object.values(tokens).every((each) => each === 0)) return null;
  const cost = typeof total === 'number' && total > 0 ? total : null;
  const reasoning = count(used.reasoningTokens ?? used.reasoning);
  return { native, time: base.time, model: short(message.model), ...tokens, reasoning, cost };
}

function stepResult(state: PiState, base: Base, message: Json): LineResult {
  const text = contentText(message.content);
  const tool = short(message.toolName);
  const failed = message.isError === true;
  const end = text.slice(-200);
  const outcome: Outcome | null = /^User (?:denied|rejected|declined)/.test(text)
    ? 'rejected'
    : failed && /(?:Command|Operation|Request was) aborted\.?\s*$/.test(end)
      ? 'interrupted'
      : null;
  const ending = {
    call: short(message.toolCallId),
    tool,
    text,
    ok: typeof message.isError === 'boolean' ? !failed : null,
    exit:
      failed && tool !== null && /bash|exec|terminal|python|eval/.test(tool) ? exitIn(text) : null,
    outcome: failed ? outcome : null,
    ...(tool === 'task' ? { origin: 'agent' as const } : {}),
  };
  const { raw, calls } = endCall(base, state.calls, ending, isOwn);
  return { state: { ...state, calls }, rawEntries: [raw] };
}

/** A command that the person typed with `!`. */
function typedCommand(base: Base, message: Json): RawEntry[] {
  const command = textOf(message.command) ?? textOf(message.code) ?? '';
  if (command === '') return [];
  const part = (name: string): Base => ({
    ...base,
    native: base.native === null ? null : `${base.native}:${name}`,
  });
  const call = base.native ?? `!${base.time ?? ''}`;
  const { raw, open } = askCall(part('call'), { id: call, tool: 'bash', input: { command } }, true);
  const exit = whole(message.exitCode);
  const ending = {
    call,
    tool: 'bash',
    text: textOf(message.output) ?? '',
    exit,
    ok: exit === null ? null : exit === 0,
    outcome: message.cancelled === true ? ('interrupted' as const) : null,
  };
  const { raw: result } = endCall(part('result'), [open], ending, isOwn);
  return [
    { ...raw, origin: 'user' },
    { ...result, command },
  ];
}
