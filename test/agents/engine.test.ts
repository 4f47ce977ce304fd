/** What the engine does for every adapter, shown by an agent that exists only here. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agent, type Event } from '../../src/agents/engine.js';
import { adapters } from '../../src/agents/index.js';
import type { Adapter } from '../../src/types.js';
import { fold, logsOf, shorten } from './fold.js';

const SECRET = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

const robot = agent<null>({
  agent: 'robot',
  title: 'Robot',
  places: [],
  ownTools: 'shell read task',
  agentTools: /^task$/,
  refused: /^Refused/,
  tags: 'note',
  more: null,
  place: (record) => ({ id: record.id as string | null, time: null }),
  read: ({ events, at }) => ({ events: events as Event[], more: null, ...(at ? { at } : {}) }),
}) as Adapter;

function entriesOf(...records: { id: string | null; events: Event[] }[]) {
  const lines = records.map((value, at) => ({ value, line: at + 1 }));
  const { rawEntries, ...rest } = fold(robot, { relative: 's.jsonl' }, lines);
  return { ...rest, entries: rawEntries.map(shorten) };
}

describe.each(adapters.map((adapter) => ({ agent: adapter.agent, adapter })))(
  '$agent',
  ({ agent: name, adapter }) => {
    test('no text is part of an id', () => {
      const natives = logsOf(adapter, join(import.meta.dirname, '../fixtures', name)).flatMap(
        (log) => {
          const records = log.records.map(({ value, line }) => {
            const json = JSON.stringify(value).replaceAll(
              /pnpm|make|git|go test/g,
              `TOKEN=${SECRET} $&`,
            );
            return { value: JSON.parse(json) as unknown, line };
          });
          const { rawEntries, usage } = fold(adapter, log.name, records);
          return [...rawEntries, ...usage].map(({ native }) => native);
        },
      );
      expect(natives.length).toBeGreaterThan(0);
      expect(natives.filter((native) => native?.includes(SECRET.slice(0, 12)))).toEqual([]);
    });
  },
);

test('parts of a record are told apart, and without an id the session does it', () => {
  const events: Event[] = [
    { is: 'thought', part: 'thinking', text: 'hm' },
    { is: 'prompt', part: 0, text: 'use bun\n<note>\nfrom a program\n</note>' },
    { is: 'answer', text: 'done', final: true },
  ];
  expect(entriesOf({ id: 'r1', events }).entries.map(({ native }) => native)).toEqual([
    'r1:thinking',
    'r1:0',
    'r1:0:1',
    'r1',
  ]);
  const { entries } = entriesOf({ id: null, events });
  expect(entries.every(({ native, bySession }) => native === null && bySession === true)).toBe(
    true,
  );
});

test("only what the agent's own tools did on this machine is a tool's; an unknown call is not", () => {
  const ask = (call: string, tool: string, input: object): Event => ({
    is: 'call',
    part: call,
    call,
    tool,
    input,
  });
  const end = (call: string, text = 'ok'): Event => ({
    is: 'result',
    part: call,
    call,
    text,
    ok: null,
  });
  const { entries } = entriesOf(
    {
      id: 'a',
      events: [
        ask('1', 'shell', { command: 'make' }),
        ask('2', 'shell', { command: 'curl https://example.org' }),
        ask('3', 'docs__search', {}),
        ask('4', 'task', { prompt: 'look' }),
      ],
    },
    { id: 'b', events: ['1', '2', '3', '4', '5'].map((call) => end(call)) },
  );
  const results = entries.filter(({ role }) => role === 'tool_result');
  expect(results.map(({ origin }) => origin)).toEqual([
    'tool',
    'external',
    'external',
    'agent',
    'external',
  ]);
});

test('how a call ended: a status in the text of a shell, a refusal, else what the log says', () => {
  const ask: Event = {
    is: 'call',
    call: 'c',
    tool: 'shell',
    input: { command: `make X=${SECRET}` },
  };
  const ended = (text: string, ok: boolean | null) => {
    const result: Event = { is: 'result', part: 'result', call: 'c', text, ok };
    const {
      outcome = null,
      exit = null,
      command,
    } = entriesOf({ id: 'a', events: [ask, result] }).entries[1]!;
    // The whole command is known within a record, and kept over records only where it is plain.
    expect(command).toBe(`make X=${SECRET}`);
    return [outcome, exit];
  };
  expect(ended('Exit code: 2', null)).toEqual(['failed', 2]);
  expect(ended('Refused', false)).toEqual(['rejected', null]);
  expect(ended('fine', true)).toEqual(['ok', null]);
  expect(ended('fine', null)).toEqual([null, null]);
  const { state } = entriesOf({ id: 'a', events: [ask] });
  expect(JSON.stringify(state)).not.toContain(SECRET);
});

test('facts are news once, and null overwrites none', () => {
  const session = (more: object): Event => ({ is: 'session', session: 's', ...more });
  const name = { relative: 's.jsonl' };
  let state = robot.start(name);
  const news = [
    { cwd: '/a', title: 'T' },
    { cwd: '/a', title: 'T' },
    { cwd: null },
    { cwd: '/b' },
  ].map((more) => {
    const step = robot.step(state, { value: { id: 'r', events: [session(more)] }, line: 1 });
    state = step.state;
    return step.session ?? null;
  });
  expect(news).toEqual([
    { session: 's', cwd: '/a', title: 'T' },
    null,
    { session: 's' },
    { session: 's', cwd: '/b' },
  ]);
});

test('what is kept with a call whose results come in pieces, and whose each of them is', () => {
  const asks = { text: 'make', command: 'make', files: [], web: false, marks: [] };
  const result = { is: 'result', call: 'c', text: '', ok: null, stays: true } as const;
  const { entries, state } = entriesOf(
    {
      id: 'a',
      events: [
        { is: 'call', call: 'c', tool: 'shell', asks, more: { polls: 1 } },
        { is: 'call', call: 'd', tool: 'shell', asks, more: null },
        { is: 'keep', call: 'c', more: { polls: 2 } },
      ],
    },
    { id: 'b', events: [result, { ...result, of: null, command: null, among: ['c'] }] },
  );
  expect(state).toMatchObject({ calls: [{ id: 'c', more: { polls: 2 } }] });
  expect(entries.slice(2).map(({ call, command, among }) => [call, command, among])).toEqual([
    ['c', 'make', undefined],
    [undefined, undefined, ['c']],
  ]);
});

test("all entries of a record are a subagent's where the log says so, and none of them otherwise", () => {
  const events: Event[] = [
    { is: 'thought', part: 0, text: 'hm' },
    { is: 'notice', part: 1, mark: 'interrupt', child: true },
    { is: 'result', part: 2, call: 'c', text: 'ok', ok: true },
  ];
  const marks = (record: object) =>
    entriesOf({ id: 'a', events, ...record }).entries.map((entry) => entry.marks ?? []);
  expect(marks({})).toEqual([[], ['subagent', 'interrupt'], []]);
  const at = { id: 'a', time: null, child: true };
  expect(marks({ at })).toEqual([['subagent'], ['subagent', 'interrupt'], ['subagent']]);
});
