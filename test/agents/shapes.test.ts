/** Shapes that other readers got wrong. */
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { aider } from '../../src/agents/aider.js';
import { claudeCode } from '../../src/agents/claude-code/index.js';
import { codex } from '../../src/agents/codex/index.js';
import { copilotCli } from '../../src/agents/copilot-cli.js';
import { opencode } from '../../src/agents/opencode/index.js';
import type { Adapter } from '../../src/types.js';
import { fold, type Folded, readFixture } from './fold.js';
import { testFolder } from '../folder.js';

function read(adapter: Adapter, relative: string, values: unknown[]): Folded {
  return fold(
    adapter,
    { relative, folder: '/home/ana/loom' },
    values.map((value, at) => ({ value, line: at + 1 })),
  );
}

const day = '2026-11-03T10:00:0';
let counter = 0;
const claude = (type: string, message: object, more: object = {}): object => ({
  ...{ type, uuid: `u${++counter}`, sessionId: 'loom', cwd: '/home/ana/loom', version: '2.1.263' },
  ...{ timestamp: `${day}${counter % 10}.000Z`, message, ...more },
});
const typed = (text: string, more: object = {}): object =>
  claude('user', { role: 'user', content: text }, { promptSource: 'typed', ...more });
const answer = (content: object[], more: object = {}, record: object = {}): object =>
  claude('assistant', { id: 'msg_01AbCdEfGhIjKlMnOp', content, ...more }, record);
const readClaude = (values: object[]): Folded =>
  read(claudeCode as Adapter, '-home-ana-loom/loom.jsonl', values);

describe('Claude Code', () => {
  test('settings are no words of the person', () => {
    const slash = (name: string, words: string): object =>
      typed(`<command-name>/${name}</command-name><command-args>${words}</command-args>`);
    const { rawEntries } = readClaude([
      slash('cd', '../shed'),
      slash('advisor', 'opus'),
      slash('branch', 'warp'),
      slash('weave', 'a red scarf'),
    ]);
    expect(rawEntries.map(({ origin, text }) => [origin, text])).toEqual([
      ['injected', '/cd ../shed'],
      ['injected', '/advisor opus'],
      ['injected', '/branch warp'],
      ['user', '/weave a red scarf'],
    ]);
  });

  test('the advisor has its tokens and its advice', () => {
    const usage = {
      input_tokens: 4,
      output_tokens: 90,
      iterations: [
        { type: 'message', input_tokens: 4, output_tokens: 90 },
        { type: 'advisor_message', model: 'weaver-9', input_tokens: 700, output_tokens: 60 },
      ],
    };
    const advice = { type: 'advisor_result', text: 'Use linen.' };
    const output = { type: 'code_execution_result', stdout: 'knots: 3', return_code: 1 };
    const { rawEntries, usage: told } = readClaude([
      answer([{ type: 'advisor_tool_result', tool_use_id: 's1', content: advice }], { usage }),
      answer([{ type: 'code_execution_tool_result', tool_use_id: 's2', content: output }]),
    ]);
    expect(told.map(({ model, input, output: out }) => [model, input, out])).toEqual([
      [null, 4, 90],
      ['weaver-9', 700, 60],
    ]);
    expect(
      rawEntries.map(({ origin, text, exit, outcome }) => [origin, text, exit, outcome]),
    ).toEqual([
      ['agent', 'Use linen.', null, 'ok'],
      ['external', 'knots: 3', 1, 'failed'],
    ]);
  });

  test('answers that a gateway names alike are counted one by one', () => {
    const one = (input: number, id = 'gate'): object =>
      answer([{ type: 'text', text: 'Done.' }], { id, usage: { input_tokens: input } });
    const values = [typed('Weave.'), one(5), one(7), typed('Again.'), one(5), one(9, 'msg_0')];
    const natives = readClaude(values).usage.map(({ native, input }) => [native, input]);
    expect(natives[0]![0]).toBe(natives[1]![0]);
    expect(new Set(natives.map(([native]) => native)).size).toBe(3);
  });

  test('a queued prompt has one id in its session and in forks', () => {
    const values = [
      typed('Warp the loom.'),
      answer([{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'make warp' } }]),
      {
        ...{ type: 'queue-operation', operation: 'enqueue', sessionId: 'loom' },
        ...{ timestamp: `${day}5.500Z`, content: 'Never cut the warp.' },
      },
      answer([{ type: 'text', text: 'Warped.' }], { stop_reason: 'end_turn' }),
      typed('Never cut the warp.', { promptSource: 'queued' }),
    ];
    const isQueued = (value: object): boolean => 'operation' in value;
    const said = (all: object[]): unknown[] =>
      readClaude(all)
        .rawEntries.filter(({ text }) => text.startsWith('Never'))
        .map(({ native, origin }) => [native, origin]);
    expect(said(values)).toHaveLength(1);
    expect(said(values.filter((value) => !isQueued(value)))).toEqual(said(values));
  });
});

const V7 = (n: number): string => `019a4c00-${String(n).padStart(4, '0')}-7000-8000-000000000001`;
const line = (type: string, payload: object, at = 0): object => ({
  ...{ timestamp: `${day}${at}.000Z`, type, payload },
});
const turn = (n: number): object => line('event_msg', { type: 'task_started', turn_id: V7(n) });
const asks = (message: string): object => line('event_msg', { type: 'user_message', message });
const readCodex = (values: object[], name = V7(1)): Folded =>
  read(codex as Adapter, `2026/11/03/rollout-2026-11-03T10-00-00-${name}.jsonl`, values);
const meta = (id: string, more: object = {}): object =>
  line('session_meta', { id, cwd: '/home/ana/loom', ...more });

describe('Codex', () => {
  const runs = (id: string, cmd: string, exit: number): object[] => [
    line('response_item', {
      ...{ type: 'function_call', name: 'exec_command', call_id: id },
      arguments: JSON.stringify({ cmd }),
    }),
    line('response_item', {
      ...{ type: 'function_call_output', call_id: id },
      output: `Process exited with code ${exit}\nOutput:\nthread`,
    }),
  ];

  test('ids numbered anew in each answer name their own call', () => {
    const values = [
      meta(V7(1)),
      turn(2),
      ...runs('exec_command:0', 'make a', 1),
      ...runs('exec_command:0', 'make b', 0),
      turn(3),
      ...runs('exec_command:0', 'make c', 1),
      ...runs('call_Zx81kQpLmN40', 'make d', 0),
    ];
    const { rawEntries } = readCodex(values);
    expect(new Set(rawEntries.map(({ native }) => native)).size).toBe(8);
    const ends = rawEntries.filter(({ role }) => role === 'tool_result');
    expect(ends.map(({ command, exit }) => [command, exit])).toEqual([
      ['make a', 1],
      ['make b', 0],
      ['make c', 1],
      ['make d', 0],
    ]);
  });

  test('what a subagent copied stays the words of the person', () => {
    const own = [meta(V7(1)), turn(2), asks('Never cut the warp.')];
    const spawn = { subagent: { thread_spawn: { parent_thread_id: V7(1) } } };
    const copy = [meta(V7(5), { source: spawn }), ...own, turn(6), asks('Count the threads.')];
    const shown = ({ rawEntries }: Folded): unknown[] =>
      rawEntries.map(({ native, origin, text, marks }) => [native, origin, text, marks ?? []]);
    expect(shown(readCodex(copy, V7(5)))).toEqual([
      ...shown(readCodex(own)),
      [expect.anything(), 'agent', 'Count the threads.', ['subagent']],
    ]);
    const [first] = readCodex(copy, V7(5)).rawEntries;
    expect(first!.time).toBe(new Date(0x019a4c000002).toISOString());
  });

  test('tokens that went into the cache are no input', () => {
    const counts = {
      ...{ input_tokens: 100, cached_input_tokens: 60, cache_write_input_tokens: 30 },
      ...{ output_tokens: 9, reasoning_output_tokens: 2 },
    };
    const info = { total_token_usage: counts, last_token_usage: counts };
    const { usage } = readCodex([
      meta(V7(1)),
      turn(2),
      line('event_msg', { type: 'token_count', info }),
    ]);
    expect(usage).toMatchObject([{ input: 10, cacheRead: 60, cacheWrite: 30, output: 9 }]);
  });
});

test('Copilot CLI: a shutdown sums up what the answers do not have', () => {
  const event = (id: string, type: string, data: object): object => ({
    ...{ id, type, data, timestamp: `${day}1.000Z` },
  });
  const usage = { inputTokens: 90, outputTokens: 12, cacheReadTokens: 60, cacheWriteTokens: 20 };
  const { usage: told } = read(copilotCli as Adapter, 's/events.jsonl', [
    event('a', 'session.start', { sessionId: 's' }),
    event('b', 'assistant.message', {
      messageId: 'm',
      model: 'w',
      outputTokens: 10,
      content: 'Hi.',
    }),
    event('c', 'session.shutdown', { modelMetrics: { w: { usage } } }),
  ]);
  expect(
    told.map(({ input, cacheRead, cacheWrite, output }) => [input, cacheRead, cacheWrite, output]),
  ).toEqual([
    [0, 0, 0, 10],
    [10, 60, 20, 2],
  ]);
});

test('Aider: a history with two characters at the end of each line is the same', () => {
  const text =
    '# aider chat started at 2026-11-03 10:00:00\n\n> Aider v0.90.1  \n\n#### weave a scarf  \n\nWoven.\n\n' +
    '> Tokens: 2k sent, 10 received. Cost: $0.01 message, $0.01 session.  \n> Applied edit to scarf.py  \n';
  const folded = (content: string): Folded =>
    read(aider as Adapter, '.aider.chat.history.md', aider.unfold!(content, { relative: '' })!);
  expect(folded(text.replaceAll('\n', '\r\n'))).toEqual(folded(text));
  expect(folded(text).usage).toHaveLength(1);
});

describe('OpenCode', () => {
  const json = (value: object): string => `'${JSON.stringify(value).replaceAll("'", "''")}'`;
  const folded = (sql: string): Folded => {
    const path = join(testFolder(), 'opencode.db');
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
    const { name, records, fault } = readFixture(opencode as Adapter, path, 'opencode.db');
    expect(fault).toBe(null);
    return fold(opencode as Adapter, name, records);
  };
  const COLUMNS =
    'id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER';
  const ROW = 'time_created INTEGER, time_updated INTEGER, data TEXT);';
  const OLDER = `CREATE TABLE session (${COLUMNS});
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, ${ROW}
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, ${ROW}`;
  const MESSAGE = `CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, ${ROW}`;

  test('version 2 has its sessions, also beside older tables, and a fork repeats its ids', () => {
    const call = {
      ...{ type: 'tool', id: 'bash:0', name: 'bash' },
      state: { status: 'completed', input: { command: 'make warp' }, structured: { exit: 3 } },
    };
    const tokens = { input: 9, output: 4, reasoning: 0, cache: { read: 5, write: 1 } };
    const rows = (session: string, at: number): string =>
      `INSERT INTO session_message VALUES
        ('${session}1', '${session}', 'user', 1000, ${at}, ${json({ text: 'Weave.', time: { created: 1000 } })}),
        ('${session}2', '${session}', 'assistant', 2000, ${at + 1}, ${json({ content: [call], tokens, model: { id: 'w' } })}),
        ('${session}3', '${session}', 'idle', 3000, ${at + 2}, '{}');`;
    const sql = `CREATE TABLE session_v2 (${COLUMNS}); ${MESSAGE}
      INSERT INTO session_v2 VALUES ('a', NULL, '/home/ana/loom', 'Weave', '2.0.1', 900), ('b', NULL, '/home/ana/loom', 'Weave (fork #1)', '2.0.1', 5000);
      ${rows('a', 3000)} ${rows('b', 6000)}`;
    for (const all of [sql, `${OLDER} ${sql}`]) {
      const { rawEntries, usage, unknown } = folded(all);
      expect(unknown).toEqual([]);
      expect(rawEntries).toHaveLength(6);
      expect(new Set(rawEntries.map(({ native }) => native)).size).toBe(3);
      expect(rawEntries.find(({ role }) => role === 'tool_result')).toMatchObject({ exit: 3 });
      expect(new Set(usage.map(({ native }) => native)).size).toBe(1);
    }
  });

  test('version 2: what a forked subagent inherits are the words of the person', () => {
    const { rawEntries } = folded(`CREATE TABLE session_v2 (${COLUMNS}); ${MESSAGE}
      INSERT INTO session_v2 VALUES ('b', 'a', '/home/ana/loom', 'Weave', '2.0.12', 5000);
      INSERT INTO session_message VALUES
        ('b1', 'b', 'user', 1000, 1000, ${json({ text: 'Weave.' })}),
        ('b2', 'b', 'user', 6000, 6000, ${json({ text: 'Count the threads.' })});`);
    expect(rawEntries.map(({ origin }) => origin)).toEqual(['user', 'agent']);
  });

  test('version 1: a fork repeats the ids of its parent', () => {
    const rows = (session: string, at: number): string =>
      `INSERT INTO message VALUES ('${session}m', '${session}', 2000, ${at}, ${json({ role: 'assistant', time: { created: 2000 }, tokens: { input: 5, output: 6 } })});
       INSERT INTO part VALUES ('${session}p', '${session}m', '${session}', 2000, ${at}, ${json({ type: 'text', text: 'One.' })}),
         ('${session}q', '${session}m', '${session}', 2000, ${at}, ${json({ type: 'text', text: 'Two.' })});`;
    const { rawEntries, usage } =
      folded(`${OLDER} INSERT INTO session VALUES ('a', NULL, '/home/ana/loom', 'Weave', '1.18.0', 900), ('f', NULL, '/home/ana/loom', 'Weave (fork #1)', '1.18.0', 5000);
      ${rows('a', 3000)} ${rows('f', 6000)}`);
    expect(rawEntries.map(({ native, text }) => [native, text])).toEqual([
      ['ap', 'One.'],
      ['aq', 'Two.'],
      ['ap', 'One.'],
      ['aq', 'Two.'],
    ]);
    expect(usage.map(({ native }) => native)).toEqual(['am', 'am']);
  });
});
