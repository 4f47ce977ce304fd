/**
 * Goose's sessions, `sessions/sessions.db` in its data folder: SQLite (since 1.10). Not tested on real logs: known from
 * descriptions and invented samples of schema versions 14 and 15.
 *
 * - `sessions(id, name, description, working_dir, …, accumulated_cost, model_config_json, session_type, parent_session_id)`,
 *   the last since 15; `messages(id, message_id, session_id, role, content_json, created_timestamp, metadata_json)`. `id`
 *   rises; edited rows keep it, and are not read again. Times are seconds.
 * - `content_json` is a list: `text`, `thinking`, `toolRequest` (`toolCall`, in newer versions in `value` with a `status`),
 *   `toolResponse` (`toolResult`: `content`, or `value` / `error` with a `status`), and notes for the screen.
 * - `metadata.userVisible` false marks what the program added; a message with `agentVisible` false was compacted away and
 *   stays.
 * - Tokens are known only as the session's total: returned once per session.
 * - Older sessions (`*.jsonl`) are not read.
 */
import type { Adapter, RawEntry, LogRecord, Outcome, SessionFacts, Step, Usage } from '../types.js';
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
} from './fields.js';
import { originOf } from './open-calls.js';
import { typedEntries } from './typed.js';

interface GooseState {
  session: string | null;
}

/** @param parent the column of the parent's id, or NULL in versions without it */
const rowsOf = (parent: string): string => `
  SELECT m.id AS mark, m.id AS key, m.id AS line, m.message_id AS id, m.role AS role, m.content_json AS content,
    m.created_timestamp AS created, m.metadata_json AS metadata, s.id AS session, s.description AS title, s.working_dir AS cwd,
    s.session_type AS type, s.accumulated_input_tokens AS input, s.accumulated_output_tokens AS output,
    s.accumulated_cost AS cost, s.model_config_json AS model, ${parent} AS parent,
    CASE WHEN m.content_json LIKE '%toolResponse%' THEN (SELECT a.content_json FROM messages a
      WHERE a.session_id = m.session_id AND a.role = 'assistant' AND a.id < m.id ORDER BY a.id DESC LIMIT 1) END AS asked
  FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.id > $key ORDER BY m.id LIMIT $limit`;

const NEEDS = [
  'messages.content_json',
  'sessions.working_dir',
  'sessions.accumulated_cost',
  'sessions.session_type',
];
const COLUMNS =
  'line id role content created metadata session title cwd type input output cost model parent asked'.split(
    ' ',
  );
const PLACE = { under: 'sessions', globs: ['sessions.db'] };

export const goose: Adapter<GooseState> = {
  agent: 'goose',
  title: 'Goose',
  unproven: true,
  places: [
    { ...PLACE, env: 'XDG_DATA_HOME', below: 'goose', root: '.local/share/goose' },
    { ...PLACE, env: 'GOOSE_PATH_ROOT', below: 'data', root: 'Library/Application Support/goose' },
    { ...PLACE, env: null, root: '.local/share/Block/goose' },
    { ...PLACE, env: null, root: 'AppData/Roaming/Block/goose/data' },
    { env: null, root: 'databases', under: '', globs: ['*.db'], named: true },
  ],
  shape: () => 'rows',
  rows: [
    {
      needs: [...NEEDS, 'sessions.parent_session_id'],
      sql: rowsOf('s.parent_session_id'),
      columns: COLUMNS,
      overlap: 0,
    },
    { needs: NEEDS, sql: rowsOf('NULL'), columns: COLUMNS, overlap: 0 },
  ],
  start: () => ({ session: null }),
  step,
};

function parse(json: unknown): unknown {
  try {
    return typeof json === 'string' ? JSON.parse(json) : null;
  } catch {
    return null;
  }
}

interface Message {
  id: string | null;
  time: string | null;
  row: Json;
  /** A program or another agent fills the person's place. */
  isChild: boolean;
  isHidden: boolean;
}

function step(before: GooseState, { value }: LogRecord): Step<GooseState> {
  const row = object(value);
  const session = short(row.session);
  if (session === null) return { state: before, rawEntries: [], unknown: 'record' };
  const parent = short(row.parent);
  const isChild = parent !== null || row.type === 'sub_agent';
  const isHidden = object(parse(row.metadata)).userVisible === false;
  const message = {
    id: short(row.id) ?? `${session}:${whole(row.line) ?? 0}`,
    time: isoTime(row.created),
    row,
    isChild,
    isHidden,
  };
  const { rawEntries, unknown } = partsOf(message);
  const usage = usageOf(row, session, message.time);
  const facts: SessionFacts = {
    session,
    cwd: short(row.cwd),
    title: short(row.title),
    ...(isChild ? { parent, subagent: true } : {}),
    ...(row.type === 'scheduled' || row.type === 'hidden' ? { machine: true } : {}),
  };
  return {
    state: { session },
    rawEntries: rawEntries.map((raw) => ({ ...raw, cwd: short(row.cwd) })),
    ...(session === before.session ? {} : { session: facts }),
    ...(usage === null ? {} : { usage: [usage] }),
    ...(unknown === undefined ? {} : { unknown: unknown.slice(0, 80) }),
  };
}

function usageOf(row: Json, session: string, time: string | null): Usage | null {
  const [input, output] = [whole(row.input) ?? 0, whole(row.output) ?? 0];
  if (row.role !== 'assistant' || input + output <= 0) return null;
  const model = short(object(parse(row.model)).model_name);
  const cost = typeof row.cost === 'number' && row.cost > 0 ? row.cost : null;
  return {
    native: session,
    time,
    model,
    input,
    cacheRead: 0,
    cacheWrite: 0,
    output,
    reasoning: 0,
    cost,
  };
}

const SILENT = new Set(
  'image redactedThinking systemNotification actionRequired toolConfirmationRequest frontendToolRequest'.split(
    ' ',
  ),
);

function partsOf(message: Message): { rawEntries: RawEntry[]; unknown?: string } {
  const rawEntries: RawEntry[] = [];
  let unknown: string | undefined;
  list(parse(message.row.content)).forEach((each, at) => {
    const part = object(each);
    const type = textOf(part.type) ?? 'none';
    const base = { native: message.id === null ? null : `${message.id}:${at}`, time: message.time };
    const text = dropBinary(
      textOf(part.text) ?? textOf(part.thinking) ?? textOf(part.msg) ?? '',
    ).trim();
    if (type === 'text') rawEntries.push(...saidBy(message, base, text));
    else if (type === 'thinking' || type === 'reasoning') {
      if (text !== '')
        rawEntries.push(rawEntryOf({ ...base, role: 'thinking', origin: 'agent', text }));
    } else if (type === 'summarizationRequested' || type === 'contextLengthExceeded') {
      const told = text === '' ? 'The conversation was compacted.' : text;
      rawEntries.push(
        rawEntryOf({
          ...base,
          role: 'system',
          origin: 'injected',
          text: told,
          marks: ['compaction'],
        }),
      );
    } else if (type === 'toolRequest') rawEntries.push(callOf(part, base));
    else if (type === 'toolResponse')
      rawEntries.push(resultOf(part, base, list(parse(message.row.asked)).map(object)));
    else if (!SILENT.has(type)) unknown ??= `part:${type}`;
  });
  return { rawEntries, ...(unknown === undefined ? {} : { unknown }) };
}

type Base = Pick<RawEntry, 'native' | 'time'>;

function saidBy({ row, isChild, isHidden }: Message, base: Base, text: string): RawEntry[] {
  if (text === '') return [];
  const marks = isChild ? ['subagent'] : [];
  if (row.role === 'assistant')
    return [rawEntryOf({ ...base, role: 'assistant', origin: 'agent', text, marks })];
  if (isHidden || row.role !== 'user')
    return [rawEntryOf({ ...base, role: 'user', origin: 'injected', text })];
  return isChild
    ? [rawEntryOf({ ...base, role: 'user', origin: 'agent', text, marks })]
    : typedEntries(base, text);
}

/** The request, with or without a status around it. */
function askedIn(part: Json): { id: string | null; tool: string; input: unknown } {
  const call = object(part.toolCall);
  const inner = isObject(call.value) ? call.value : call;
  return {
    id: textOf(part.id) ?? textOf(call.id) ?? textOf(inner.id),
    tool: textOf(inner.name) ?? 'unknown',
    input: inner.arguments,
  };
}

function callOf(part: Json, base: Base): RawEntry {
  const { id, tool, input } = askedIn(part);
  const { text, command, files, marks } = readToolCall(tool, input);
  return rawEntryOf({
    ...base,
    role: 'tool_call',
    origin: 'agent',
    text,
    tool,
    call: id,
    command,
    files,
    marks,
  });
}

/** Extensions of Goose itself; all others are MCP servers. */
const OWN =
  /^(?:(?:developer|memory|todo|platform|skills|subagent|analyze|code_execution)__\w+|shell|text_editor|write|edit|tree|read_file|analyze|todo__?\w*|delegate|load|read_image|automation_script|cache)$/;

function resultOf(part: Json, base: Base, asked: readonly Json[]): RawEntry {
  const id = textOf(part.toolCallId) ?? textOf(part.id);
  const call = asked.filter(({ type }) => type === 'toolRequest').map(askedIn);
  const own = call.find((each) => each.id === id) ?? (call.length === 1 ? call[0] : undefined);
  const result = object(part.toolResult);
  const inner = isObject(result.value) ? result.value : result;
  const texts = list(Array.isArray(result.value) ? result.value : inner.content).map(
    (each) => textOf(object(each).text) ?? '',
  );
  const error = textOf(result.error);
  const text = dropBinary(texts.filter((each) => each !== '').join('\n') || error || '');
  const tool = own?.tool ?? 'unknown';
  const { command, files, web } = readToolCall(tool, own?.input);
  const exit = command === null ? null : exitIn(text);
  const isError =
    error !== null ||
    result.status === 'error' ||
    result.isError === true ||
    inner.isError === true;
  const isDeclined = /^The user has declined to run this tool/.test(text);
  const outcome: Outcome = isDeclined
    ? 'rejected'
    : isError || (exit !== null && exit !== 0)
      ? 'failed'
      : 'ok';
  const origin = originOf(own && { web: web && command !== null }, OWN.test(tool));
  return rawEntryOf({
    ...base,
    role: 'tool_result',
    origin,
    text,
    tool,
    call: id,
    command,
    files,
    exit,
    outcome,
  });
}
