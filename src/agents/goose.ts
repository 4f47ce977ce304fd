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
import { agent, type Event } from './engine.js';
import {
  isObject,
  isoTime,
  type Json,
  list,
  object,
  parse,
  parseAny,
  short,
  text as textOf,
  whole,
} from '../text/fields.js';
import { contentText } from './typed.js';

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
const PARENT = 'sessions.parent_session_id';
const COLUMNS =
  'line id role content created metadata session title cwd type input output cost model parent asked'.split(
    ' ',
  );
const PLACE = { under: 'sessions', globs: ['sessions.db'] };

export const goose = agent<null>({
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
    { needs: [...NEEDS, PARENT], sql: rowsOf('s.parent_session_id'), columns: COLUMNS, overlap: 0 },
    { needs: NEEDS, sql: rowsOf('NULL'), columns: COLUMNS, overlap: 0 },
  ],
  // Extensions of Goose itself; all others are MCP servers.
  ownTools:
    /^(?:(?:developer|memory|todo|platform|skills|subagent|analyze|code_execution)__\w+|shell|text_editor|write|edit|tree|read_file|analyze|todo__?\w*|delegate|load|read_image|automation_script|cache)$/,
  tags: null,
  more: null,
  place: (row) => ({
    id: short(row.id) ?? `${short(row.session) ?? ''}:${whole(row.line) ?? 0}`,
    time: isoTime(row.created),
  }),
  read(row) {
    const [session, parent] = [short(row.session), short(row.parent)];
    if (session === null) return [{ is: 'unknown', type: 'record' }];
    return [
      {
        ...{ is: 'session', session, parent, cwd: short(row.cwd), title: short(row.title) },
        subagent: parent !== null || row.type === 'sub_agent',
        ...((row.type === 'scheduled' || row.type === 'hidden') && { machine: true }),
      },
      ...list(parseAny(row.content)).flatMap((part, at) => partEvents(object(part), at, row)),
      {
        ...{ is: 'usage', native: row.role === 'assistant' ? session : null, input: row.input },
        ...{ output: row.output, cost: row.cost, model: parse(row.model).model_name },
      },
    ];
  },
});

const SILENT =
  /^(?:image|redactedThinking|systemNotification|actionRequired|toolConfirmationRequest|frontendToolRequest)$/;

function partEvents(item: Json, part: number, row: Json): Event[] {
  const type = textOf(item.type) ?? 'none';
  const text = textOf(item.text) ?? textOf(item.thinking) ?? textOf(item.msg) ?? '';
  switch (type) {
    case 'text': {
      if (row.role === 'assistant') return [{ is: 'answer', part, text }];
      const isHidden = row.role !== 'user' || parse(row.metadata).userVisible === false;
      return isHidden
        ? [{ is: 'prompt', part, text, by: 'injected', child: false }]
        : [{ is: 'prompt', part, text }];
    }
    case 'thinking':
    case 'reasoning':
      return [{ is: 'thought', part, text }];
    case 'summarizationRequested':
    case 'contextLengthExceeded':
      return [{ is: 'notice', part, text, mark: 'compaction' }];
    case 'toolRequest':
      return [{ is: 'call', part, ...askedIn(item), child: false }];
    case 'toolResponse':
      return [{ ...resultEvent(item, list(parseAny(row.asked)).map(object)), part }];
    default:
      return SILENT.test(type) ? [] : [{ is: 'unknown', type: `part:${type}` }];
  }
}

/** The request or the result, with or without a status around it. */
function innerOf(of: Json): Json {
  return isObject(of.value) ? of.value : of;
}

function askedIn(part: Json): { call: string | null; tool: string; input: unknown } {
  const call = object(part.toolCall);
  const inner = innerOf(call);
  const id = textOf(part.id) ?? textOf(call.id) ?? textOf(inner.id);
  return { call: id, tool: textOf(inner.name) ?? 'unknown', input: inner.arguments };
}

function resultEvent(part: Json, parts: readonly Json[]): Event & { is: 'result' } {
  const call = textOf(part.toolCallId) ?? textOf(part.id);
  const calls = parts.filter(({ type }) => type === 'toolRequest').map(askedIn);
  const asked = calls.find((each) => each.call === call) ?? (calls.length === 1 ? calls[0]! : null);
  const result = object(part.toolResult);
  const inner = innerOf(result);
  const error = textOf(result.error);
  const content = Array.isArray(result.value) ? result.value : inner.content;
  const isError =
    error !== null ||
    result.status === 'error' ||
    result.isError === true ||
    inner.isError === true;
  const text = contentText(content) || error || '';
  const outcome = /^The user has declined to run this tool/.test(text) ? 'rejected' : null;
  return { is: 'result', call, text, asked, ok: !isError, outcome };
}
