import type { Adapter, RawEntry, LogRecord, Step, Usage } from '../../types.js';
import { rawEntryOf } from '../calls.js';
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
import { contentText, saidEntries } from '../typed.js';
import { endOf, isOwn, readPrompt } from './index.js';

interface QwenState {
  session: string | null;
  cwd: string | null;
  branch: string | null;
  version: string | null;
  child: boolean;
  calls: OpenCall[];
}

const GLOBS = ['projects/*/chats/*.jsonl', 'projects/*/chats/archive/*.jsonl'];

/** Qwen Code; docs/formats.md describes it. */
export const qwenCode: Adapter<QwenState> = {
  agent: 'qwen-code',
  title: 'Qwen Code',
  places: [
    { env: 'QWEN_HOME', root: '.qwen', under: '', globs: GLOBS },
    { env: 'QWEN_RUNTIME_DIR', root: '.qwen', under: '', globs: GLOBS },
  ],
  shape: () => 'replay',
  unfold: (content) => (Array.isArray(content) ? joinFragments(content) : null),
  start: () => ({ session: null, cwd: null, branch: null, version: null, child: false, calls: [] }),
  step,
};

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
      const parts = [
        ...list(object(known.record.message).parts),
        ...list(object(line.message).parts),
      ];
      known.record = {
        ...known.record,
        ...line,
        message: { ...object(known.record.message), ...object(line.message), parts },
      };
    }
  }
  const records = [...joined.values()].map(({ record }) => record);
  return records.some((record) => textOf(record.sessionId) !== null) ? records : null;
}

function step(before: QwenState, { value }: LogRecord): Step<QwenState> {
  if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
  const state: QwenState = {
    ...before,
    session: short(value.sessionId) ?? before.session,
    cwd: short(value.cwd) ?? before.cwd,
    branch: short(value.gitBranch) ?? before.branch,
    version: short(value.version) ?? before.version,
    child: before.child || value.isSidechain === true,
  };
  const told = stepRecord(state, value);
  const { session, cwd, branch, version, child } = state;
  const isNew =
    session !== before.session ||
    cwd !== before.cwd ||
    branch !== before.branch ||
    version !== before.version;
  const title = value.subtype === 'custom_title' ? titleOf(object(value.systemPayload)) : null;
  if (session === null || (!isNew && title === null && child === before.child)) return told;
  return {
    ...told,
    session: { session, cwd, branch, version, title, ...(child ? { subagent: true } : {}) },
  };
}

function titleOf(payload: Json): string | null {
  return short(payload.customTitle) ?? short(payload.title);
}

function stepRecord(state: QwenState, record: Json): Step<QwenState> {
  const native = short(record.uuid);
  const base: Base = {
    native,
    time: isoTime(record.timestamp),
    cwd: state.cwd,
    branch: state.branch,
  };
  const parts = list(object(record.message).parts).filter(isObject);
  switch (record.type) {
    case 'user': {
      const real =
        record.provenance === undefined ||
        record.provenance === null ||
        record.provenance === 'real_user';
      const said = readPrompt(
        contentText(parts),
        state.child ? 'agent' : real ? 'user' : 'injected',
      );
      return { state, rawEntries: saidEntries(base, said, state.child ? ['subagent'] : []) };
    }
    case 'assistant':
      return stepAnswer(state, base, record, parts);
    case 'tool_result':
      return stepResults(state, base, record, parts);
    case 'system':
      return { state, rawEntries: systemOf(base, record) };
    default:
      return { state, rawEntries: [], unknown: (textOf(record.type) ?? 'none').slice(0, 80) };
  }
}

function stepAnswer(before: QwenState, base: Base, record: Json, parts: Json[]): Step<QwenState> {
  let state = before;
  const marks = state.child ? ['subagent'] : [];
  const place = (name: string): Base => ({
    ...base,
    native: base.native === null ? null : `${base.native}:${name}`,
    marks,
  });
  const joined = (thought: boolean): string =>
    parts
      .filter((part) => (part.thought === true) === thought)
      .map((part) => textOf(part.text) ?? '')
      .join('')
      .trim();
  const calls = parts
    .filter((part) => isObject(part.functionCall))
    .map((part) => object(part.functionCall));
  const rawEntries: RawEntry[] = [];
  if (joined(true) !== '')
    rawEntries.push(
      rawEntryOf({ ...place('thought'), role: 'thinking', origin: 'agent', text: joined(true) }),
    );
  const final = calls.length === 0 ? [...marks, 'final'] : marks;
  if (joined(false) !== '')
    rawEntries.push(
      rawEntryOf({
        ...base,
        role: 'assistant',
        origin: 'agent',
        text: joined(false),
        marks: final,
      }),
    );
  calls.forEach((call, at) => {
    const tool = short(call.name) ?? 'unknown';
    const { raw, open } = askCall(
      place(String(at)),
      { id: short(call.id), tool, input: call.args },
      isOwn(tool),
    );
    rawEntries.push(raw);
    state = { ...state, calls: addCall(state.calls, open) };
  });
  const usage = base.native === null ? null : usageOf(base.native, base.time, record);
  return { state, rawEntries, ...(usage === null ? {} : { usage: [usage] }) };
}

function stepResults(before: QwenState, base: Base, record: Json, parts: Json[]): Step<QwenState> {
  let state = before;
  const ended = object(record.toolCallResult);
  const responses = parts
    .filter((part) => isObject(part.functionResponse))
    .map((part) => object(part.functionResponse));
  const rawEntries = responses.map((answer, at) => {
    const response = object(answer.response);
    const text =
      textOf(response.output) ?? textOf(response.error) ?? textOf(ended.resultDisplay) ?? '';
    const open = state.calls.find(
      (call) => call.id === answer.id || (answer.id === undefined && call.tool === answer.name),
    );
    const tool = short(answer.name) ?? open?.tool ?? null;
    const failed = textOf(response.error) !== null || textOf(ended.errorType) !== null;
    const status =
      textOf(ended.status) ??
      (failed ? 'error' : textOf(response.output) !== null ? 'success' : null);
    const native = base.native === null ? null : `${base.native}:${at}`;
    const ending = {
      call: short(answer.id) ?? (open?.id || null),
      tool,
      text,
      ...endOf(tool ?? '', status, text),
    };
    const { raw, calls } = endCall({ ...base, native }, state.calls, ending, isOwn);
    state = { ...state, calls };
    return raw;
  });
  return { state, rawEntries };
}

/**
 * Bookkeeping, except for what was typed while the agent worked, commands of the program, and the
 * end of a chapter.
 */
function systemOf(base: Base, record: Json): RawEntry[] {
  const payload = object(record.systemPayload);
  switch (record.subtype) {
    case 'chat_compression':
      return [
        rawEntryOf({
          ...base,
          role: 'system',
          origin: 'injected',
          text: 'The conversation was compacted.',
          marks: ['compaction'],
        }),
      ];
    case 'mid_turn_user_message': {
      const text =
        textOf(payload.displayText) ??
        textOf(payload.text) ??
        contentText(payload.message ?? payload.content);
      return saidEntries(base, readPrompt(text, 'user'));
    }
    case 'slash_command': {
      const text = payload.phase === 'result' ? null : textOf(payload.rawCommand);
      return text === null
        ? []
        : [rawEntryOf({ ...base, role: 'user', origin: 'injected', text, marks: ['command'] })];
    }
    default:
      return [];
  }
}

/**
 * `promptTokenCount` includes cached tokens; the rest of the total is the answer with its thoughts.
 */
function usageOf(native: string, time: string | null, record: Json): Usage | null {
  const used = object(record.usageMetadata);
  const count = (value: unknown): number => Math.max(0, whole(value) ?? 0);
  const [prompt, answer, reasoning] = [
    used.promptTokenCount,
    used.candidatesTokenCount,
    used.thoughtsTokenCount,
  ].map(count);
  const cacheRead = count(used.cachedContentTokenCount);
  const total = count(used.totalTokenCount);
  const output = total > prompt! ? total - prompt! : answer! + reasoning!;
  const input = Math.max(0, prompt! - cacheRead);
  if (input + output + cacheRead === 0) return null;
  const model = short(record.model);
  return {
    native,
    time,
    model,
    input,
    cacheRead,
    cacheWrite: 0,
    output,
    reasoning: Math.min(reasoning!, output),
    cost: null,
  };
}
