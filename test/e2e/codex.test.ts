/**
 * Codex beside Claude Code in one project, through the whole program: one entry for each thing that
 * was said, wherever its log moves.
 */
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { storedTexts } from '../faults/stored.js';
import { type Stage, setStage } from '../stage.js';
import { zstdFrame } from '../watchers/zstd-frame.js';

const SESSION = '019a4c00-1000-7000-8000-000000000001';
const FORK = '019a4d00-1000-7000-8000-000000000002';
const TURN = '019a4c00-2000-7000-8000-00000000000a';
const LATER = '019a4d00-2000-7000-8000-00000000000b';
const CWD = '/home/ana/shop';

let at = 0;
function line(type: string, payload: object): string {
  return JSON.stringify({
    timestamp: new Date(1_762_160_400_000 + 1000 * ++at).toISOString(),
    type,
    payload,
  });
}
function meta(id: string, more: object = {}): string {
  return line('session_meta', {
    id,
    timestamp: '2025-11-03T09:00:00.000Z',
    cwd: CWD,
    originator: 'codex-tui',
    cli_version: '0.144.2',
    source: 'cli',
    thread_source: 'user',
    ...more,
  });
}

/** One turn as Codex writes it: every message twice, the answer three times. */
function turn(id: string, ask: string, answer: string, command: string, call: string): string[] {
  const passed = { internal_chat_message_metadata_passthrough: { turn_id: id } };
  return [
    line('event_msg', { type: 'task_started', turn_id: id }),
    line('turn_context', { turn_id: id, cwd: CWD, model: 'm' }),
    line('response_item', {
      type: 'message',
      role: 'user',
      content: [
        {
          type: 'input_text',
          text: `<environment_context><cwd>${CWD}</cwd></environment_context>`,
        },
      ],
      ...passed,
    }),
    line('response_item', {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: ask }],
      ...passed,
    }),
    line('event_msg', { type: 'user_message', message: ask, images: [] }),
    line('response_item', {
      type: 'function_call',
      name: 'exec_command',
      arguments: JSON.stringify({ cmd: command, workdir: CWD }),
      call_id: call,
      ...passed,
    }),
    line('response_item', {
      type: 'function_call_output',
      call_id: call,
      output: `Process exited with code 1\nOutput:\n${command} failed`,
      ...passed,
    }),
    line('event_msg', { type: 'agent_message', message: answer }),
    line('response_item', {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: answer }],
      ...passed,
    }),
    line('event_msg', { type: 'task_complete', turn_id: id, last_agent_message: answer }),
  ];
}

/** The same records with the times of another day. */
function restamped(lines: readonly string[]): string[] {
  return lines.map((text) => text.replaceAll('"2025-11-03T', '"2025-11-04T'));
}

const WHOLE = new Map(
  Object.entries({
    'never make draft pull requests': 1,
    'pnpm test': 1,
    'pnpm test failed': 1,
    'The cart test fails.': 1,
    'now fix the cart': 1,
    'pnpm lint': 1,
    'pnpm lint failed': 1,
    'The cart is fixed.': 1,
    'use pnpm, not npm': 1,
  }),
);

let person: Stage;
async function said(): Promise<Map<string, number>> {
  return new Map(
    [...(await storedTexts(person))].filter(([text]) => !text.startsWith('<environment_context>')),
  );
}
async function read(): Promise<void> {
  const { code, err } = await person.type('run', '--only', 'ingest,extract,context');
  expect(code, err).toBe(0);
}
const sessions = `.codex/sessions/2025/11/03/rollout-2025-11-03T10-00-00-${SESSION}.jsonl`;
const fork = `.codex/sessions/2025/11/04/rollout-2025-11-04T10-00-00-${FORK}.jsonl`;

beforeAll(async () => {
  person = setStage({ isLive: true });
  const first = turn(
    TURN,
    'never make draft pull requests',
    'The cart test fails.',
    'pnpm test',
    'call_1',
  );
  // The fork lies there before its parent.
  person.put(
    fork,
    [
      meta(FORK, { forked_from_id: SESSION }),
      ...restamped([meta(SESSION), ...first]),
      ...turn(LATER, 'now fix the cart', 'The cart is fixed.', 'pnpm lint', 'call_2'),
    ]
      .map((text) => `${text}\n`)
      .join(''),
  );
  await read();
  person.put(sessions, [meta(SESSION), ...first].map((text) => `${text}\n`).join(''));
  person.put(
    '.claude/projects/-home-ana-shop/a.jsonl',
    `${JSON.stringify({ type: 'user', uuid: 'u1', sessionId: 'aaaaaaaa-0000-4000-8000-000000000001', cwd: CWD, version: '2.1.233', timestamp: '2025-11-03T09:00:00.000Z', message: { role: 'user', content: 'use pnpm, not npm' }, promptSource: 'typed', origin: { kind: 'human' } })}\n`,
  );
  await read();
});

test('two agents, one project; each thing once, a fork read before its parent adds nothing', async () => {
  expect(await said()).toEqual(WHOLE);
  const projects = await person.ask((db) =>
    db.all<{ agents: string; projects: number }>(
      `SELECT string_agg(DISTINCT agent, ',' ORDER BY agent) AS agents, count(DISTINCT project) AS projects FROM entries`,
    ),
  );
  expect(projects).toEqual([{ agents: 'claude-code,codex', projects: 1 }]);
  const asked = await person.ask((db) =>
    db.all<{ session: string }>(
      `SELECT session FROM entries WHERE text = 'never make draft pull requests'`,
    ),
  );
  expect(asked).toEqual([{ session: SESSION }]);
  const exits = await person.ask((db) =>
    db.all<{ command: string; exit: number }>(
      'SELECT command, exit FROM commands ORDER BY command',
    ),
  );
  expect(exits).toEqual([
    { command: 'pnpm lint', exit: 1 },
    { command: 'pnpm test', exit: 1 },
  ]);
});

test('moved to the archive, then compressed, then beside its plain form: nothing is lost or doubled', async () => {
  const archived = join(person.home, '.codex/archived_sessions', sessions.split('/').at(-1)!);
  mkdirSync(dirname(archived), { recursive: true });
  renameSync(join(person.home, sessions), archived);
  await read();
  expect(await said()).toEqual(WHOLE);
  writeFileSync(`${archived}.zst`, zstdFrame(readFileSync(archived)));
  await read();
  expect(await said()).toEqual(WHOLE);
  const plain = join(person.root, 'plain.jsonl');
  copyFileSync(archived, plain);
  rmSync(archived);
  await read();
  expect(await said()).toEqual(WHOLE);
  copyFileSync(plain, archived);
  await read();
  expect(await said()).toEqual(WHOLE);
});

test('a log that was found compressed is read too, and its lines have their place', async () => {
  const text = `${[meta('019a4e00-1000-7000-8000-000000000003'), ...turn('019a4e00-2000-7000-8000-00000000000c', 'show me the orders', 'There are none.', 'pnpm orders', 'call_3')].join('\n')}\n`;
  person.put(
    '.codex/archived_sessions/rollout-2025-11-05T10-00-00-019a4e00-1000-7000-8000-000000000003.jsonl.zst',
    zstdFrame(Buffer.from(text)),
  );
  await read();
  const rows = await person.ask((db) =>
    db.all<{ line: number; path: string }>(
      `SELECT line, path FROM entries WHERE text = 'show me the orders'`,
    ),
  );
  expect(rows.map(({ line: n, path }) => [Number(n), path.endsWith('.jsonl.zst')])).toEqual([
    [6, true],
  ]);
});
