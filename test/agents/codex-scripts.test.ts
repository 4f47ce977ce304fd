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
  [
    'by number',
    `const r = [${run('npm test')}, ${run('npm run lint')}]; text(r[0]); text(r[1]);`,
    [failed, passed],
  ],
  [
    'where they run',
    `text(${run('npm test')}); text(JSON.stringify(${run('npm run lint')}));`,
    [failed, passed],
  ],
  [
    'behind sums and a short form',
    `const end = (s) => s ? s.slice(-9) : ""; ${two} const n = a.output.filter((l) => l); text(a); text(end(b.output));`,
    [failed, passed],
  ],
  [
    'behind a plan',
    `text(await tools.update_plan({plan:[]})); ${two} text(a); text(b);`,
    ['{}', failed, passed],
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
  ['of one alone, with a title', `${two} text("lint"); text(b.output);`, ['lint', 'clean']],
  [
    'where one may not have run',
    `let b = {output:""}; const a = ${run('ls')}; if (a.exit_code) b = ${run('npm install')}; text(a.output); text(b.output);`,
    ['node_modules', 'no install needed'],
  ],
  [
    'where one may not have run (?)',
    `const a = ${run('ls')}; const b = a.exit_code ? ${run('npm install')} : {output:""}; text(a.output); text(b.output);`,
    ['node_modules', 'no install needed'],
  ],
  [
    'where the script may have ended',
    `const a = ${run('ls')}; if (a.exit_code) exit(); const b = ${run('pwd')}; text(a); text(b);`,
    [failed, passed],
  ],
  [
    'of a name that got another value',
    `${two} b = {output:"none"}; text(a.output); text(b.output);`,
    ['cart.ts', 'none'],
  ],
  [
    'in turn',
    `${two} for (const r of [a, b]) { if (r.exit_code) text(b.output); else text(a.output); }`,
    ['x', 'y'],
  ],
  [
    'by a function',
    `${two} const show = (r) => text(r.output); show(b); show(a); text(a); text(b);`,
    ['x', 'y'],
  ],
  ['turned round', `${two} text([a, b].reverse());`, [JSON.stringify([passed, failed])]],
  [
    'beside a page',
    `${two} text(a); text(await tools.web__run({})); text(b);`,
    [failed, 'a page', passed],
  ],
  ['beside a spread', `${two} text(a); text({...a, more: b.output});`, [failed, passed]],
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
  [
    'computed behind a text',
    'const r = await tools.exec_command({cmd: "npm test -- " + file}); text(r);',
    [],
  ],
  [
    'computed in a template',
    'const r = await tools.exec_command({cmd: `npm test -- ${file}`}); text(r);',
    [],
  ],
  ['a name', 'await tools.exec_command( { cmd } ); await tools.exec_command({cmd: "ls"});', ['ls']],
  [
    'in a comment',
    `// tools.exec_command({cmd: "rm -rf dist"})\n/* ${run('rm -rf x')} */ text(${run('ls')});`,
    ['ls'],
  ],
  [
    'in a text',
    `const note = 'tools.exec_command({cmd: "rm -rf dist"})'; text(${run('ls')});`,
    ['ls'],
  ],
  [
    'behind a pattern with a quote',
    `const ends = out.split(/["']/); text(${run('ls')}); const e = "";`,
    ['ls'],
  ],
  [
    'behind a comment',
    'text(await tools.exec_command({ // cmd: "rm -rf dist",\n cmd: "ls" }));',
    ['ls'],
  ],
  [
    'in a template',
    'text(`listed: ${(await tools.exec_command({cmd: `ls`})).output} {`); ' + run('pwd'),
    ['ls', 'pwd'],
  ],
  [
    'with escapes',
    String.raw`text(await tools.exec_command({cmd: "echo \u00e9\x41\u{1F600}\t\"$\{x}\""}));`,
    ['echo éA😀\t"${x}"'],
  ],
  ['over two lines', 'text(await tools.exec_command({cmd: "npm \\\ntest"}));', ['npm test']],
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

test('equal exit lines are exits', () => {
  const script = `${two} for (const r of [a, b]) { text(r.output); text(\`exit_code: \${r.exit_code}\`); }`;
  expect(read(script, ['1 failed', 'exit_code: 1', 'clean', 'exit_code: 1']).results).toEqual([
    ['npm test', 1, '1 failed\nexit_code: 1'],
    ['npm run lint', 1, 'clean\nexit_code: 1'],
  ]);
});
