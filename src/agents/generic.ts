/**
 * Sessions of an unknown agent: JSON lines, read by the field names that most agents use. Off until
 * the config names a folder (`agents.roots: {generic: [...]}`); `status --check` lists candidates.
 */
import type { Adapter, RawEntry, LogRecord, Role, Step } from '../types.js';
import { rawEntryOf, exitIn, readToolCall } from './calls.js';
import {
  type Json,
  dropBinary,
  isObject,
  isoTime,
  list,
  object,
  short,
  text as textOf,
  whole,
} from './fields.js';
import { originOf } from './open-calls.js';
import { typedEntries } from './typed.js';

interface GenericState {
  session: string | null;
  cwd: string | null;
  /**
   * Calls without results, newest last: id, tool, and whether it reads from outside this machine.
   */
  calls: [id: string, tool: string, web: boolean][];
}

const MOST_CALLS = 40;
const ROLES: Record<string, Role> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  model: 'assistant',
  agent: 'assistant',
  ai: 'assistant',
  tool: 'tool_result',
  function: 'tool_result',
  tool_result: 'tool_result',
  toolresult: 'tool_result',
  system: 'system',
  developer: 'system',
};

function roleOf(record: Json): Role | null {
  const named =
    textOf(record.role) ??
    textOf(object(record.message).role) ??
    textOf(record.type) ??
    textOf(record.kind) ??
    '';
  return ROLES[named.toLowerCase()] ?? null;
}

function firstOf(record: Json, names: readonly string[]): unknown {
  const name = names.find((each) => record[each] !== undefined && record[each] !== null);
  return name === undefined ? undefined : record[name];
}

const first = (record: Json, names: readonly string[]): string | null => {
  const value = firstOf(record, names);
  return typeof value === 'number' ? String(value) : short(value);
};

const TIMES = ['timestamp', 'time', 'created_at', 'createdAt', 'ts', 'at', 'date'];
const FOLDERS = [
  'cwd',
  'workdir',
  'working_dir',
  'workingDirectory',
  'workspace',
  'directory',
  'project_path',
  'projectPath',
];

/** Blocks of a content: texts, calls and results. */
function blocksOf(record: Json): Json[] {
  const message = object(record.message);
  const content =
    firstOf(message, ['content', 'parts', 'text']) ??
    firstOf(record, ['content', 'parts', 'text', 'message', 'output']);
  const blocks =
    typeof content === 'string'
      ? [{ text: content }]
      : Array.isArray(content)
        ? content
        : [content];
  const calls = [record, message].flatMap((each) =>
    list(firstOf(each, ['tool_calls', 'toolCalls', 'tools'])),
  );
  return [
    ...blocks.map((block) => (typeof block === 'string' ? { text: block } : object(block))),
    ...calls.filter(isObject).map((call) => ({ ...call, type: 'tool_call' })),
  ];
}

function isCall(block: Json): boolean {
  return (
    /^(?:tool_?(?:use|call)|function_?call)$/i.test(textOf(block.type) ?? '') ||
    isObject(block.functionCall)
  );
}

function isResult(block: Json): boolean {
  return (
    /^(?:tool_?result|function_?(?:response|call_output))$/i.test(textOf(block.type) ?? '') ||
    isObject(block.functionResponse)
  );
}

function callOf(block: Json, base: Partial<RawEntry>): { raw: RawEntry; web: boolean } {
  const inner = { ...block, ...object(block.functionCall), ...object(block.function) };
  const tool = first(inner, ['name', 'tool', 'toolName']) ?? 'unknown';
  const asked = readToolCall(tool, firstOf(inner, ['input', 'arguments', 'args', 'parameters']));
  const call = first(inner, ['id', 'call_id', 'callId', 'toolCallId', 'tool_call_id']);
  const { web, ...said } = asked;
  return {
    raw: rawEntryOf({ ...base, ...said, role: 'tool_call', origin: 'agent', tool, call }),
    web,
  };
}

const OUTPUTS = ['content', 'output', 'result', 'text', 'response', 'error'];

function resultOf(block: Json, base: Partial<RawEntry>, state: GenericState): RawEntry {
  const inner = { ...block, ...object(block.functionResponse) };
  const call = first(inner, [
    'tool_use_id',
    'tool_call_id',
    'toolCallId',
    'call_id',
    'callId',
    'id',
  ]);
  const known = state.calls.find(([id]) => id === call);
  const tool = known?.[1] ?? first(inner, ['name', 'tool']);
  const outer = firstOf(inner, OUTPUTS);
  const output = isObject(outer) ? (firstOf(outer, OUTPUTS) ?? outer) : outer;
  const text = dropBinary(typeof output === 'string' ? output : textIn(output));
  const exit = whole(firstOf(inner, ['exit_code', 'exitCode', 'exit'])) ?? exitIn(text);
  const isError =
    firstOf(inner, ['is_error', 'isError']) === true ||
    inner.success === false ||
    textOf(inner.error) !== null;
  const outcome = isError || (exit !== null && exit !== 0) ? 'failed' : exit === 0 ? 'ok' : null;
  return rawEntryOf({
    ...base,
    role: 'tool_result',
    origin: originOf(known && { web: known[2] }, true),
    text,
    tool,
    call,
    exit,
    outcome,
  });
}

function textIn(value: unknown): string {
  const parts = list(value)
    .map((part) => (typeof part === 'string' ? part : textOf(object(part).text)))
    .filter((part) => part !== null);
  return parts.length > 0
    ? parts.join('\n')
    : value === undefined || value === null
      ? ''
      : JSON.stringify(value);
}

const ORIGIN = {
  user: 'user',
  assistant: 'agent',
  thinking: 'agent',
  tool_call: 'agent',
  tool_result: 'tool',
  system: 'injected',
};

function step(before: GenericState, { value }: LogRecord): Step<GenericState> {
  if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'none' };
  const message = object(value.message);
  const session =
    first(value, ['sessionId', 'session_id', 'session', 'conversation_id', 'thread_id']) ??
    before.session;
  const cwd = first(value, FOLDERS) ?? before.cwd;
  const state: GenericState = {
    session,
    cwd: cwd !== null && /^(?:\/|[A-Za-z]:[\\/])/.test(cwd) ? cwd : before.cwd,
    calls: before.calls,
  };
  const isNew =
    state.session !== null && (state.session !== before.session || state.cwd !== before.cwd);
  const facts = isNew ? { session: { session: state.session!, cwd: state.cwd } } : {};
  const role = roleOf(value);
  if (role === null)
    return {
      state,
      rawEntries: [],
      ...facts,
      unknown: short(value.type) ?? short(value.kind) ?? 'none',
    };
  const id = first(value, ['uuid', 'id', 'message_id', 'messageId']) ?? first(message, ['id']);
  const time = isoTime(firstOf(value, TIMES)) ?? isoTime(firstOf(message, TIMES));
  const rawEntries = blocksOf(value).flatMap((block, index): RawEntry[] => {
    const base = {
      time,
      cwd: state.cwd,
      native: id === null ? null : `${session ?? ''}:${id}:${index}`,
      bySession: true as const,
    };
    if (isCall(block)) {
      const { raw, web } = callOf(block, base);
      if (raw.call !== null)
        state.calls = [...state.calls, [raw.call, raw.tool!, web] as const].slice(
          -MOST_CALLS,
        ) as GenericState['calls'];
      return [raw];
    }
    if (isResult(block) || role === 'tool_result')
      return [resultOf({ ...value, ...block }, base, state)];
    const isThought =
      /^(?:thinking|reasoning)$/.test(textOf(block.type) ?? '') || block.thought === true;
    const text = dropBinary(
      textOf(block.text) ?? textOf(block.thinking) ?? textOf(block.content) ?? '',
    ).trim();
    const kind = isThought ? 'thinking' : role;
    if (kind === 'user') return typedEntries(base, text);
    return text === ''
      ? []
      : [rawEntryOf({ ...base, role: kind, origin: ORIGIN[kind] as RawEntry['origin'], text })];
  });
  return { state, rawEntries, ...facts };
}

export const generic: Adapter<GenericState> = {
  agent: 'generic',
  title: 'Any other agent with JSON lines',
  places: [{ env: null, root: 'logs', under: '', globs: ['**/*.jsonl'], named: true }],
  unproven: true,
  start: () => ({ session: null, cwd: null, calls: [] }),
  step,
};

/** Number of records to check. */
const SAMPLE = 50;

/**
 * Whether the first lines of a file look like a session: at least two of a role, a message with a
 * content, a folder, and rising times.
 */
export function looksLikeSession(records: readonly unknown[]): boolean {
  const sample = records.slice(0, SAMPLE).filter(isObject);
  if (sample.length < 2) return false;
  const roles = new Set(sample.map(roleOf));
  const times = sample.map((each) => isoTime(firstOf(each, TIMES))).filter((time) => time !== null);
  const signs = [
    roles.has('user') && (roles.has('assistant') || roles.has('tool_result')),
    sample.some(
      (each) => isObject(each.message) && firstOf(each.message, ['content', 'parts']) !== undefined,
    ),
    sample.some((each) => /^\/|^[A-Za-z]:\\/.test(first(each, FOLDERS) ?? '')),
    times.length > 1 && times.every((time, at) => at === 0 || time >= times[at - 1]!),
  ];
  return roles.has('user') && signs.filter(Boolean).length >= 2;
}
