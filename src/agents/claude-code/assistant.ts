import type { RawEntry, Origin, Usage, Step } from '../../types.js';
import {
  isObject,
  isoTime,
  list,
  object,
  short,
  text as textOf,
  whole,
  count,
  type Json,
  plainCommand,
} from '../fields.js';
import { readCall, contentText } from './results.js';
import {
  addCall,
  type ClaudeState,
  makeRawEntry,
  type OpenAnswer,
  placeOf,
  type RecordPlace,
} from './state.js';

/** Blocks without text worth keeping. */
const SILENT = /^(?:redacted_thinking|fallback|image|document|container_upload|compaction)$/;

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
    const text = textOf(block.text)?.trim() ?? '';
    if (type === 'text' && synthetic) rawEntries.push(...notice(place, text, index));
    else if (type === 'text')
      rawEntries.push(...answer(place, text, index, final ? ['final'] : []));
    else if (type === 'thinking') rawEntries.push(...thought(place, block, index));
    else if (/^(?:server_|mcp_)?tool_use$/.test(type)) {
      const call = toolCall(now, place, block, index, type);
      now = call.state;
      rawEntries.push(call.raw);
    } else if (/_tool_result$/.test(type)) rawEntries.push(serverResult(now, place, block, index));
    else if (!SILENT.test(type)) unknown = `block:${type}`;
  });
  const told = answerOf(state, record, message);
  const usage = synthetic ? [] : usageOf(told, record, message);
  return {
    state: { ...now, answer: told.id === null ? null : told },
    rawEntries,
    ...(usage.length === 0 ? {} : { usage }),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

/** Ids that the provider makes are unique; a gateway may give every answer the same one. */
const UNIQUE = /^(?:msg_(?!\d+$)\w+|[\w.-]*[A-Za-z\d]{16,}[\w.-]*)$/;

/** The answer that a record belongs to: records of one answer follow each other. */
function answerOf(state: ClaudeState, record: Json, message: Json): OpenAnswer {
  const id = short(message.id);
  const known = state.answer ?? null;
  return known !== null && known.id === id ? known : { id, first: short(record.uuid) };
}

/** An id of the answer that no other answer has; a fork copies all that it is made of. */
function usageId({ id, first }: OpenAnswer, request: string | null): string | null {
  if (id !== null && (request !== null || UNIQUE.test(id))) return `${id}:${request ?? ''}`;
  return first === null ? null : `${id === null ? '' : `${id}:`}${first}:${request ?? ''}`;
}

/**
 * Tokens of the answer that the record belongs to, and of the advisor that was asked meanwhile.
 * Three of four answers are written as several records, each of which repeats the counts or has
 * larger ones, and a resumed session may repeat them all.
 */
function usageOf(answer: OpenAnswer, record: Json, message: Json): Usage[] {
  const native = usageId(answer, short(record.requestId));
  if (native === null) return [];
  const counted = object(message.usage);
  const advice = list(counted.iterations)
    .map(object)
    .filter((each) => each.type === 'advisor_message')
    .flatMap((each, n) => countsOf(`${native}:advisor${n}`, record, each, each.model));
  const cost = typeof record.costUSD === 'number' && record.costUSD > 0 ? record.costUSD : null;
  return [
    ...countsOf(native, record, counted, message.model).map((each) => ({ ...each, cost })),
    ...advice,
  ];
}

function countsOf(native: string, record: Json, counts: Json, model: unknown): Usage[] {
  const input = count(counts.input_tokens);
  const cacheRead = count(counts.cache_read_input_tokens);
  const cacheWrite = count(counts.cache_creation_input_tokens);
  const output = count(counts.output_tokens);
  if (input + cacheRead + cacheWrite + output === 0) return [];
  const time = isoTime(record.timestamp);
  const tokens = { input, cacheRead, cacheWrite, output, reasoning: 0 };
  return [{ native, time, model: short(model), ...tokens, cost: null }];
}

function answer(place: RecordPlace, text: string, index: number, marks: string[]): RawEntry[] {
  return text === '' ? [] : [makeRawEntry(place, index, 'assistant', 'agent', text, { marks })];
}

/** What the program says in the model's place. */
function notice(place: RecordPlace, text: string, index: number): RawEntry[] {
  return text === '' || text === 'No response requested.'
    ? []
    : [makeRawEntry(place, index, 'system', 'injected', text)];
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
 * A result that the model's server wrote into the answer: a web search, an MCP server's text, the
 * output of a script, or the advice of another model.
 */
function serverResult(state: ClaudeState, place: RecordPlace, block: Json, index: number) {
  const id = textOf(block.tool_use_id);
  const call = state.calls.find((open) => open.id === id);
  const content = object(block.content);
  const code = whole(content.return_code);
  const failed = block.is_error === true || /_error$/.test(textOf(content.type) ?? '');
  const origin: Origin = block.type === 'advisor_tool_result' ? 'agent' : 'external';
  return makeRawEntry(place, index, 'tool_result', origin, serverText(block.content), {
    tool: call?.tool ?? null,
    call: id,
    exit: code,
    outcome: failed || (code !== null && code !== 0) ? 'failed' : 'ok',
  });
}

/** The text of a server's result: blocks, hits of a search, a fetched page, or a script's output. */
function serverText(content: unknown): string {
  const text = contentText(content);
  if (text !== '') return text;
  if (Array.isArray(content))
    return content
      .map(object)
      .map((hit) => [textOf(hit.title), textOf(hit.url)].filter(Boolean).join(' '))
      .filter(Boolean)
      .join('\n');
  const one = object(content);
  const page = object(object(one.content).source);
  return [
    ...[one.text, one.stdout, one.stderr, one.error_code, one.url].map(textOf),
    page.type === 'text' ? textOf(page.data) : contentText(one.content),
  ]
    .filter(Boolean)
    .join('\n');
}
