/**
 * Messages whose content is a list of blocks as in Anthropic's API: `text`, `thinking`, `tool_use`,
 * `tool_result`. The last text of an answer ends its turn.
 */
import type { Origin } from '../types.js';
import type { Event } from './engine.js';
import { isObject, type Json, list, object, short, text as textOf } from '../text/fields.js';
import { whole } from '../text/fields.js';
import { contentText } from './typed.js';

/** The beginning of the result of a call that the person refused. */
export const REFUSED =
  /^\W*(?:The user (?:denied|rejected|declined|doesn't want)|User (?:denied|rejected|declined|cancelled)|Permission denied by user)/i;

const SILENT = /^(?:image|document|redacted_thinking|cache_control)$/;

/** A content's blocks; a string becomes one text block. */
export function blocksOf(content: unknown): Json[] {
  return typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : list(content).filter(isObject);
}

/** @param by author of the prompts, if not the session's person or agent */
export function blockEvents({ role, content }: Json, by?: Origin): Event[] {
  if (role !== 'user' && role !== 'assistant')
    return [{ is: 'unknown', type: `message:${textOf(role) ?? 'none'}` }];
  const blocks = blocksOf(content);
  return blocks.flatMap((block, part): Event[] => {
    const text = textOf(block.text) ?? textOf(block.thinking) ?? '';
    if (block.type === 'text')
      return role === 'user'
        ? [{ is: 'prompt', part, text, ...(by === undefined ? {} : { by }) }]
        : [{ is: 'answer', part, text, final: part === blocks.length - 1 }];
    if (block.type === 'thinking' || block.type === 'reasoning')
      return [{ is: 'thought', part, text }];
    if (block.type === 'tool_use') {
      const tool = short(block.name) ?? 'unknown';
      return [{ is: 'call', part, call: short(block.id), tool, input: block.input }];
    }
    if (block.type === 'tool_result') {
      const call = short(block.tool_use_id);
      const ok = block.is_error !== true;
      return [{ is: 'result', part, call, text: contentText(block.content), ok }];
    }
    const type = textOf(block.type) ?? 'none';
    return SILENT.test(type) ? [] : [{ is: 'unknown', type: `block:${type}` }];
  });
}

/** The value of the first of these names that the object has. */
export function valueOf(record: Json, names: readonly string[]): unknown {
  for (const name of names)
    if (record[name] !== undefined && record[name] !== null) return record[name];
  return undefined;
}

/** As `valueOf`, for a name or a number; else null. */
export function nameOf(record: Json, names: readonly string[]): string | null {
  const value = valueOf(record, names);
  return typeof value === 'number' ? String(value) : short(value);
}

/** Names of a field in calls and results, the likeliest first. */
const ID = ['id', 'call_id', 'callId', 'toolCallId', 'tool_call_id'];
const ANSWERED = ['tool_use_id', 'tool_call_id', 'toolCallId', 'call_id', 'callId', 'id'];
const INPUT = ['input', 'arguments', 'args', 'parameters'];
const OUTPUT = ['content', 'output', 'result', 'value', 'text', 'response', 'error'];

/**
 * The event of a part of a message, by the field names of all agents; null: unknown type.
 * @param role user, assistant, system or tool
 */
export function partEvent(role: string, part: Json): Event | null {
  const type = textOf(part.type) ?? 'text';
  const { functionCall: call, functionResponse: response } = part;
  if (/^(?:tool_?(?:use|call|request)|function_?call)$/i.test(type) || isObject(call))
    return callIn({ ...part, ...object(call), ...object(part.function) });
  const isResult = /^(?:tool_?(?:result|response)|function_?(?:response|call_output))$/i.test(type);
  if (isResult || isObject(response) || role === 'tool')
    return resultIn({ ...part, ...object(response) });
  const text = textOf(part.text) ?? textOf(part.thinking) ?? textOf(part.content) ?? '';
  if (/^(?:thinking|reasoning)$/.test(type) || part.thought === true)
    return { is: 'thought', text };
  if (type !== 'text') return null;
  return { is: role === 'user' ? 'prompt' : role === 'system' ? 'notice' : 'answer', text };
}

/** The events of a message in a database row, with the facts and totals of its session. */
export function rowEvents(row: Json, cwd: string | null, events: readonly Event[]): Event[] {
  const [session, parent, title] = [short(row.session), short(row.parent), short(row.title)];
  if (session === null) return [{ is: 'unknown', type: 'record' }];
  const { role, model, input, output, cost } = row;
  const subagent = parent !== null || row.type === 'sub_agent';
  const isMachine = row.type === 'scheduled' || row.type === 'hidden';
  const native = role === 'assistant' ? session : null;
  return [
    {
      ...{ is: 'session', session, cwd, title, parent, subagent },
      ...(isMachine && { machine: true }),
    },
    ...events,
    { is: 'usage', native, model, input, output, cost },
  ];
}

/** A call with any of the field names. */
export function callIn(call: Json): Event & { is: 'call'; input: unknown } {
  const tool = nameOf(call, ['name', 'tool', 'toolName']) ?? 'unknown';
  return { is: 'call', call: nameOf(call, ID), tool, input: valueOf(call, INPUT) };
}

/** A call's result with any of the field names. */
export function resultIn(result: Json): Event & { is: 'result' } {
  const output = valueOf(result, OUTPUT);
  const inner = isObject(output) ? (valueOf(output, OUTPUT) ?? output) : output;
  const parts = list(inner).flatMap((part) => textOf(part) ?? textOf(object(part).text) ?? []);
  const json = inner === undefined ? '' : JSON.stringify(inner);
  const { is_error, isError, success, error, status } = { ...result, ...object(result.value) };
  const isFailed = [is_error, isError, success === false, status === 'error'].includes(true);
  const exit = whole(valueOf(result, ['exit_code', 'exitCode', 'exit']));
  return {
    ...{ is: 'result', call: nameOf(result, ANSWERED), ok: !isFailed && textOf(error) === null },
    text: typeof inner === 'string' ? inner : parts.join('\n') || json,
    ...(exit !== null && { exit }),
  };
}
