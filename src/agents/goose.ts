/**
 * Goose's sessions, `sessions/sessions.db` in its data folder: SQLite (since 1.10). Not tested on
 * real logs: known from descriptions and invented samples of schema versions 14 and 15, which has
 * the session's parent. Edited rows keep their `id`. `toolCall` and `toolResult` may have theirs in
 * `value`. `userVisible` false marks what the program added. Tokens are a session's total.
 */
import { callIn, partEvent, rowEvents } from './blocks.js';
import { agent, type Event } from './engine.js';
import { isoTime, type Json, list, object, parse, parseAny } from '../text/fields.js';
import { short, text as textOf } from '../text/fields.js';

const NEEDS = ['messages.content_json', 'sessions.accumulated_cost', 'sessions.session_type'];
const PARENT = 'sessions.parent_session_id';
const rowsOf = (parent: string, needs: string[]) => ({
  ...{ needs, overlap: 0 },
  columns:
    'line id role content created metadata session title cwd type input output cost model parent asked'.split(
      ' ',
    ),
  sql: `SELECT m.id AS mark, m.id AS key, m.id AS line, coalesce(m.message_id, s.id || ':' || m.id) AS id, m.role AS role, m.content_json AS content,
    m.created_timestamp AS created, m.metadata_json AS metadata, s.id AS session, s.description AS title,
    s.working_dir AS cwd, s.session_type AS type, s.accumulated_input_tokens AS input,
    s.accumulated_output_tokens AS output, s.accumulated_cost AS cost, s.model_config_json AS model, ${parent} AS parent,
    CASE WHEN m.content_json LIKE '%toolResponse%' THEN (SELECT a.content_json FROM messages a WHERE a.id < m.id
      AND a.session_id = m.session_id AND a.role = 'assistant' ORDER BY a.id DESC LIMIT 1) END AS asked
    FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.id >= $mark AND m.id > $key ORDER BY m.id LIMIT $limit`,
});
const PLACE = { under: 'sessions', globs: ['sessions.db'] };

export const goose = agent<null>({
  ...{ agent: 'goose', title: 'Goose', unproven: true, tags: null, more: null },
  places: [
    { ...PLACE, env: 'XDG_DATA_HOME', below: 'goose', root: '.local/share/goose' },
    { ...PLACE, env: 'GOOSE_PATH_ROOT', below: 'data', root: 'Library/Application Support/goose' },
    { ...PLACE, env: null, root: '.local/share/Block/goose' },
    { ...PLACE, env: null, root: 'AppData/Roaming/Block/goose/data' },
    { env: null, root: 'databases', under: '', globs: ['*.db'], named: true },
  ],
  shape: () => 'rows',
  rows: [rowsOf('s.parent_session_id', [...NEEDS, PARENT]), rowsOf('NULL', NEEDS)],
  // Goose's own extensions; all others are MCP servers.
  ownTools:
    /^(?:(?:developer|memory|todo|platform|skills|subagent|analyze|code_execution)__\w+|shell|text_editor|write|edit|tree|read_file|analyze|todo__?\w*|delegate|load|read_image|automation_script|cache)$/,
  place: (row) => ({ id: short(row.id), time: isoTime(row.created) }),
  read(row) {
    const events = partsOf(row.content).map((item, part) => ({ ...eventOf(item, row), part }));
    const { model_name: model } = parse(row.model);
    return rowEvents({ ...row, model }, short(row.cwd), events as Event[]);
  },
});

const partsOf = (content: unknown): Json[] => list(parseAny(content)).map(object);

function eventOf(item: Json, { role, metadata, asked }: Json): Event {
  const type = textOf(item.type) ?? 'none';
  if (type === 'summarizationRequested' || type === 'contextLengthExceeded')
    return { is: 'notice', text: textOf(item.msg), mark: 'compaction' };
  const event = partEvent(role === 'assistant' ? role : 'user', flat(item));
  if (event === null)
    return SILENT.test(type) ? { is: 'session' } : { is: 'unknown', type: `part:${type}` };
  if (event.is === 'call') return { ...event, child: false };
  const isHidden = role !== 'user' || parse(metadata).userVisible === false;
  if (event.is === 'prompt' && isHidden) return { ...event, by: 'injected', child: false };
  if (event.is !== 'result') return event;
  const calls = partsOf(asked)
    .filter((each) => each.type === 'toolRequest')
    .map((each) => callIn(flat(each)));
  const call =
    calls.find((each) => each.call === event.call) ?? (calls.length === 1 ? calls[0]! : null);
  const isRefused = event.text.startsWith('The user has declined to run this tool');
  return { ...event, asked: call, outcome: isRefused ? 'rejected' : null };
}

function flat(item: Json): Json {
  const inner = object(item.toolCall ?? item.toolResult);
  return { ...item, ...inner, ...object(inner.value), ...(textOf(item.id) && { id: item.id }) };
}

/** Notes for the screen. */
const SILENT = /^(?:image|redactedThinking|\w+(?:Notification|Required|Request))$/;
