/**
 * Sessions of an unknown agent: JSON lines, read by the field names that most agents use. Off until
 * the config names a folder (`agents.roots: {generic: [...]}`); `status --check` lists candidates.
 */
import { agent, type Event } from './engine.js';
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
import type { OpenCall } from './engine.js';

const ROLES: [string, RegExp][] = [
  ['user', /^(?:user|human)$/i],
  ['assistant', /^(?:assistant|model|agent|ai)$/i],
  ['tool', /^(?:tool|function|tool_?result)$/i],
  ['system', /^(?:system|developer)$/i],
];

function roleOf(record: Json): string | null {
  const named = [record.role, object(record.message).role, record.type, record.kind].map(textOf);
  const name = named.find((each) => each !== null) ?? '';
  return ROLES.find(([, names]) => names.test(name))?.[0] ?? null;
}

/** The first field of these names that has a value. */
function valueOf(record: Json, names: string): unknown {
  return names
    .split(' ')
    .map((name) => record[name])
    .find((value) => value !== undefined && value !== null);
}

function nameOf(record: Json, names: string): string | null {
  const value = valueOf(record, names);
  return typeof value === 'number' ? String(value) : short(value);
}

const TIMES = 'timestamp time created_at createdAt ts at date';
const FOLDERS =
  'cwd workdir working_dir workingDirectory workspace directory project_path projectPath';
const OUTPUTS = 'content output result text response error';

export const generic = agent<null>({
  agent: 'generic',
  title: 'Any other agent with JSON lines',
  places: [{ env: null, root: 'logs', under: '', globs: ['**/*.jsonl'], named: true }],
  unproven: true,
  ownTools: /^/,
  tags: null,
  repeats: false,
  more: null,
  place(record, { facts }) {
    const message = object(record.message);
    const id = nameOf(record, 'uuid id message_id messageId') ?? nameOf(message, 'id');
    return {
      id: id === null ? null : `${sessionOf(record) ?? facts.session}:${id}`,
      time: isoTime(valueOf(record, TIMES)) ?? isoTime(valueOf(message, TIMES)),
    };
  },
  read(record, { calls }) {
    const role = roleOf(record);
    const cwd = nameOf(record, FOLDERS) ?? '';
    const isFolder = /^(?:\/|[A-Za-z]:[\\/])/.test(cwd);
    return [
      { is: 'session', session: sessionOf(record), cwd: isFolder ? cwd : null },
      ...(role === null
        ? [{ is: 'unknown', type: record.type ?? record.kind } as const]
        : blocksOf(record).flatMap((block, part) => eventsOf(record, role, block, part, calls))),
    ];
  },
});

function sessionOf(record: Json): string | null {
  return nameOf(record, 'sessionId session_id session conversation_id thread_id');
}

/** Blocks of a content: texts, calls and results. */
function blocksOf(record: Json): Json[] {
  const message = object(record.message);
  const content =
    valueOf(message, 'content parts text') ?? valueOf(record, 'content parts text message output');
  const calls = [record, message].flatMap((each) =>
    list(valueOf(each, 'tool_calls toolCalls tools')),
  );
  return [
    ...(Array.isArray(content) ? content : [content]).map((block: unknown) =>
      typeof block === 'string' ? { text: block } : object(block),
    ),
    ...calls.filter(isObject).map((call) => ({ ...call, type: 'tool_call' })),
  ];
}

function eventsOf(
  record: Json,
  role: string,
  block: Json,
  part: number,
  calls: readonly OpenCall[],
): Event[] {
  const type = textOf(block.type) ?? '';
  if (/^(?:tool_?(?:use|call)|function_?call)$/i.test(type) || isObject(block.functionCall)) {
    const inner = { ...block, ...object(block.functionCall), ...object(block.function) };
    const tool = nameOf(inner, 'name tool toolName') ?? 'unknown';
    const call = nameOf(inner, 'id call_id callId toolCallId tool_call_id');
    const input = valueOf(inner, 'input arguments args parameters');
    return [{ is: 'call', part, call, tool, input }];
  }
  const isResult = /^(?:tool_?result|function_?(?:response|call_output))$/i.test(type);
  if (isResult || isObject(block.functionResponse) || role === 'tool')
    return [resultEvent({ ...record, ...block, ...object(block.functionResponse) }, part, calls)];
  const text = textOf(block.text) ?? textOf(block.thinking) ?? textOf(block.content) ?? '';
  if (/^(?:thinking|reasoning)$/.test(type) || block.thought === true)
    return [{ is: 'thought', part, text }];
  if (role === 'user') return [{ is: 'prompt', part, text }];
  return [role === 'system' ? { is: 'notice', part, text } : { is: 'answer', part, text }];
}

function resultEvent(record: Json, part: number, calls: readonly OpenCall[]): Event {
  const call = nameOf(record, 'tool_use_id tool_call_id toolCallId call_id callId id');
  const outer = valueOf(record, OUTPUTS);
  const output = isObject(outer) ? (valueOf(outer, OUTPUTS) ?? outer) : outer;
  const exit = whole(valueOf(record, 'exit_code exitCode exit'));
  const isError =
    valueOf(record, 'is_error isError') === true ||
    record.success === false ||
    textOf(record.error) !== null;
  return {
    ...{ is: 'result', part, call, ok: isError ? false : null },
    tool: calls.some(({ id }) => id === call) ? null : nameOf(record, 'name tool'),
    text: typeof output === 'string' ? output : textIn(output),
    ...(exit === null ? {} : { exit }),
  };
}

function textIn(value: unknown): string {
  const parts = list(value).flatMap((part) => textOf(part) ?? textOf(object(part).text) ?? []);
  if (parts.length > 0) return parts.join('\n');
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/** Number of records to check. */
const SAMPLE = 50;

/**
 * Whether the first lines of a file look like a session: at least two of a role, a message with a
 * content, a folder, and rising times.
 */
export function looksLikeSession(records: readonly unknown[]): boolean {
  const sample = records.slice(0, SAMPLE).filter(isObject);
  const roles = new Set(sample.map(roleOf));
  const times = sample.map((each) => isoTime(valueOf(each, TIMES))).filter((time) => time !== null);
  const signs = [
    roles.has('user') && (roles.has('assistant') || roles.has('tool')),
    sample.some(({ message }) => valueOf(object(message), 'content parts') !== undefined),
    sample.some((each) => /^\/|^[A-Za-z]:\\/.test(nameOf(each, FOLDERS) ?? '')),
    times.length > 1 && times.every((time, at) => at === 0 || time >= times[at - 1]!),
  ];
  return sample.length > 1 && roles.has('user') && signs.filter(Boolean).length >= 2;
}
