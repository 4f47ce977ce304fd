/**
 * Agents that keep a conversation as one value of a database and write it again at each message, or
 * its messages under other numbers.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, expect, test } from 'vitest';
import { adapters } from '../../src/agents/index.js';
import { fold, readFixture, shorten } from './fold.js';

const folder = mkdtempSync(join(tmpdir(), 'dripstone-conversations-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a reader holds who has looked after every statement: by id, the last text wins. */
function looks(
  agent: string,
  name: string,
  statements: readonly string[],
): Map<string | null, unknown> {
  const adapter = adapters.find((each) => each.agent === agent)!;
  const path = join(folder, `${agent}-${statements.length}-${name}`);
  const held = new Map<string | null, unknown>();
  const db = new DatabaseSync(path);
  for (const statement of statements) {
    db.exec(statement);
    const { name: log, records } = readFixture(adapter, path, name);
    for (const raw of fold(adapter, log, records).rawEntries)
      held.set(raw.native, { ...shorten(raw), line: 0 });
  }
  db.close();
  return held;
}

const text = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", "''")}'`;

const turns = [
  {
    user: { content: { Prompt: { prompt: 'open the lock' } } },
    assistant: { Response: { message_id: 'a1', content: 'Which one?' } },
  },
  {
    user: { content: { Prompt: { prompt: 'the upper one' } } },
    assistant: { Response: { message_id: 'a2', content: 'It is open.' } },
  },
  {
    user: { content: { Prompt: { prompt: 'close it' } } },
    assistant: { Response: { message_id: 'a3', content: 'It is closed.' } },
  },
];
const conversation = (history: unknown[]): string => text({ conversation_id: 'c1', history });

const KIRO =
  'CREATE TABLE conversations_v2 (key TEXT, conversation_id TEXT, value TEXT, updated_at INTEGER, PRIMARY KEY (key, conversation_id))';
const kiro = (history: unknown[], at: number): string =>
  `INSERT OR REPLACE INTO conversations_v2 VALUES ('/home/ana/lock', 'c1', ${conversation(history)}, ${1794553200000 + at})`;
const AMAZON = 'CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT)';
const amazon = (history: unknown[]): string =>
  `INSERT OR REPLACE INTO conversations VALUES ('/home/ana/lock', ${conversation(history)})`;
const ZED =
  'CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)';
const messages = turns.flatMap(({ user, assistant }, at) => [
  { User: { id: `u${at}`, content: [{ Text: user.content.Prompt.prompt }] } },
  { Agent: { content: [{ Text: assistant.Response.content }], tool_results: {} } },
]);
const zed = (count: number): string =>
  `INSERT OR REPLACE INTO threads VALUES ('t1', 'Lock', '2026-11-14T07:30:0${count}Z', 'json',
    CAST(${text({ version: '0.3.0', messages: messages.slice(0, count) })} AS BLOB))`;

const grown = [1, 2, 3].map((count) => turns.slice(0, count));
// A long history loses its first turns.
const cut = turns.slice(1);

test.each([
  ['kiro', 'data.sqlite3', [KIRO, ...grown.map(kiro), kiro(cut, 3)], [KIRO, kiro(turns, 0)]],
  [
    'amazon-q',
    'data.sqlite3',
    [AMAZON, ...grown.map(amazon), amazon(cut)],
    [AMAZON, amazon(turns)],
  ],
  [
    'zed',
    'threads.db',
    [ZED, ...messages.map((_, at) => zed(at + 1))],
    [ZED, zed(messages.length)],
  ],
])(
  '%s: looking at every growth of a conversation holds what one look at its end holds',
  (agent, name, growing, whole) => {
    const once = looks(agent, name, whole);
    expect(once.size).toBe(6);
    expect([...looks(agent, name, growing)].sort()).toEqual([...once].sort());
  },
);

test('hermes: messages that a compaction inserts again are the same entries', () => {
  const tables = `
    CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, model TEXT, parent_session_id TEXT, input_tokens INTEGER,
      output_tokens INTEGER, cache_read_tokens INTEGER, cache_write_tokens INTEGER, reasoning_tokens INTEGER,
      estimated_cost_usd REAL, actual_cost_usd REAL, title TEXT);
    CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, tool_call_id TEXT, tool_calls TEXT,
      tool_name TEXT, timestamp REAL);
    INSERT INTO sessions (id, source) VALUES ('s1', 'cli');
    INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s1', 'user', 'open the lock', 1794300000.25),
      ('s1', 'assistant', 'It is open.', 1794300001.5)`;
  const again =
    'INSERT INTO messages (session_id, role, content, timestamp) SELECT session_id, role, content, timestamp FROM messages';
  expect([...looks('hermes', 'state.db', [tables, again])]).toEqual([
    ...looks('hermes', 'state.db', [tables]),
  ]);
});
