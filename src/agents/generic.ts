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
} from '../text/fields.js';
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

/** The names of each field, the likeliest first. */
const FIELDS = {
  id: ['uuid', 'id', 'message_id', 'messageId'],
  own: ['id'],
  session: ['sessionId', 'session_id', 'session', 'conversation_id', 'thread_id'],
  time: ['timestamp', 'time', 'created_at', 'createdAt', 'ts', 'at', 'date'],
  folder:
    'cwd workdir working_dir workingDirectory workspace directory project_path projectPath'.split(
      ' ',
    ),
  inner: ['content', 'parts', 'text'],
  parts: ['content', 'parts'],
  content: ['content', 'parts', 'text', 'message', 'output'],
  calls: ['tool_calls', 'toolCalls', 'tools'],
  tool: ['name', 'tool', 'toolName'],
  named: ['name', 'tool'],
  call: ['id', 'call_id', 'callId', 'toolCallId', 'tool_call_id'],
  input: ['input', 'arguments', 'args', 'parameters'],
  answered: ['tool_use_id', 'tool_call_id', 'toolCallId', 'call_id', 'callId', 'id'],
  output: ['content', 'output', 'result', 'text', 'response', 'error'],
  exit: ['exit_code', 'exitCode', 'exit'],
  failed: ['is_error', 'isError'],
};
type Field = keyof typeof FIELDS;

/** What the first of the field's names says that has a value. */
function valueOf(record: Json, field: Field): unknown {
  for (const name of FIELDS[field]) {
    const value = record[name];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

function nameOf(record: Json, field: Field): string | null {
  const value = valueOf(record, field);
  return typeof value === 'number' ? String(value) : short(value);
}

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
    const id = nameOf(record, 'id') ?? nameOf(message, 'own');
    return {
      id: id === null ? null : `${sessionOf(record) ?? facts.session}:${id}`,
      time: isoTime(valueOf(record, 'time')) ?? isoTime(valueOf(message, 'time')),
    };
  },
  read(record, { calls }) {
    const role = roleOf(record);
    const cwd = nameOf(record, 'folder') ?? '';
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
  return nameOf(record, 'session');
}

/** Blocks of a content: texts, calls and results. */
function blocksOf(record: Json): Json[] {
  const message = object(record.message);
  const content = valueOf(message, 'inner') ?? valueOf(record, 'content');
  const calls = [record, message].flatMap((each) => list(valueOf(each, 'calls')));
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
    const tool = nameOf(inner, 'tool') ?? 'unknown';
    const call = nameOf(inner, 'call');
    const input = valueOf(inner, 'input');
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
  const call = nameOf(record, 'answered');
  const outer = valueOf(record, 'output');
  const output = isObject(outer) ? (valueOf(outer, 'output') ?? outer) : outer;
  const exit = whole(valueOf(record, 'exit'));
  const isError =
    valueOf(record, 'failed') === true || record.success === false || textOf(record.error) !== null;
  return {
    ...{ is: 'result', part, call, ok: isError ? false : null },
    tool: calls.some(({ id }) => id === call) ? null : nameOf(record, 'named'),
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
  const times = sample
    .map((each) => isoTime(valueOf(each, 'time')))
    .filter((time) => time !== null);
  const signs = [
    roles.has('user') && (roles.has('assistant') || roles.has('tool')),
    sample.some(({ message }) => valueOf(object(message), 'parts') !== undefined),
    sample.some((each) => /^\/|^[A-Za-z]:\\/.test(nameOf(each, 'folder') ?? '')),
    times.length > 1 && times.every((time, at) => at === 0 || time >= times[at - 1]!),
  ];
  return sample.length > 1 && roles.has('user') && signs.filter(Boolean).length >= 2;
}
