import type { RawEntry, Origin, Usage, Step } from '../../types.js';
import {
  isObject,
  isoTime,
  list,
  object,
  short,
  text as textOf,
  whole,
  type Json,
  plainCommand,
} from '../fields.js';
import { readCall, contentText } from './results.js';
import { makeRawEntry, placeOf, type RecordPlace, addCall, type ClaudeState } from './state.js';

/** Blocks without text worth keeping. */
const SILENT = new Set([
  'redacted_thinking',
  'fallback',
  'image',
  'document',
  'container_upload',
  'compaction',
]);

/**
 * An `assistant` record: one block of an answer (text, thinking, tool call), or an error made on
 * this machine.
 */
export function stepAssistant(state: ClaudeState, record: Json): Step<ClaudeState> {
  const place = placeOf(record, state);
  const message = object(record.message);
  const content =
    typeof message.content === 'string'
      ? [{ type: 'text', text: message.content }]
      : list(message.content).filter(isObject);
  const synthetic = record.isApiErrorMessage === true || message.model === '<synthetic>';
  const final = message.stop_reason === 'end_turn' || message.stop_reason === 'stop_sequence';
  const rawEntries: RawEntry[] = [];
  let now: ClaudeState = { ...state, busy: !final && !synthetic };
  let unknown: string | undefined;
  content.forEach((block, index) => {
    const type = textOf(block.type) ?? '';
    if (type === 'text') rawEntries.push(...answer(place, block, index, synthetic, final));
    else if (type === 'thinking') rawEntries.push(...thought(place, block, index));
    else if (/^(?:server_|mcp_)?tool_use$/.test(type)) {
      const call = toolCall(now, place, block, index, type);
      now = call.state;
      rawEntries.push(call.raw);
    } else if (/_tool_result$/.test(type)) rawEntries.push(serverResult(now, place, block, index));
    else if (!SILENT.has(type)) unknown = `block:${type}`;
  });
  const usage = synthetic ? null : usageOf(record, message);
  return {
    state: now,
    rawEntries,
    ...(usage === null ? {} : { usage: [usage] }),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

/**
 * Tokens of the answer that the record belongs to. Three of four answers are written as several
 * records, each of which repeats the counts or has larger ones, and a resumed session may repeat
 * them all. They share the id and request of the answer.
 */
function usageOf(record: Json, message: Json): Usage | null {
  const told = object(message.usage);
  const id = short(message.id) ?? short(record.uuid);
  const count = (value: unknown): number => Math.max(0, whole(value) ?? 0);
  const input = count(told.input_tokens);
  const cacheRead = count(told.cache_read_input_tokens);
  const cacheWrite = count(told.cache_creation_input_tokens);
  const output = count(told.output_tokens);
  if (id === null || input + cacheRead + cacheWrite + output === 0) return null;
  return {
    native: `${id}:${short(record.requestId) ?? ''}`,
    time: isoTime(record.timestamp),
    model: short(message.model),
    input,
    cacheRead,
    cacheWrite,
    output,
    reasoning: 0,
    cost: typeof record.costUSD === 'number' && record.costUSD > 0 ? record.costUSD : null,
  };
}

function answer(
  place: RecordPlace,
  block: Json,
  index: number,
  synthetic: boolean,
  final: boolean,
): RawEntry[] {
  const text = textOf(block.text)?.trim();
  if (!text) return [];
  if (synthetic)
    return text === 'No response requested.'
      ? []
      : [makeRawEntry(place, index, 'system', 'injected', text)];
  return [
    makeRawEntry(place, index, 'assistant', 'agent', text, final ? { marks: ['final'] } : {}),
  ];
}

/** A `thinking` block; its text is often empty, with only a signature. */
function thought(place: RecordPlace, block: Json, index: number): RawEntry[] {
  const text = textOf(block.thinking)?.trim();
  return text ? [makeRawEntry(place, index, 'thinking', 'agent', text)] : [];
}

function toolCall(
  state: ClaudeState,
  place: RecordPlace,
  block: Json,
  index: number,
  type: string,
): { state: ClaudeState; raw: RawEntry } {
  const tool = textOf(block.name) ?? 'unknown';
  const id = textOf(block.id);
  const call = readCall(tool, block.input);
  const web = call.web || type !== 'tool_use';
  const raw = makeRawEntry(place, index, 'tool_call', 'agent', call.text, {
    tool,
    call: id,
    command: call.command,
    files: call.files,
    marks: call.marks,
  });
  if (id === null) return { state, raw };
  const open = {
    id,
    tool: tool.slice(0, 100),
    command: plainCommand(call.command),
    files: call.files.slice(0, 8),
    web,
    task: taskOf(block.input),
  };
  return { state: { ...state, calls: addCall(state.calls, open) }, raw };
}

/** The background task that a call asks about. */
function taskOf(input: unknown): string | null {
  return short(object(input).task_id) ?? short(object(input).bash_id);
}

/**
 * A result that the model's server wrote into the answer: a web search, or an MCP server's text.
 */
function serverResult(
  state: ClaudeState,
  place: RecordPlace,
  block: Json,
  index: number,
): RawEntry {
  const id = textOf(block.tool_use_id);
  const call = state.calls.find((open) => open.id === id);
  const found = list(block.content)
    .map(object)
    .map((hit) => [textOf(hit.title), textOf(hit.url)].filter(Boolean).join(' '))
    .filter(Boolean);
  const text = contentText(block.content) || found.join('\n');
  const failed =
    block.is_error === true || /_error$/.test(textOf(object(block.content).type) ?? '');
  const origin: Origin = 'external';
  return makeRawEntry(place, index, 'tool_result', origin, text, {
    tool: call?.tool ?? null,
    call: id,
    outcome: failed ? 'failed' : 'ok',
  });
}
