/** Qwen Code; docs/formats.md describes it. */
import { agent, type Event, type Kept } from './engine.js';
import { count, isObject, isoTime, type Json, list, object, short } from '../text/fields.js';
import { text as textOf } from '../text/fields.js';
import { endOf, family, promptEvent } from './gemini.js';
import { contentText } from './typed.js';

const GLOBS = [
  'projects/*/chats/*.jsonl',
  'projects/*/chats/archive/*.jsonl',
  'projects/*/subagents/*/agent-*.jsonl',
];

interface More {
  /** A subagent's log, whose records have the parent's id. */
  isSubagents: boolean;
  /** The next prompt comes from the agent that started the session. */
  isAsked: boolean;
}

export const qwenCode = agent<More>({
  ...family,
  agent: 'qwen-code',
  title: 'Qwen Code',
  places: [
    { env: 'QWEN_HOME', root: '.qwen', under: '', globs: GLOBS },
    { env: 'QWEN_RUNTIME_DIR', root: '.qwen', under: '', globs: GLOBS },
  ],
  shape: () => 'replay',
  unfold: (content) => (Array.isArray(content) ? joinFragments(content) : null),
  begin({ relative }) {
    const [, , folder, parent = '', file = ''] = relative.split('/');
    if (folder !== 'subagents') return {};
    const session = `${parent}:${file.replace(/\.jsonl$/, '')}`;
    return { session, parent, subagent: true, more: { isSubagents: true, isAsked: false } };
  },
  more: { isSubagents: false, isAsked: false },
  place: (record) => ({ id: short(record.uuid), time: isoTime(record.timestamp) }),
  read(record, kept) {
    const { customTitle, title, parentSessionId } = object(record.systemPayload);
    const isTitle = record.subtype === 'custom_title';
    const isStarted = record.subtype === 'parent_session';
    const subagent = record.isSidechain === true || kept.facts.subagent === true;
    const { isSubagents, isAsked } = kept.more;
    return {
      events: [
        {
          ...{ is: 'session', session: isSubagents ? null : short(record.sessionId), subagent },
          ...{ cwd: short(record.cwd), branch: short(record.gitBranch) },
          version: short(record.version),
          title: isTitle ? (short(customTitle) ?? short(title)) : null,
          parent: short(isStarted ? parentSessionId : object(record.forkedFrom).sessionId),
        },
        ...eventsOf(record, kept, subagent),
      ],
      more: { isSubagents, isAsked: isStarted || (isAsked && record.type !== 'user') },
    };
  },
});

/** Records of the program in the user's channel. */
const MADE = /^(?:notification|cron|goal_runtime)$/;

/** Records with the same uuid are fragments of one message, in order; identical copies are one. */
function joinFragments(lines: readonly unknown[]): unknown[] | null {
  const joined = new Map<string, { record: Json; seen: Set<string> }>();
  for (const line of lines.map(object)) {
    const uuid = textOf(line.uuid) ?? `none ${joined.size}`;
    const json = JSON.stringify([line.message, line.systemPayload]);
    const known = joined.get(uuid);
    if (known === undefined) joined.set(uuid, { record: line, seen: new Set([json]) });
    else if (!known.seen.has(json)) {
      known.seen.add(json);
      const [before, message] = [object(known.record.message), object(line.message)];
      const parts = [...list(before.parts), ...list(message.parts)];
      known.record = { ...known.record, ...line, message: { ...before, ...message, parts } };
    }
  }
  const records = [...joined.values()].map(({ record }) => record);
  return records.some((record) => textOf(record.sessionId) !== null) ? records : null;
}

function eventsOf(record: Json, { calls, more }: Kept<More>, isChild: boolean): Event[] {
  const parts = list(object(record.message).parts).filter(isObject);
  switch (record.type) {
    case 'user': {
      const isMade =
        (record.provenance ?? 'real_user') !== 'real_user' ||
        record.externalInputKind === 'notification' ||
        MADE.test(textOf(record.subtype) ?? '');
      const by = isMade ? 'injected' : isChild || more.isAsked ? 'agent' : 'user';
      const shown = textOf(object(record.systemPayload).displayText);
      return [promptEvent(contentText(parts), by, shown)];
    }
    case 'assistant':
      return answerEvents(record, parts);
    case 'tool_result': {
      const results = parts.filter((part) => isObject(part.functionResponse));
      return results.map((part, at) =>
        resultEvent(object(part.functionResponse), object(record.toolCallResult), at, calls),
      );
    }
    case 'system':
      return systemEvents(textOf(record.subtype), object(record.systemPayload));
    default:
      return [{ is: 'unknown', type: record.type }];
  }
}

function answerEvents(record: Json, parts: readonly Json[]): Event[] {
  const joined = (isThought: boolean): string =>
    parts
      .filter((part) => (part.thought === true) === isThought)
      .map((part) => textOf(part.text) ?? '')
      .join('');
  const calls = parts.map((part) => part.functionCall).filter(isObject);
  const used = object(record.usageMetadata);
  const [prompt, answer] = [count(used.promptTokenCount), count(used.candidatesTokenCount)];
  const [thoughts, total] = [count(used.thoughtsTokenCount), count(used.totalTokenCount)];
  // The prompt includes cached tokens; the rest of the total is the answer with its thoughts.
  const output = total > prompt ? total - prompt : answer + thoughts;
  return [
    { is: 'thought', part: 'thought', text: joined(true) },
    { is: 'answer', text: joined(false), final: calls.length === 0 },
    ...calls.map((call, part): Event => {
      const tool = short(call.name) ?? 'unknown';
      return { is: 'call', part, call: short(call.id), tool, input: call.args };
    }),
    {
      ...{ is: 'usage', native: short(record.uuid), model: record.model, output },
      ...{
        input: prompt - count(used.cachedContentTokenCount),
        reasoning: Math.min(thoughts, output),
      },
      cacheRead: used.cachedContentTokenCount,
    },
  ];
}

function resultEvent(answer: Json, ended: Json, part: number, calls: Kept<More>['calls']): Event {
  const response = object(answer.response);
  const error = textOf(response.error);
  const text = textOf(response.output) ?? error ?? textOf(ended.resultDisplay) ?? '';
  const open = calls.find(
    ({ id, tool }) => id === answer.id || (answer.id === undefined && tool === answer.name),
  );
  const tool = short(answer.name) ?? (open?.tool || null);
  const isFailed = error !== null || textOf(ended.errorType) !== null;
  const isOk = textOf(response.output) !== null;
  const status = textOf(ended.status) ?? (isFailed ? 'error' : isOk ? 'success' : null);
  const call = short(answer.id) ?? (open?.id || null);
  return { is: 'result', part, call, tool, text, ...endOf(tool ?? '', status, text) };
}

/** Bookkeeping, except for text typed during the agent's work, commands, and a chapter's end. */
function systemEvents(subtype: string | null, payload: Json): Event[] {
  if (subtype === 'chat_compression') return [{ is: 'notice', mark: 'compaction' }];
  if (subtype === 'mid_turn_user_message') {
    const content = contentText(payload.message ?? payload.content);
    const text = textOf(payload.displayText) ?? textOf(payload.text) ?? content;
    return [{ ...promptEvent(text, 'user'), child: false } as Event];
  }
  const text = payload.phase === 'result' ? null : textOf(payload.rawCommand);
  return subtype !== 'slash_command' || text === null
    ? []
    : [{ is: 'prompt', text, by: 'injected', mark: 'command', child: false }];
}
