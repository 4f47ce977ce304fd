/**
 * OpenHands' conversations: `~/.openhands/conversations/<id>/events/event-<n>-<uuid>.json`, one file per event, never
 * rewritten; `base_state.json` beside `events` names the working folder.
 *
 * - `MessageEvent` of `user` and `agent`; `ActionEvent` is a call with the agent's thought, `ObservationEvent` its result,
 *   `AgentErrorEvent` a call that could not run, `UserRejectObservation` one that the person refused.
 * - Times have no zone: they are local. The number in the file's name gives the order.
 * - In the iterative mode the program sends prompts as `user`: `The task appears incomplete (iteration 1/3, …`.
 * - The exit status is in the observation (`exit_code`, or in its `metadata`; -1 while a command is running).
 * - An event's file knows nothing of the others: a result contains its command, or the command is unknown.
 * - `SystemPromptEvent`, `ConversationStateUpdateEvent` and similar contain no conversation. Tokens are not in the events, only
 *   totals in `base_state.json`, of which no sample was available.
 */
import type { Adapter, RawEntry, LogName, LogRecord, Outcome, Step } from '../types.js';
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
  zonelessTime,
} from './fields.js';
import { typedEntries } from './typed.js';

interface OpenhandsState {
  session: string;
  /** Number of the event in its conversation. */
  order: number;
  cwd: string | null;
}

export const openhands: Adapter<OpenhandsState> = {
  agent: 'openhands',
  title: 'OpenHands',
  places: [
    {
      env: 'OPENHANDS_PERSISTENCE_DIR',
      root: '.openhands',
      under: 'conversations',
      globs: ['*/events/event-*.json'],
    },
  ],
  shape: () => 'document',
  beside: () => ['../base_state.json'],
  unfold: (content) => (isObject(content) && textOf(content.kind) !== null ? [content] : null),
  start,
  step,
};

function start({ relative, beside = {} }: LogName): OpenhandsState {
  const session = relative.split('/').at(-3) ?? relative;
  const order = Number(/event-(\d{1,9})-[^/]*$/.exec(relative)?.[1] ?? 0);
  try {
    const base = object(JSON.parse(beside['../base_state.json'] ?? '{}'));
    const cwd =
      short(object(base.workspace).working_dir) ??
      short(object(object(base.agent).workspace).working_dir);
    return { session, order, cwd };
  } catch {
    return { session, order, cwd: null };
  }
}

/** Events about the conversation's own state. */
const SILENT = new Set(
  (
    'SystemPromptEvent ConversationStateUpdateEvent CondensationRequest ' +
    'LLMCompletionLogEvent TokenEvent ConversationErrorEvent'
  ).split(' '),
);

function step(state: OpenhandsState, { value }: LogRecord): Step<OpenhandsState> {
  if (!isObject(value) || textOf(value.kind) === null)
    return { state, rawEntries: [], unknown: 'record' };
  const kind = textOf(value.kind)!;
  const base = { native: short(value.id), time: isoTime(value.timestamp) };
  const rawEntries = rawEntriesOf(kind, value, base);
  const cwd = folderIn(value) ?? state.cwd;
  const facts = { session: state.session, cwd };
  if (rawEntries === null)
    return {
      state,
      rawEntries: [],
      session: facts,
      ...(SILENT.has(kind) ? {} : { unknown: kind.slice(0, 80) }),
    };
  const told = rawEntries.map((raw) => ({ ...raw, cwd, order: state.order }));
  return { state, rawEntries: told, session: facts, at: zonelessTime(value.timestamp) };
}

/** The folder in which a command ended. */
function folderIn(event: Json): string | null {
  return short(object(object(event.observation).metadata).working_dir);
}

type Base = Pick<RawEntry, 'native' | 'time'>;

/** Null when the event is not part of the conversation, or unknown. */
function rawEntriesOf(kind: string, event: Json, base: Base): RawEntry[] | null {
  if (kind === 'MessageEvent') return messageOf(event, base);
  if (kind === 'ActionEvent') return actionOf(event, base);
  if (kind === 'ObservationEvent' || kind === 'AgentErrorEvent' || kind === 'UserRejectObservation')
    return [resultOf(kind, event, base)];
  if (kind === 'PauseEvent' || kind === 'InterruptEvent')
    return [notice(base, 'The user interrupted the turn.', 'interrupt')];
  if (kind === 'Condensation' || kind === 'CondensationSummaryEvent') {
    const summary = textOf(event.summary);
    return summary === null ? [] : [notice(base, summary, 'compaction')];
  }
  return null;
}

function notice(base: Base, text: string, mark: string): RawEntry {
  return rawEntryOf({ ...base, role: 'system', origin: 'injected', text, marks: [mark] });
}

function textIn(content: unknown): string {
  const texts = list(content).map((part) => textOf(object(part).text) ?? '');
  return dropBinary(texts.filter((text) => text !== '').join('\n')).trim();
}

function thoughtOf(event: Json, message: Json, { native, time }: Base): RawEntry[] {
  const thought = textOf(event.reasoning_content) ?? textOf(message.reasoning_content);
  const blocks = list(event.thinking_blocks ?? message.thinking_blocks).map(
    (block) => textOf(object(block).thinking) ?? '',
  );
  const text = (thought ?? blocks.filter((block) => block !== '').join('\n')).trim();
  const id = native === null ? null : `${native}:thinking`;
  return text === ''
    ? []
    : [rawEntryOf({ native: id, time, role: 'thinking', origin: 'agent', text })];
}

/** What the program sends in the person's place while it iterates. */
const ITERATION = /^The task appears incomplete \(iteration \d+\/\d+/;

function messageOf(event: Json, base: Base): RawEntry[] {
  const message = object(event.llm_message);
  const text = textIn(message.content);
  if (event.source === 'user') {
    const more = textIn(event.extended_content);
    const id = base.native === null ? null : `${base.native}:extended`;
    const added =
      more === ''
        ? []
        : [rawEntryOf({ ...base, native: id, role: 'user', origin: 'injected', text: more })];
    if (typeof event.sender === 'string' && event.sender !== '')
      return [
        rawEntryOf({ ...base, role: 'user', origin: 'agent', text, marks: ['subagent'] }),
        ...added,
      ];
    if (ITERATION.test(text))
      return [rawEntryOf({ ...base, role: 'user', origin: 'injected', text }), ...added];
    return [...typedEntries(base, text), ...added];
  }
  if (event.source !== 'agent')
    return text === '' ? [] : [rawEntryOf({ ...base, role: 'system', origin: 'injected', text })];
  const said = rawEntryOf({ ...base, role: 'assistant', origin: 'agent', text, marks: ['final'] });
  return [...thoughtOf(event, message, base), ...(text === '' ? [] : [said])];
}

function actionOf(event: Json, base: Base): RawEntry[] {
  const asked = object(event.tool_call);
  const action = object(event.action);
  const tool = textOf(event.tool_name) ?? textOf(asked.name) ?? 'unknown';
  const { text, command, files, marks } = readToolCall(tool, asked.arguments ?? action);
  const message = textOf(action.message);
  const said = textIn(event.thought);
  const id = base.native === null ? null : `${base.native}:thought`;
  const call = textOf(event.tool_call_id);
  const more = tool === 'task_tracker' ? ['todo'] : marks;
  const what =
    tool === 'think' || tool === 'finish' ? (textOf(action.thought) ?? message ?? text) : text;
  return [
    ...thoughtOf(event, {}, base),
    ...(said === ''
      ? []
      : [rawEntryOf({ ...base, native: id, role: 'assistant', origin: 'agent', text: said })]),
    rawEntryOf({
      ...base,
      role: 'tool_call',
      origin: 'agent',
      text: what,
      tool,
      call,
      command,
      files,
      marks: more,
    }),
  ];
}

/**
 * Tools that read from outside this machine; observations of MCP servers have a kind of their own.
 */
const FOREIGN = /^(?:MCP|Browser|Web)/;

function resultOf(kind: string, event: Json, base: Base): RawEntry {
  const seen = object(event.observation);
  const tool = textOf(event.tool_name) ?? 'unknown';
  const command =
    seen.kind === 'TerminalObservation' || seen.kind === 'ExecuteBashObservation'
      ? textOf(seen.command)
      : null;
  const text =
    textIn(seen.content) ||
    textOf(seen.output) ||
    textOf(event.error) ||
    textOf(event.rejection_reason) ||
    '';
  const told = whole(seen.exit_code) ?? whole(object(seen.metadata).exit_code);
  const exit = told === -1 ? null : (told ?? (command === null ? null : exitIn(text)));
  const path = short(seen.path);
  const origin =
    FOREIGN.test(textOf(seen.kind) ?? '') || /browser|fetch|web/.test(tool) ? 'external' : 'tool';
  const isError =
    kind === 'AgentErrorEvent' || seen.is_error === true || (exit !== null && exit !== 0);
  const outcome: Outcome =
    kind === 'UserRejectObservation' ? 'rejected' : isError ? 'failed' : 'ok';
  const files = path === null ? [] : [path];
  const call = textOf(event.tool_call_id);
  const isWeb = command !== null && readToolCall('bash', { command }).web;
  const from = isWeb ? 'external' : origin;
  return rawEntryOf({
    ...base,
    role: 'tool_result',
    origin: from,
    text,
    tool,
    call,
    command,
    files,
    exit,
    outcome,
  });
}
