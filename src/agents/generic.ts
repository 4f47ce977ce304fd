/**
 * Sessions of an unknown agent: JSON lines with the field names of most agents. Off until the
 * config names a folder (`agents.roots: {generic: [...]}`).
 */
import { nameOf, partEvent, resultIn, valueOf } from './blocks.js';
import { agent, type Event } from './engine.js';
import { isAbsolute } from '../shell/paths.js';
import { isObject, isoTime, type Json, list, object, text as textOf } from '../text/fields.js';

const SESSION = ['sessionId', 'session_id', 'session', 'conversation_id', 'thread_id'];
const TIME = ['timestamp', 'time', 'created_at', 'createdAt', 'ts', 'at', 'date'];
const FOLDER =
  'cwd workdir working_dir workingDirectory workspace directory project_path projectPath'.split(
    ' ',
  );
const CONTENT = ['content', 'parts', 'text'];
const CALLS = ['tool_calls', 'toolCalls', 'tools'];
const ROLES: [string, RegExp][] = [
  ['user', /^(?:user|human)$/i],
  ['assistant', /^(?:assistant|model|agent|ai)$/i],
  ['tool', /^(?:tool|function|tool_?result)$/i],
  ['system', /^(?:system|developer)$/i],
];

function roleOf({ role, message, type, kind }: Json): string | null {
  const name = [role, object(message).role, type, kind].map(textOf).find(Boolean) ?? '';
  return ROLES.find(([, names]) => names.test(name))?.[0] ?? null;
}

export const generic = agent<null>({
  ...{ agent: 'generic', title: 'Any other agent with JSON lines', unproven: true },
  places: [{ env: null, root: 'logs', under: '', globs: ['**/*.jsonl'], named: true }],
  ...{ ownTools: /^/, tags: null, repeats: false, more: null },
  place(record, { facts }) {
    const message = object(record.message);
    const id = nameOf(record, ['uuid', 'id', 'message_id', 'messageId']) ?? nameOf(message, ['id']);
    return {
      id: id === null ? null : `${nameOf(record, SESSION) ?? facts.session}:${id}`,
      time: isoTime(valueOf(record, TIME)) ?? isoTime(valueOf(message, TIME)),
    };
  },
  read(record) {
    const [role, cwd] = [roleOf(record), nameOf(record, FOLDER)];
    const session = nameOf(record, SESSION);
    return [
      { is: 'session', session, cwd: cwd !== null && isAbsolute(cwd) ? cwd : null },
      ...(role === null
        ? [{ is: 'unknown', type: record.type ?? record.kind } as const]
        : blocksOf(record).map(
            (block, part) => ({ ...eventOf(record, role, block), part }) as Event,
          )),
    ];
  },
});

/** Blocks of a content: texts, calls and results. */
function blocksOf(record: Json): Json[] {
  const message = object(record.message);
  const content = valueOf(message, CONTENT) ?? valueOf(record, [...CONTENT, 'message', 'output']);
  const calls = [record, message].flatMap((each) => list(valueOf(each, CALLS))).filter(isObject);
  return [
    ...[content].flat().map((each) => (typeof each === 'string' ? { text: each } : object(each))),
    ...calls.map((call) => ({ ...call, type: 'tool_call' })),
  ];
}

function eventOf(record: Json, role: string, block: Json): Event {
  const event = partEvent(role, block) ?? partEvent(role, { ...block, type: 'text' })!;
  if (event.is !== 'result') return event;
  const result = { ...record, ...block, ...object(block.functionResponse) };
  const { ok, ...rest } = resultIn(result);
  return { ...rest, ok: ok && null, tool: nameOf(result, ['name', 'tool']) };
}
