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
import { rowEvents } from './blocks.js';
import { agent, type Event } from './engine.js';
import {
  isObject,
  isoTime,
  type Json,
  list,
  object,
  parseAny,
  short,
  text as textOf,
} from '../text/fields.js';

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

/** The prompt that the program's own command sends to describe a project. */
const MADE = /^`?Please analyze this codebase and create /;

export const crush = agent<null>({
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
  ownTools:
    'bash edit multiedit write view glob grep ls diagnostics references job_output job_kill todos agent',
  agentTools: /^agent$/,
  refused: /^.{0,180}(?:user denied permission|permission denied by user)/is,
  tags: null,
  more: null,
  begin: ({ folder }) => ({ cwd: /^(.+)[\\/]\.crush$/.exec(folder ?? '')?.[1] ?? null }),
  place: (row) => ({ id: short(row.id), time: isoTime(row.created) }),
  read(row, { facts }) {
    const parts = partsOf(row.parts);
    const isLast = parts.some(
      ({ type, data }) => type === 'finish' && object(data).reason === 'end_turn',
    );
    const events = parts.flatMap((part, at) => partEvents(part, at, row, isLast));
    return rowEvents(short(row.id) === null ? {} : row, facts.cwd ?? null, events);
  },
});

function partsOf(json: unknown): Json[] {
  return list(parseAny(json)).filter(isObject);
}

function partEvents(item: Json, part: number, row: Json, final: boolean): Event[] {
  const data = object(item.data);
  const text = textOf(data.text)?.trim() ?? '';
  switch (item.type) {
    case 'text':
      if (row.summary === 1) return [{ is: 'notice', part, text, mark: 'compaction' }];
      if (row.role !== 'user') return [{ is: 'answer', part, text, final }];
      return MADE.test(text)
        ? [{ is: 'prompt', part, text, by: 'injected', child: false }]
        : [{ is: 'prompt', part, text }];
    case 'reasoning':
      return [{ is: 'thought', part, text: textOf(data.thinking) ?? '' }];
    case 'tool_call': {
      const tool = textOf(data.name) ?? 'unknown';
      const call = textOf(data.id) ?? `${textOf(row.id)}:${part}`;
      return [{ is: 'call', part, call, tool, input: data.input, child: false }];
    }
    case 'tool_result':
      return [{ ...resultEvent(data, partsOf(row.asked)), part }];
    case 'finish':
      return /^cancell?ed$/.test(textOf(data.reason) ?? '')
        ? [{ is: 'notice', part, mark: 'interrupt' }]
        : [];
    case 'binary':
    case 'image_url':
      return [];
    default:
      return [{ is: 'unknown', type: `part:${textOf(item.type) ?? 'none'}` }];
  }
}

function resultEvent(data: Json, parts: readonly Json[]): Event & { is: 'result' } {
  const call = textOf(data.tool_call_id);
  const asked = parts.map((part) => object(part.data)).find((each) => call && each.id === call);
  const tool = textOf(data.name) ?? textOf(asked?.name) ?? 'unknown';
  const text = textOf(data.content) ?? '';
  const isError = data.is_error === true;
  const isStopped = isError && /^(?:tool execution )?cancel|^request cancelled/i.test(text);
  return {
    ...{ is: 'result', call, tool, text, ok: !isError },
    asked: asked === undefined ? null : { tool, input: asked.input },
    ...(isStopped ? { outcome: 'interrupted' as const } : {}),
    cwd: /<cwd>([^<\n]{1,1024})<\/cwd>\s*$/.exec(text.slice(-1100))?.[1] ?? null,
  };
}
