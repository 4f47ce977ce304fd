/**
 * Crush's databases, `.crush/crush.db` in each project: SQLite in WAL mode. `projects.json` in Crush's data folder lists them.
 *
 * - `sessions(id, parent_session_id, title, prompt_tokens, completion_tokens, cost, …)` and `messages(id, session_id, role,
 *   parts, model, created_at, updated_at, …)`. Times are seconds, though the schema says milliseconds; a trigger sets
 *   `updated_at` at each change, and messages change while they stream.
 * - `parts` is a list of `{type, data}`: `text`, `reasoning`, `tool_call` (`input` is JSON text), `tool_result`, `finish`.
 *   Results are in messages of their own; the query joins them with their calls.
 * - A failed command is not marked as an error: `Exit code 1` is at the end of its output. A refusal is `user denied
 *   permission`.
 * - A session with a parent is a subagent's. `summary_message_id` of a session is the summary that replaced its history.
 * - Tokens are known only for the session's last call, the cost for all of it: both are returned once per session.
 * - The project is the folder around `.crush`. A database that came with a clone (git does not ignore it) is not this person's.
 */
import type { Adapter, RawEntry, LogRecord, Outcome, SessionFacts, Step, Usage } from '../types.js';
import { rawEntryOf, exitIn, readToolCall, type ToolCall } from './calls.js';
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

interface CrushState {
  session: string | null;
  cwd: string | null;
  title: string | null;
}

const ROWS = `
  SELECT m.updated_at AS mark, m.rowid AS key, m.rowid AS line, m.id AS id, m.role AS role, m.parts AS parts, m.model AS model,
    m.created_at AS created, s.id AS session, s.parent_session_id AS parent, s.title AS title,
    s.prompt_tokens AS input, s.completion_tokens AS output, s.cost AS cost, s.summary_message_id = m.id AS summary,
    CASE WHEN m.role = 'tool' THEN (SELECT a.parts FROM messages a WHERE a.session_id = m.session_id
      AND a.role = 'assistant' AND a.rowid < m.rowid ORDER BY a.rowid DESC LIMIT 1) END AS asked
  FROM messages m JOIN sessions s ON s.id = m.session_id
  WHERE (m.updated_at, m.rowid) > ($mark, $key) ORDER BY m.updated_at, m.rowid LIMIT $limit`;

const PLACE = {
  under: '',
  globs: ['crush.db', '.crush/crush.db'],
  list: { file: 'projects.json', field: 'data_dir' },
};

export const crush: Adapter<CrushState> = {
  agent: 'crush',
  title: 'Crush',
  places: [
    { ...PLACE, env: 'XDG_DATA_HOME', below: 'crush', root: '.local/share/crush' },
    { ...PLACE, env: 'CRUSH_GLOBAL_DATA', root: 'AppData/Local/crush' },
  ],
  shape: () => 'rows',
  rows: [
    {
      needs: [
        'messages.parts',
        'messages.updated_at',
        'sessions.parent_session_id',
        'sessions.summary_message_id',
      ],
      sql: ROWS,
      columns:
        'line id role parts model created session parent title input output cost summary asked'.split(
          ' ',
        ),
      overlap: 5,
    },
  ],
  start: ({ folder }) => ({
    session: null,
    cwd: /^(.+)[\\/]\.crush$/.exec(folder ?? '')?.[1] ?? null,
    title: null,
  }),
  step,
};

function step(before: CrushState, { value }: LogRecord): Step<CrushState> {
  const row = object(value);
  const session = short(row.session);
  const id = short(row.id);
  if (session === null || id === null) return { state: before, rawEntries: [], unknown: 'record' };
  const state: CrushState = { ...before, session, title: short(row.title) };
  const parent = short(row.parent);
  const facts: SessionFacts = {
    session,
    cwd: state.cwd,
    title: state.title,
    ...(parent === null ? {} : { parent, subagent: true }),
  };
  const isNews = session !== before.session || state.title !== before.title;
  const message: Message = { id, row, isChild: parent !== null, time: isoTime(row.created) };
  const { rawEntries, unknown } = readParts(message);
  const usage = usageOf(row, session, message.time);
  return {
    state,
    rawEntries: rawEntries.map((raw) => ({ ...raw, cwd: raw.cwd ?? state.cwd })),
    ...(isNews ? { session: facts } : {}),
    ...(usage === null ? {} : { usage: [usage] }),
    ...(unknown === undefined ? {} : { unknown: unknown.slice(0, 80) }),
  };
}

interface Message {
  id: string;
  row: Json;
  isChild: boolean;
  time: string | null;
}

function usageOf(row: Json, session: string, time: string | null): Usage | null {
  const [input, output] = [whole(row.input) ?? 0, whole(row.output) ?? 0];
  if (row.role !== 'assistant' || input + output <= 0) return null;
  const cost = typeof row.cost === 'number' && row.cost > 0 ? row.cost : null;
  return {
    native: session,
    time,
    model: short(row.model),
    input,
    cacheRead: 0,
    cacheWrite: 0,
    output,
    reasoning: 0,
    cost,
  };
}

function partsOf(json: unknown): Json[] {
  try {
    return typeof json === 'string' ? list(JSON.parse(json)).filter(isObject) : [];
  } catch {
    return [];
  }
}

const SILENT = new Set(['binary', 'image_url']);

function readParts(message: Message): { rawEntries: RawEntry[]; unknown?: string } {
  const rawEntries: RawEntry[] = [];
  let unknown: string | undefined;
  partsOf(message.row.parts).forEach((part, at) => {
    const type = textOf(part.type) ?? 'none';
    const data = object(part.data);
    const base = { native: `${message.id}:${at}`, time: message.time };
    if (type === 'text') rawEntries.push(...said(message, base, textOf(data.text) ?? ''));
    else if (type === 'reasoning') {
      const text = textOf(data.thinking)?.trim() ?? '';
      if (text !== '')
        rawEntries.push(rawEntryOf({ ...base, role: 'thinking', origin: 'agent', text }));
    } else if (type === 'tool_call') rawEntries.push(callOf(data, base));
    else if (type === 'tool_result')
      rawEntries.push(resultOf(data, base, partsOf(message.row.asked)));
    else if (type === 'finish') rawEntries.push(...endOf(data, base));
    else if (!SILENT.has(type)) unknown ??= `part:${type}`;
  });
  return { rawEntries, ...(unknown === undefined ? {} : { unknown }) };
}

type Base = Pick<RawEntry, 'time'> & { native: string };

/** The prompt that the program's own command sends to describe a project. */
const MADE = /^`?Please analyze this codebase and create /;

function said({ row, isChild }: Message, base: Base, whole: string): RawEntry[] {
  const text = dropBinary(whole).trim();
  if (text === '') return [];
  const marks = isChild ? ['subagent'] : [];
  if (row.summary === 1)
    return [
      rawEntryOf({ ...base, role: 'system', origin: 'injected', text, marks: ['compaction'] }),
    ];
  if (row.role !== 'user') {
    const isLast = partsOf(row.parts).some(
      ({ type, data }) => type === 'finish' && object(data).reason === 'end_turn',
    );
    return [
      rawEntryOf({
        ...base,
        role: 'assistant',
        origin: 'agent',
        text,
        marks: [...marks, ...(isLast ? ['final'] : [])],
      }),
    ];
  }
  if (isChild) return [rawEntryOf({ ...base, role: 'user', origin: 'agent', text, marks })];
  return MADE.test(text)
    ? [rawEntryOf({ ...base, role: 'user', origin: 'injected', text })]
    : typedEntries(base, text);
}

/** How a message ended: the person may have stopped it. */
function endOf({ reason }: Json, base: Base): RawEntry[] {
  if (reason !== 'canceled' && reason !== 'cancelled') return [];
  const text = 'The user interrupted the turn.';
  return [rawEntryOf({ ...base, role: 'system', origin: 'injected', text, marks: ['interrupt'] })];
}

function callOf(data: Json, base: Base): RawEntry {
  const tool = textOf(data.name) ?? 'unknown';
  const { text, command, files, marks } = readToolCall(tool, data.input);
  const call = textOf(data.id) ?? base.native;
  return rawEntryOf({
    ...base,
    role: 'tool_call',
    origin: 'agent',
    text,
    tool,
    call,
    command,
    files,
    marks,
  });
}

/** Tools of Crush that work on this machine. */
const OWN = new Set(
  'bash edit multiedit write view glob grep ls diagnostics references job_output job_kill todos agent'.split(
    ' ',
  ),
);

function resultOf(data: Json, base: Base, asked: readonly Json[]): RawEntry {
  const id = textOf(data.tool_call_id);
  const call =
    asked.map((part) => object(part.data)).find((each) => textOf(each.id) === id && id !== null) ??
    {};
  const tool = textOf(data.name) ?? textOf(call.name) ?? 'unknown';
  const { command, files, web }: ToolCall = readToolCall(tool, call.input);
  const text = dropBinary(textOf(data.content) ?? '');
  const exit = command === null ? null : exitIn(text);
  const isKnown = Object.keys(call).length > 0;
  const origin = tool === 'agent' ? 'agent' : originOf(isKnown ? { web } : null, OWN.has(tool));
  const cwd = /<cwd>([^<\n]{1,1024})<\/cwd>\s*$/.exec(text.slice(-1100))?.[1] ?? null;
  const outcome = outcomeOf(data, text, exit);
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
    cwd,
  });
}

function outcomeOf({ is_error: isError }: Json, text: string, exit: number | null): Outcome {
  if (
    isError === true &&
    /user denied permission|permission denied by user/i.test(text.slice(0, 200))
  )
    return 'rejected';
  if (isError === true && /^(?:tool execution )?cancel|^request cancelled/i.test(text))
    return 'interrupted';
  return isError === true || (exit !== null && exit !== 0) ? 'failed' : 'ok';
}
