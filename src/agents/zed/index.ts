/**
 * Zed's own agent: `threads/threads.db` in Zed's data folder, SQLite. Known from the program's source (zed-industries/zed:
 * `crates/agent/src/db.rs`, `thread.rs`); not tested on real logs. Threads of other agents in Zed are not there.
 *
 * - `threads(id, parent_id, summary, folder_paths, updated_at, data_type, data)`: a thread is one value of JSON, since 2025
 *   compressed (zstd), written again at each message. Only a blob of at most 16 KiB would come through the reader as one text, so
 *   the query cuts it into pieces.
 * - `messages` of version 0.3.0: `{User: {id, content}}`, `{Agent: {content, tool_results}}` or `Resume`. Content is `{Text}`,
 *   `{Mention: {uri, content}}` (a file, a page or a rule that the person pointed to: its content is not theirs), `{Image}`,
 *   `{Thinking}`, `{ToolUse}`. Threads of older versions are not read.
 * - Only a user's message has an id: an answer is named by the one before it and its place after that. No message has a time;
 *   the thread's is taken.
 */
import { Decompress } from 'fzstd';
import type { Adapter, LogPlace, LogRecord, SessionFacts, Step, Usage } from '../../types.js';
import { type Json, isoTime, list, object, short, text as textOf, whole } from '../fields.js';
import { messagesOf } from './messages.js';

interface ZedState {
  session: string | null;
}

const rowsOf = (more: string): string => `
  SELECT mark, key, key AS line, session, title, updated, type, data, parent, folders FROM (
    SELECT CAST(strftime('%s', t.updated_at) AS INTEGER) AS mark, t.rowid AS key, t.id AS session, t.summary AS title,
      t.updated_at AS updated, t.data_type AS type, ${more},
      (WITH RECURSIVE piece(at) AS (SELECT 1 UNION ALL SELECT at + 4000 FROM piece WHERE at + 4000 <= length(t.data))
        SELECT group_concat(hex(substr(CAST(t.data AS BLOB), at, 4000)), ' ') FROM piece) AS data
    FROM threads t)
  WHERE mark IS NOT NULL AND (mark, key) > ($mark, $key) ORDER BY mark, key LIMIT $limit`;

const NEEDS = ['threads.data_type', 'threads.data', 'threads.summary'];
const COLUMNS = 'line session title updated type data parent folders'.split(' ');
const PLACE = { under: 'threads', globs: ['threads.db'] };
const places: LogPlace[] = [
  { ...PLACE, env: 'XDG_DATA_HOME', below: 'zed', root: '.local/share/zed' },
  { ...PLACE, env: null, root: 'Library/Application Support/Zed' },
  { ...PLACE, env: null, root: 'AppData/Local/Zed' },
  { env: null, root: 'databases', under: '', globs: ['*.db'], named: true },
];

export const zed: Adapter<ZedState> = {
  agent: 'zed',
  title: 'Zed',
  unproven: true,
  places,
  shape: () => 'rows',
  rows: [
    {
      needs: [...NEEDS, 'threads.folder_paths', 'threads.parent_id'],
      sql: rowsOf('t.parent_id AS parent, t.folder_paths AS folders'),
      columns: COLUMNS,
      overlap: 2,
    },
    { needs: NEEDS, sql: rowsOf('NULL AS parent, NULL AS folders'), columns: COLUMNS, overlap: 2 },
  ],
  start: () => ({ session: null }),
  step,
};

/** A larger thread is a decompression bomb or a mistake. */
const OUTPUT_CAP = 256 * 1024 * 1024;

/** The thread in a row, or null. */
function threadIn({ data, type }: Json): Json | null {
  if (typeof data !== 'string') return null;
  const bytes = Buffer.from(data.replaceAll(' ', ''), 'hex');
  try {
    return object(JSON.parse((type === 'zstd' ? inflate(bytes) : bytes).toString('utf8')));
  } catch {
    return null;
  }
}

function inflate(bytes: Buffer): Buffer {
  const parts: Uint8Array[] = [];
  let size = 0;
  const stream = new Decompress((part) => {
    size += part.length;
    if (size > OUTPUT_CAP) throw new RangeError('too large');
    parts.push(part);
  });
  stream.push(bytes, true);
  return Buffer.concat(parts);
}

function step(before: ZedState, { value }: LogRecord): Step<ZedState> {
  const row = object(value);
  const session = short(row.session);
  if (session === null) return { state: before, rawEntries: [], unknown: 'record' };
  const thread = threadIn(row);
  if (thread === null || thread.version !== '0.3.0')
    return {
      state: { session },
      rawEntries: [],
      unknown: thread === null ? 'thread' : 'thread:older',
    };
  const cwd = short(textOf(row.folders)?.split('\n')[0]);
  const parent = short(row.parent);
  const told = messagesOf(list(thread.messages), {
    session,
    cwd,
    isChild: parent !== null,
    isImported: thread.imported === true,
  });
  const usage = usageOf(thread, session, isoTime(row.updated));
  const child = parent === null ? {} : { parent, subagent: true };
  const facts: SessionFacts = { session, title: short(row.title), cwd, ...child };
  return {
    ...told,
    state: { session },
    session: facts,
    at: isoTime(row.updated),
    ...(usage === null ? {} : { usage: [usage] }),
  };
}

function usageOf(thread: Json, native: string, time: string | null): Usage | null {
  const used = object(thread.cumulative_token_usage);
  const count = (value: unknown): number => Math.max(0, whole(value) ?? 0);
  const counts = {
    input: count(used.input_tokens),
    output: count(used.output_tokens),
    cacheRead: count(used.cache_read_input_tokens),
    cacheWrite: count(used.cache_creation_input_tokens),
  };
  if (counts.input + counts.output === 0) return null;
  return {
    native,
    time,
    model: short(object(thread.model).model),
    ...counts,
    reasoning: 0,
    cost: null,
  };
}
