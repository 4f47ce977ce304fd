import { blocksOf } from '../blocks.js';
import type { Event, OpenCall } from '../engine.js';
import { list, object, short, text as textOf, whole, type Json } from '../../text/fields.js';
import { contentText } from '../typed.js';
import { readCall, joinTexts } from './calls.js';
import type { Reading } from './state.js';

/** Blocks without text worth keeping. */
const SILENT = /^(?:redacted_thinking|fallback|image|document|container_upload|compaction)$/;

/**
 * An `assistant` record: one block of an answer (text, thinking, tool call), or an error made on
 * this machine.
 */
export function assistantEvents(reading: Reading): Event[] {
  const { record, more } = reading;
  const message = object(record.message);
  const isMade = record.isApiErrorMessage === true || message.model === '<synthetic>';
  const final = message.stop_reason === 'end_turn' || message.stop_reason === 'stop_sequence';
  more.busy = !final && !isMade;
  const events = blocksOf(message.content).flatMap((block, part): Event[] => {
    const type = textOf(block.type) ?? '';
    const text = textOf(block.text)?.trim() ?? '';
    if (type === 'text' && !isMade) return [{ is: 'answer', part, text, final }];
    // Texts from the program instead of the model.
    if (type === 'text')
      return text === 'No response requested.' ? [] : [{ is: 'notice', part, text }];
    if (type === 'thinking') return [{ is: 'thought', part, text: textOf(block.thinking) ?? '' }];
    if (/^(?:server_|mcp_)?tool_use$/.test(type)) return [callEvent(reading, block, part, type)];
    if (type.endsWith('_tool_result')) return [serverResult(block, part)];
    return SILENT.test(type) ? [] : [{ is: 'unknown', type: `block:${type}` }];
  });
  return [...events, ...usageEvents(reading, message, isMade)];
}

function callEvent({ kept }: Reading, block: Json, part: number, type: string): Event {
  const { input } = block;
  const tool = textOf(block.name) ?? 'unknown';
  const asks = readCall(tool, input);
  const task = short(object(input).task_id) ?? short(object(input).bash_id);
  // The output of a background task that fetches is external text in any tool.
  const isOf = ({ web, more }: OpenCall) => web && task !== null && object(more).task === task;
  asks.web ||= type !== 'tool_use' || kept.calls.some(isOf);
  const more = task === null ? {} : { more: { task } };
  return { is: 'call', part, call: textOf(block.id), tool, asks, ...more };
}

/** A provider's ids are unique; a gateway may give every answer the same id. */
const UNIQUE = /^(?:msg_(?!\d+$)\w+|[\w.-]*[A-Za-z\d]{16,}[\w.-]*)$/;

/**
 * Tokens of the record's answer, and of an advisor during it. Other records of the answer, or a
 * resumed session, may repeat the counts.
 */
function usageEvents({ record, more }: Reading, message: Json, isMade: boolean): Event[] {
  const id = short(message.id);
  const isSame = more.answer !== null && more.answer.id === id;
  const first = isSame ? more.answer!.first : short(textOf(record.uuid));
  more.answer = id === null ? null : { id, first };
  const request = short(record.requestId);
  // No other answer has this id, and a fork copies all its parts.
  const isUnique = id !== null && (request !== null || UNIQUE.test(id));
  const own = isUnique ? id : first === null || id === null ? first : `${id}:${first}`;
  if (isMade || own === null) return [];
  const native = `${own}:${request ?? ''}`;
  const counted = object(message.usage);
  const advice = list(counted.iterations)
    .map(object)
    .filter(({ type }) => type === 'advisor_message');
  return [
    usageEvent(native, counted, message.model, record.costUSD),
    ...advice.map((each, n) => usageEvent(`${native}:advisor${n}`, each, each.model, null)),
  ];
}

function usageEvent(native: string, counts: Json, model: unknown, cost: unknown): Event {
  const { input_tokens: input, output_tokens: output } = counts;
  const { cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite } = counts;
  return { is: 'usage', native, model, input, output, cacheRead, cacheWrite, cost };
}

/**
 * A result from the model's server inside the answer: a web search, an MCP server's text, a
 * script's output, or another model's advice.
 */
function serverResult(block: Json, part: number): Event {
  const exit = whole(object(block.content).return_code);
  const isError =
    block.is_error === true || /_error$/.test(textOf(object(block.content).type) ?? '');
  const origin = block.type === 'advisor_tool_result' ? 'agent' : 'external';
  const of = { call: textOf(block.tool_use_id), text: serverText(block.content), origin } as const;
  return { is: 'result', part, ...of, ok: !isError, exit };
}

/** The text of a server's result: blocks, hits of a search, a fetched page, or a script's output. */
function serverText(content: unknown): string {
  if (typeof content === 'string') return content;
  const hits = list(content).map(object);
  if (Array.isArray(content))
    return (
      contentText(content) || joinTexts(hits.map(({ title, url }) => joinTexts([title, url], ' ')))
    );
  const { text, stdout, stderr, error_code, url, content: inner } = object(content);
  const page = object(object(inner).source);
  const body = page.type === 'text' ? page.data : contentText(inner);
  return joinTexts([text, stdout, stderr, error_code, url, body]);
}
