/**
 * Codex's logs that lost their beginning: cut, or the rest of a session whose log was moved away.
 */
import { expect, test } from 'vitest';
import { codex } from '../../src/agents/codex/index.js';
import { prepareEntries } from '../../src/jobs/reading/prepare.js';
import { createRedactor } from '../../src/redact/index.js';
import { fold } from './fold.js';

const SESSION = '8476c49f-9118-4fd5-94aa-a2cdcfa285c1';
const TURN = '5c1d1b1e-7f0a-4a53-9b52-3d8f6a1f0a01';
const PATH = `sessions/2026/11/20/rollout-2026-11-20T09-00-00-${SESSION}.jsonl`;
const FORKED =
  'sessions/2026/11/20/rollout-2026-11-20T10-00-00-e9fe4ff4-5f1b-4abf-8ba6-2b7b09cf6cb7.jsonl';

const at = '2026-11-20T09:00:00.000Z';
const event = (payload: object): unknown => ({ timestamp: at, type: 'event_msg', payload });
const item = (payload: object): unknown => ({ timestamp: at, type: 'response_item', payload });
const answer = (text: string, passed: object = {}): unknown[] => [
  event({ type: 'agent_message', message: text }),
  item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }], ...passed }),
];
const ended = (text: string): unknown =>
  event({ type: 'task_complete', turn_id: TURN, last_agent_message: text });
const head = (id: string, more: object = {}): unknown => ({
  timestamp: at,
  type: 'session_meta',
  payload: { id, cwd: '/shop', ...more },
});
const fork = head('e9fe4ff4-5f1b-4abf-8ba6-2b7b09cf6cb7', { forked_from_id: SESSION });

/** Native ids and texts, in order. */
function told(relative: string, records: readonly unknown[]): [string | null, string][] {
  const { rawEntries } = fold(
    codex,
    { relative },
    records.map((value, index) => ({ value, line: index + 1 })),
  );
  return rawEntries.map(({ native, text }) => [native, text]);
}

test('an answer of a turn whose beginning is lost is one entry, though item, event and the end of the turn tell it', () => {
  const texts = ['Rename it.', 'It is renamed.'];
  const records = [...texts.flatMap((text) => answer(text)), ended(texts[1]!)];
  expect(told(PATH, records).map(([, text]) => text)).toEqual(texts);
  const passed = { internal_chat_message_metadata_passthrough: { turn_id: TURN } };
  expect(told(PATH, answer('Rename it.', passed)), 'the item alone names the turn').toHaveLength(1);
  const aborted = [
    item({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: '<turn_aborted>' }],
    }),
  ];
  expect(
    told(PATH, [...aborted, event({ type: 'turn_aborted', turn_id: TURN, reason: 'interrupted' })]),
  ).toHaveLength(1);
});

test('nor is it told again where only the first lines of the log were kept, and the end names another turn than they do', () => {
  const begun = [
    head(SESSION),
    event({ type: 'task_started', turn_id: '00000000-7f0a-4a53-9b52-3d8f6a1f0a01' }),
  ];
  expect(told(PATH, [...begun, ...answer('Rename it.'), ended('Rename it.')])).toHaveLength(1);
});

test('what a log without its head tells before any turn has one id in it, in the moved log, and in a fork', () => {
  const records = [...answer('Rename it.'), ended('Rename it.')];
  const here = told(PATH, records);
  expect(here[0]![0]).toContain(SESSION);
  expect(
    told(`archived_sessions/${PATH.slice(20).replace('.jsonl', '-809083.jsonl')}`, records),
  ).toEqual(here);
  expect(told(FORKED, [fork, ...records])).toEqual(here);
  const other = told(PATH.replace(SESSION, '00000000-9118-4fd5-94aa-a2cdcfa285c1'), records);
  expect(other[0]![0], 'equal words of another session are others').not.toBe(here[0]![0]);
});

test('equal words are two entries where the log lost its head twice, each time in the middle of a turn', () => {
  const later = (record: unknown): unknown => ({
    ...(record as object),
    timestamp: '2026-11-20T09:30:00.000Z',
  });
  const [first, second] = [answer('Done.'), answer('Done.').map(later)];
  const ids = [...told(PATH, first), ...told(PATH, second)].map(([native]) => native);
  expect(new Set(ids).size).toBe(2);
  // The formats before 2026 name no turn, so the number of the turn is counted from the cut.
  const typed = [event({ type: 'user_message', message: 'Go on.' }), ...answer('Done.')];
  expect(told(PATH, [...second, ...typed])).not.toContainEqual(
    told(PATH, [head(SESSION), ...typed])[1],
  );
  expect(told(FORKED, [fork, ...second, ...typed])).toEqual(told(PATH, [...second, ...typed]));
});

test('an answer whose first half went with the head is told again rather than taken for an earlier equal one', () => {
  const [said, again] = answer('Done.');
  const begun = [
    head(SESSION),
    event({ type: 'task_started', turn_id: TURN }),
    event({ type: 'user_message', message: 'Go on.' }),
  ];
  // Read until `said`; then the head is lost and `again` follows: the same answer, or a second one
  // whose event went too.
  const before = told(PATH, [...begun, said]).at(-1)!;
  expect(told(PATH, [again])).not.toContainEqual(before);
  const second = told(PATH, [...begun, said, again, said]).slice(-2);
  expect(second[0]![0], 'where nothing is lost, each is one').not.toBe(second[1]![0]);
});

test('a fork of a whole log keeps the ids of its copy, before any turn too', () => {
  const whole = [
    head(SESSION),
    item({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: '<environment_context>x</environment_context>' }],
    }),
    event({ type: 'task_started', turn_id: TURN }),
    event({ type: 'user_message', message: 'rename it' }),
    ...answer('Rename it.'),
  ];
  expect(told(FORKED, [fork, ...whole])).toEqual(told(PATH, whole));
  expect(told(PATH, whole).map(([native]) => native!.slice(0, 38))).toEqual([
    `${SESSION}:0`,
    `${TURN}:u`,
    `${TURN}:a`,
  ]);
});

test('a secret file that one command of a script shows keeps out whatever the script printed, and what a poll shows later', async () => {
  const script = (id: string, input: string): unknown =>
    item({ type: 'custom_tool_call', name: 'exec', call_id: id, input });
  const printed = (id: string, ...texts: string[]): unknown =>
    item({
      type: 'custom_tool_call_output',
      call_id: id,
      output: ['Script completed\nOutput:\n', ...texts].map((text) => ({
        type: 'input_text',
        text,
      })),
    });
  const both =
    'const a = await tools.exec_command({cmd:"ls"}); const b = await tools.exec_command({cmd:"cat .env"});';
  const records = [
    head(SESSION),
    script('c1', `${both} text(a.output + b.output);`),
    printed('c1', 'cart.ts\nCOLOUR=plain words'),
    script('c2', `${both} text(a.output); text(JSON.stringify(b));`),
    printed('c2', 'cart.ts', '{"output":"COLOUR=","session_id":7}'),
    script('c3', 'text(JSON.stringify(await tools.write_stdin({session_id:7,chars:""})));'),
    printed('c3', '{"output":"plain words","exit_code":0}'),
  ];
  const { rawEntries } = fold(
    codex,
    { relative: PATH },
    records.map((value, at) => ({ value, line: at + 1 })),
  );
  const placed = rawEntries.map((raw) => ({ raw, session: SESSION, line: raw.line, block: 0 }));
  const { entries } = prepareEntries(
    placed,
    { agent: 'codex', path: PATH },
    null,
    createRedactor({ key: 'home' }),
    {},
  );
  const results = entries.filter(({ role }) => role === 'tool_result').map(({ text }) => text);
  expect(results).toEqual(Array(4).fill('.env [content not stored]'));
});
