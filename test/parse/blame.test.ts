/** Which step of a failed call is blamed, and with which error. */
import { describe, expect, test } from 'vitest';
import { extractSession } from '../../src/parse/index.js';
import { MadeSession } from './made-session.js';

/** The failed step in words and its error; null when nobody knows which it was. */
function blamed(command: string, output: string): [string, string | null] | null {
  const { steps } = extractSession(new MadeSession().fails(command, output).input()).rows;
  const failed = steps.filter(({ outcome }) => outcome === 'failed');
  expect(failed.length).toBeLessThanOrEqual(1);
  return failed.length === 0 ? null : [failed[0]!.words.join(' '), failed[0]!.error];
}

describe('a failed call blames', () => {
  test.each<[string, string, string, [string, string | null] | null]>([
    [
      'the step behind the last `;`: it made the status',
      'cargo build; cargo test',
      'error[E0425]: cannot find value `x` in this scope',
      ['cargo test', 'error[E0425]: cannot find value `x` in this scope'],
    ],
    [
      'the step whose program opens an error line',
      'make db && psql shop && npm run seed',
      'psql: error: connection to server failed: No such file or directory',
      ['psql shop', 'psql: error: connection to server failed: No such file or directory'],
    ],
    [
      'the step before an echo that printed nothing',
      'git tag -d v2 && echo "tags left:" && git tag -l',
      "error: tag 'v2' not found.",
      ['git tag -d v2', "error: tag 'v2' not found."],
    ],
    [
      'the step behind an echo that did print',
      'git fetch origin && echo "fetched all" && git rebase main',
      'fetched all\nerror: cannot rebase: You have unstaged changes.',
      ['git rebase main', 'error: cannot rebase: You have unstaged changes.'],
    ],
    [
      'the step that alone was given what the error names',
      'git add NOTES.md && git commit --amend',
      "fatal: pathspec 'NOTES.md' did not match any files",
      ['git add NOTES.md', "fatal: pathspec 'NOTES.md' did not match any files"],
    ],
    [
      'of tasks of one runner the last that a line opens with',
      'just fmt && just lint && just e2e',
      '[fmt] $ fmt src\n[lint:js] $ lint src\nsrc/cart.js:3: total is never used here\n[lint] ERROR task failed',
      ['just lint', null],
    ],
    ['nobody, when two can be it', 'pnpm gen && node app.js', 'Error: no such table: orders', null],
    [
      'nobody for a folder that is not there',
      'cd nowhere',
      'cd: nowhere: No such file or directory',
      null,
    ],
    [
      'the loud end of a pipe, no filter behind it',
      'cargo test | tail -5',
      'error: no test target named `x`',
      ['cargo test', 'error: no test target named `x`'],
    ],
  ])('%s', (_, command, output, wanted) => expect(blamed(command, output)).toEqual(wanted));
});

describe('the error of a failure', () => {
  test.each([
    [
      'a heading yields to the line that tells',
      'error during build:\nRollupError: Could not resolve "./cart"',
      'RollupError: Could not resolve "cart"',
    ],
    [
      'a status of a recipe yields to what it printed',
      'sh: 1: protoc: not found\nerror: recipe `gen` failed on line 3 with exit code 127',
      'sh: <n>: protoc: not found',
    ],
    [
      'a warning yields to an error',
      'cart.py: warning: import could not be resolved\nerror: total does not exist on Cart',
      'error: total does not exist on Cart',
    ],
    ['a status alone names nothing', 'Command exited with code 1', null],
    [
      'the failure of one test names nothing that comes back',
      '--- FAIL: TestCart (0.00s)\nFAIL',
      null,
    ],
  ])('%s', (_, output, wanted) => expect(blamed('make all', output)![1]).toBe(wanted));
});

describe('behind a pipe', () => {
  test.each([
    [
      'a line of words alone may be the reason of a failure',
      'hub issue view 3 | head -20',
      'no host is known for this folder',
      'unknown',
    ],
    ['a sign of success is one', 'hub test | tail -3', 'hub 2.1\n12 passed', 'ok'],
    ['so are lines of data', 'hub issue list | head -3', '3 open\n4 open\n5 closed by ana', 'ok'],
  ])('%s', (_, command, output, wanted) => {
    const { steps } = extractSession(new MadeSession().shell(command, output).input()).rows;
    expect(steps[0]!.outcome).toBe(wanted);
  });
});

test('a part that a fork copied is parsed too: its first log may be gone', () => {
  const session = new MadeSession().fails('make all', 'cc: error: no input files');
  for (const entry of session.entries) entry.copied = true;
  expect(extractSession(session.input()).rows.steps.map(({ outcome }) => outcome)).toEqual([
    'failed',
  ]);
});
