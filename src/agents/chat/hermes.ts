/**
 * Hermes Agent of Nous Research: `$HERMES_HOME` or `~/.hermes`, `state.db` and one per profile: SQLite in WAL mode. Known from
 * the program's source (NousResearch/hermes-agent: `hermes_state_common.py`, `hermes_state_messages.py`,
 * `agent/skill_commands.py`); not tested on real logs.
 *
 * - `sessions(id, source, parent_session_id, cwd, git_branch, title, model, chat_type, tokens…)`, `messages(id, session_id,
 *   role, content, tool_call_id, tool_calls, tool_name, timestamp, reasoning…)`. Times are seconds; `id` rises. A compaction
 *   inserts the messages that stay again, under other numbers and with their old times, so an entry is named by time, role,
 *   call, and the length and both ends of its text.
 * - In the user's place the program writes notes in brackets, loaded skills, summaries (`_compressed_summary`) and hidden rows
 *   (`display_kind`). A skill that the person called contains their words in the middle: none of it counts as typed.
 * - Through a chat service (`source`), only a conversation of two (`chat_type`) has the person's words alone; a group may have
 *   anybody's.
 * - Content that starts with NUL and `json:` is a list of parts; SQLite ends a text at NUL, but not a blob. A shell's result is
 *   JSON with `output` and `exit_code`.
 * - Tokens are known only as the session's totals: returned once per session.
 */
import type { Adapter, LogRecord, Origin, SessionFacts, Step, Usage } from '../../types.js';
import { rawEntryOf } from '../calls.js';
import { type Json, isoTime, object, short, text as textOf, whole } from '../fields.js';
import type { Base, OpenCall } from '../open-calls.js';
import { readChat, readShell } from './index.js';

interface HermesState {
  session: string | null;
  calls: OpenCall[];
}

const NEW = `s.cwd AS cwd, s.git_branch AS branch, s.chat_type AS chat, m.observed AS observed, m.display_kind AS display,
    m._compressed_summary AS summary, m.reasoning_content AS reasoning_content`;
const OLD = `NULL AS cwd, NULL AS branch, NULL AS chat, NULL AS observed, NULL AS display, NULL AS summary,
    NULL AS reasoning_content`;

const rowsOf = (more: string): string => `
  SELECT m.id AS mark, m.id AS key, m.id AS line, m.session_id AS session, m.role AS role, m.content AS content,
    CASE WHEN hex(substr(CAST(m.content AS BLOB), 1, 6)) = '006A736F6E3A'
      THEN CAST(substr(CAST(m.content AS BLOB), 7) AS TEXT) END AS parts,
    m.tool_call_id AS tool_call_id, m.tool_calls AS tool_calls, m.tool_name AS tool_name, m.timestamp AS time, s.source AS source,
    s.parent_session_id AS parent, s.title AS title, s.model AS model, s.input_tokens AS input, s.output_tokens AS output,
    s.cache_read_tokens AS cacheRead, s.cache_write_tokens AS cacheWrite, s.reasoning_tokens AS reasoning,
    coalesce(s.actual_cost_usd, s.estimated_cost_usd) AS cost, ${more}
  FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.id > $key ORDER BY m.id LIMIT $limit`;

const NEEDS = ['messages.tool_name', 'sessions.reasoning_tokens', 'sessions.actual_cost_usd'];
const COLUMNS = (
  'line session role content parts tool_call_id tool_calls tool_name time source parent title model input output cacheRead ' +
  'cacheWrite reasoning cost cwd branch chat observed display summary reasoning_content'
).split(' ');

export const hermes: Adapter<HermesState> = {
  agent: 'hermes',
  title: 'Hermes Agent',
  unproven: true,
  places: [
    { env: 'HERMES_HOME', root: '.hermes', under: '', globs: ['state.db', 'profiles/*/state.db'] },
  ],
  shape: () => 'rows',
  rows: [
    {
      needs: [
        ...NEEDS,
        'sessions.git_branch',
        'sessions.chat_type',
        'messages._compressed_summary',
        'messages.display_kind',
      ],
      sql: rowsOf(NEW),
      columns: COLUMNS,
      overlap: 0,
    },
    { needs: NEEDS, sql: rowsOf(OLD), columns: COLUMNS, overlap: 0 },
  ],
  start: () => ({ session: null, calls: [] }),
  step,
};

/** Any other tool is an MCP server's, or reads the web. */
const OWN = new Set(
  (
    'terminal process read_file write_file patch search_files todo memory skill_view skill_manage skills_list session_search ' +
    'execute_code clarify cronjob delegate_task'
  ).split(' '),
);
const TAGS = 'memory-context|memory_context|system-reminder|context';
/** What the program writes in the person's place. */
const MADE = new RegExp(
  String.raw`^\s*\[(?:IMPORTANT|SYSTEM|System|CONTEXT SUMMARY|PRIOR CONTEXT|ASYNC DELEGATION|Your active task list|` +
    String.raw`Continuing toward|Runtime note|Note:)|^\s*Review the conversation above and |\[CONTEXT COMPACTION`,
);

/** Files and pages that a prompt names with `@` (`agent/context_references.py`). */
const APPENDED = /(?:^|\n)--- (?:Attached Context|Context Warnings) ---(?:\n|$)/;

/** Where the person sits at the machine; anywhere else, only a conversation of two is theirs. */
const LOCAL = new Set(['cli', 'tui', 'desktop', 'acp', 'local']);

function typistOf(row: Json, text: string): Origin {
  if (MADE.test(text) || textOf(row.display) !== null || row.summary === 1 || row.source === 'cron')
    return 'injected';
  if (row.source === 'tool' || row.source === 'subagent') return 'agent';
  const isTheirs =
    LOCAL.has(textOf(row.source) ?? '') || /^(?:dm|direct|private)$/.test(textOf(row.chat) ?? '');
  return isTheirs && row.observed !== 1 ? 'user' : 'external';
}

function step(before: HermesState, { value }: LogRecord): Step<HermesState> {
  const row = object(value);
  const session = short(row.session);
  if (session === null || typeof row.time !== 'number')
    return { state: before, rawEntries: [], unknown: 'record' };
  const text = textOf(row.content) ?? textOf(row.parts) ?? '';
  const call = short(row.tool_call_id);
  const role = textOf(row.role) ?? 'none';
  const native = `${row.time}:${role}:${call ?? ''}:${text.length}:${text.slice(0, 200)}${text.slice(-200)}`;
  const base: Base = {
    native,
    time: isoTime(row.time),
    cwd: short(row.cwd),
    branch: short(row.branch),
  };
  const isNews = session !== before.session;
  const read =
    row.summary === 1 && role !== 'tool'
      ? {
          rawEntries: [
            rawEntryOf({
              ...base,
              role: 'system',
              origin: 'injected',
              text,
              marks: ['compaction'],
            }),
          ],
          calls: [],
        }
      : readChat(base, isNews ? [] : before.calls, messageOf(row, text), {
          isOwn: (tool) => OWN.has(tool),
          tags: TAGS,
          typist: typistOf(row, text),
          marks: [],
          appended: APPENDED,
          readEnding: (result, tool) =>
            tool === 'terminal' || tool === 'execute_code' ? (readShell(result) ?? {}) : {},
        });
  const { calls, ...told } = read;
  const usage = usageOf(row, session, base.time);
  return {
    ...told,
    state: { session, calls },
    ...(isNews ? { session: factsOf(row, session) } : {}),
    ...(usage === null ? {} : { usage: [usage] }),
  };
}

function factsOf(row: Json, session: string): SessionFacts {
  const parent = short(row.parent);
  return {
    session,
    cwd: short(row.cwd),
    branch: short(row.branch),
    title: short(row.title),
    ...(parent === null ? {} : { parent }),
    ...(row.source === 'cron' || row.source === 'tool' ? { machine: true } : {}),
  };
}

function messageOf(row: Json, text: string): Json {
  return {
    ...row,
    content: textOf(row.parts) === null ? text : parse(row.parts),
    tool_calls: parse(row.tool_calls),
  };
}

function parse(json: unknown): unknown {
  try {
    return typeof json === 'string' ? JSON.parse(json) : null;
  } catch {
    return null;
  }
}

function usageOf(row: Json, session: string, time: string | null): Usage | null {
  const [input, output] = [whole(row.input) ?? 0, whole(row.output) ?? 0];
  if (row.role !== 'assistant' || input + output <= 0) return null;
  const cost = typeof row.cost === 'number' && row.cost > 0 ? row.cost : null;
  const counts = { cacheRead: whole(row.cacheRead) ?? 0, cacheWrite: whole(row.cacheWrite) ?? 0 };
  return {
    native: session,
    time,
    model: short(row.model),
    input,
    output,
    ...counts,
    reasoning: whole(row.reasoning) ?? 0,
    cost,
  };
}
