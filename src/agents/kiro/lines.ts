/** Kiro's two logs of lines: what the CLI wrote first, and what CLI and editor write now. */
import { rawEntryOf } from '../calls.js';
import { type Json, isoTime, list, object, short, text as textOf } from '../fields.js';
import type { Base } from '../open-calls.js';
import { saidEntries, typedEntries } from '../typed.js';
import {
  answered,
  asked,
  INTERRUPTED,
  isMade,
  type KiroState,
  notice,
  type Read,
  resultText,
} from './state.js';

/** A record `{version: "v1", kind, data}` of the CLI. */
export function readEntry(state: KiroState, { kind, data: said }: Json): Read {
  const data = object(said);
  const id = short(data.message_id);
  const time = isoTime(object(data.meta).timestamp);
  const base: Base = { native: id, time, cwd: state.cwd };
  switch (kind) {
    case 'Prompt': {
      const text = textsIn(data.content);
      const more = textOf(object(data.meta).additional_context)?.trim() ?? '';
      const beside: Base = { ...base, native: id === null ? null : `${id}:context` };
      const added =
        more === ''
          ? []
          : [rawEntryOf({ ...beside, role: 'user', origin: 'injected', text: more })];
      return { state, rawEntries: [...promptOf(base, text), ...added] };
    }
    case 'AssistantMessage':
      return readAnswer(state, base, list(data.content).map(object));
    case 'ToolResults':
      return readResults(state, base, list(data.content).map(object));
    case 'Compaction': {
      const summary = textOf(data.summary);
      return {
        state,
        rawEntries:
          summary === null ? [] : [notice({ ...base, native: null }, summary, 'compaction')],
      };
    }
    case 'CancelledPrompt':
      return { state, rawEntries: [notice({ ...base, native: null }, INTERRUPTED, 'interrupt')] };
    case 'ResetTo':
    case 'Clear':
      return { state, rawEntries: [] };
    default:
      return { state, rawEntries: [], unknown: textOf(kind) ?? 'none' };
  }
}

function textsIn(content: unknown): string {
  const texts = list(content).map((block) =>
    object(block).kind === 'text' ? (textOf(object(block).data) ?? '') : '',
  );
  return texts.join('\n').trim();
}

export function promptOf(base: Base, text: string): ReturnType<typeof typedEntries> {
  if (isMade(text)) return saidEntries(base, [{ origin: 'injected', text, marks: [] }]);
  return text.trim() === '' ? [] : typedEntries(base, text);
}

/** An answer may come in several records of one id. */
function readAnswer(before: KiroState, base: Base, blocks: Json[]): Read {
  const first = before.answer === base.native ? before.blocks : 0;
  const isLast = !blocks.some((block) => block.kind === 'toolUse');
  let read: Read = { state: before, rawEntries: [] };
  blocks.forEach((block, at) => {
    const place: Base = {
      ...base,
      native: base.native === null ? null : `${base.native}:${first + at}`,
    };
    const text = textOf(block.data)?.trim() ?? '';
    if (block.kind === 'toolUse') {
      const { toolUseId: id, name, input } = object(block.data);
      const called = asked(read.state, place, { id, name, input });
      read = { ...called, rawEntries: [...read.rawEntries, ...called.rawEntries] };
    } else if (block.kind === 'text' && text !== '') {
      const marks = isLast ? ['final'] : [];
      read.rawEntries.push(
        rawEntryOf({ ...place, role: 'assistant', origin: 'agent', text, marks }),
      );
    } else if (block.kind !== 'text' && block.kind !== 'image')
      read.unknown = `block:${textOf(block.kind) ?? 'none'}`;
  });
  return { ...read, state: { ...read.state, answer: base.native, blocks: first + blocks.length } };
}

function readResults(before: KiroState, base: Base, blocks: Json[]): Read {
  let read: Read = { state: before, rawEntries: [] };
  blocks.forEach((block, at) => {
    if (block.kind !== 'toolResult') return;
    const { toolUseId: id, content, status } = object(block.data);
    const place: Base = { ...base, native: base.native === null ? null : `${base.native}:${at}` };
    const ok = status === 'error' ? false : status === 'success' ? true : null;
    const ended = answered(read.state, place, { id, text: resultText(content), ok });
    read = { state: ended.state, rawEntries: [...read.rawEntries, ...ended.rawEntries] };
  });
  return read;
}

/** Records about the turn, its cost and what the person was asked. */
const SILENT = new Set(
  'turn_start session_metadata pending_interaction interaction_resolved usage_summary session_event session_start'.split(
    ' ',
  ),
);

/** A record `{id, timestamp, payload}`. */
export function readMessage(state: KiroState, record: Json): Read {
  const payload = object(record.payload);
  const base: Base = { native: short(record.id), time: isoTime(record.timestamp), cwd: state.cwd };
  const text = textOf(payload.content) ?? '';
  switch (payload.type) {
    case 'user':
      return { state, rawEntries: promptOf(base, text) };
    case 'assistant': {
      const thinks = payload.operationType === 'Reasoning';
      const role = thinks ? ('thinking' as const) : ('assistant' as const);
      const trimmed = text.trim();
      return {
        state,
        rawEntries:
          trimmed === '' ? [] : [rawEntryOf({ ...base, role, origin: 'agent', text: trimmed })],
      };
    }
    case 'tool_call':
      return asked(state, base, {
        id: payload.toolCallId,
        name: payload.toolName,
        input: payload.args,
      });
    case 'tool_result': {
      const ok = typeof payload.success === 'boolean' ? payload.success : null;
      const told = text !== '' ? text : resultText(payload.content);
      return answered(state, base, { id: payload.toolCallId, text: told, ok });
    }
    case 'turn_end': {
      const stopped = /cancel|abort|interrupt/i.test(textOf(payload.stopReason) ?? '');
      return { state, rawEntries: stopped ? [notice(base, INTERRUPTED, 'interrupt')] : [] };
    }
    default: {
      const type = textOf(payload.type) ?? 'none';
      return { state, rawEntries: [], ...(SILENT.has(type) ? {} : { unknown: type }) };
    }
  }
}
