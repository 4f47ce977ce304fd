/** Codex's scripts: which commands ran, and which of them printed what. */
import { expect, test } from 'vitest';
import { codex } from '../../src/agents/codex/index.js';
import type { RawEntry } from '../../src/types.js';
import { fold } from './fold.js';

const record = (type: string, payload: object): object => ({
  timestamp: '2026-11-20T09:00:00.000Z',
  type,
  payload,
});

/**
 * Command, exit and text of every result that `script` has in the log, and the commands of its
 * calls.
 */
function read(
  script: string,
  texts: readonly unknown[],
  ended: readonly (readonly [string, number])[] = [],
) {
  const output = [
    'Script completed\nWall time 1.2 seconds\nOutput:\n',
    ...texts.map((text) => (typeof text === 'string' ? text : JSON.stringify(text))),
  ];
  const records = [
    record('session_meta', { id: '8476c49f-9118-4fd5-94aa-a2cdcfa285c1', cwd: '/shop' }),
    record('response_item', {
      type: 'custom_tool_call',
      name: 'exec',
      call_id: 'c',
      input: script,
    }),
    ...ended.map(([command, exit_code]) =>
      record('event_msg', { type: 'exec_command_end', command, exit_code }),
    ),
    record('response_item', {
      type: 'custom_tool_call_output',
      call_id: 'c',
      output: output.map((text) => ({ type: 'input_text', text })),
    }),
  ].map((value, n) => ({ value, line: n + 1 }));
  const { rawEntries } = fold(codex, { relative: 'a.jsonl' }, records, undefined, true);
  const of = (role: string): RawEntry[] => rawEntries.filter((raw) => raw.role === role);
  return {
    commands: of('tool_call').map((raw) => raw.command),
    origins: of('tool_result').map((raw) => raw.origin),
    files: of('tool_result').map((raw) => raw.files),
    results: of('tool_result').map(({ call, command, exit, text }) => [
      call === null ? null : command,
      exit,
      text,
    ]),
  };
}

const run = (command: string): string => `await tools.exec_command({cmd:"${command}"})`;
const both = `Promise.all([${run('npm test')}, ${run('npm run lint')}])`;
const two = `const a = ${run('npm test')}; const b = ${run('npm run lint')};`;
const [failed, passed] = [
  { output: '1 failed', exit_code: 1 },
  { output: 'clean', exit_code: 0 },
];
const each = [
  ['npm test', 1, '1 failed'],
  ['npm run lint', 0, 'clean'],
];

test.each([
  ['as they ran', `${two} text(JSON.stringify(a)); text(JSON.stringify(b));`, [failed, passed]],
  [
    'behind titles',
    `${two} text("tests"); text(a); text('lint'); text(b)`,
    ['tests', failed, 'lint', passed],
  ],
  [
    'in one list',
    `${two} text(JSON.stringify([a, b], null, 2));`,
    [JSON.stringify([failed, passed], null, 2)],
  ],
  ['in a loop', `const [a, b] = await ${both}; for (const r of [a, b]) text(r)`, [failed, passed]],
  [
    'by a callback',
    `const all = await ${both}; all.forEach((r, n) => { text(r); text("--"); });`,
    [failed, '--', passed, '--'],
  ],
])('results belong to their commands: printed %s', (_, script, texts) => {
  expect(read(script, texts).results).toEqual(each);
});

test('results printed in another order than their commands ran', () => {
  const { results } = read(`${two} text(JSON.stringify(b)); text(JSON.stringify(a));`, [
    passed,
    failed,
  ]);
  expect(results).toEqual(each);
});

test.each([
  [
    'together, behind a title',
    `${two} text("results"); text(a.output+b.output);`,
    ['results', '1 failedclean'],
  ],
  [
    'where one may not have run',
    `let b = {output:""}; const a = ${run('ls')}; if (a.exit_code) b = ${run('npm install')}; text(a.output); text(b.output);`,
    ['node_modules', 'no install needed'],
  ],
  [
    'where the script may have ended',
    `const a = ${run('ls')}; if (a.exit_code) exit(); const b = ${run('pwd')}; text(a); text(b);`,
    [failed, passed],
  ],
])('results that are printed %s belong to nobody', (_, script, texts) => {
  expect(read(script, texts).results.map(([command, exit]) => [command, exit])).toEqual([
    [null, null],
  ]);
});

test('a command that may not have run, or ran more than once, has no exit from its script', () => {
  const twice = `for (let n = 0; n < 2; n++) { const r = ${run('npm test')}; text(JSON.stringify(r)); }`;
  expect(read(twice, [failed, passed]).results[0]!.slice(0, 2)).toEqual([null, null]);
  const once = `if (missing) { text(${run('npm install')}); } else text("no install needed");`;
  expect(read(once, ['no install needed']).results).toEqual([[null, null, 'no install needed']]);
  const more = read(`const r = ${run('npm test')}; text(r); text(other);`, [failed, passed]);
  expect(more.results[0]!.slice(0, 2), 'a process ends once').toEqual([null, null]);
  const poll = 'while (r.session_id) r = await tools.write_stdin({session_id:r.session_id});';
  const polled = `let r = ${run('npm test')}; ${poll} text(r);`;
  expect(read(polled, [failed]).results).toEqual([each[0]]);
});

test.each([
  ['a name', 'await tools.exec_command( { cmd } ); await tools.exec_command({cmd: "ls"});', ['ls']],
  [
    'with escapes',
    String.raw`text(await tools.exec_command({cmd: "echo \u00e9\x41\u{1F600}\t\"$\{x}\""}));`,
    ['echo éA😀\t"${x}"'],
  ],
])('a script runs what it names and no more: %s', (_, script, commands) => {
  expect(read(script, ['x']).commands.filter((command) => command !== null)).toEqual(commands);
});

test('results on the lines of one text belong to their commands', () => {
  const { results } = read(`${two} text(JSON.stringify(b)); text(JSON.stringify(a));`, [
    [passed, failed].map((one) => JSON.stringify(one)).join('\n'),
  ]);
  expect(results).toEqual(each);
});

test('a command that is computed still says what it fetches and shows', () => {
  const computed = (start: string): string => `text(await tools.exec_command({cmd: ${start}}));`;
  expect(read(computed('"curl -s https://example.org/" + page'), ['x']).origins).toEqual([
    'external',
  ]);
  expect(read(computed('`cat ${folder}/.env`'), ['x']).files).toEqual([['${folder}/.env']]);
});

test('an exit that an event told is kept where the script printed none, and texts stay', () => {
  const { results } = read(
    `${two} text(a.output); text(b.output);`,
    ['1 failed', 'clean'],
    [
      ['npm test', 1],
      ['npm run lint', 0],
    ],
  );
  expect(results).toEqual(each);
});
