import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { failureSignature, namedError, verdictOf } from '../../src/text/errors.js';
import { anyCodePoints } from '../code-points.js';
import { growthOf } from '../growth.js';

describe('failureSignature', () => {
  test.each([
    [
      'src/shop/cart.ts(3,14): error TS2345: Argument of type',
      'cart.ts: error TS2345: Argument of type',
    ],
    ['/bin/bash: line 12: pnpm: command not found', 'pnpm: command not found'],
    ['zsh: command not found: pnpm', 'zsh: command not found: pnpm'],
    [
      'running 3 tests\nE       AssertionError: assert 3 == 4\n1 failed in 0.21s',
      'AssertionError: assert <n> == <n>',
    ],
    [
      '   Compiling shop v0.1.0\nerror[E0308]: mismatched types\n  --> src/lib.rs:3:5',
      'error[E0308]: mismatched types',
    ],
    ['=== RUN TestCart\n--- FAIL: TestCart (0.02s)\nFAIL', '--- FAIL: TestCart (<n>)'],
    ['./cart.go:12:3: undefined: total', 'cart.go: undefined: total'],
    ['npm ERR! code ELIFECYCLE\nnpm ERR! errno 1', 'npm ERR! code ELIFECYCLE'],
    [
      'FAIL src/cart.test.ts\n  ● total\n    TypeError: total is not a function\n      at x (/a/b.ts:3:4)',
      'TypeError: total is not a function',
    ],
    [
      'Traceback (most recent call last):\n  File "/a/b.py", line 3, in <module>\nValueError: bad id 4711',
      'ValueError: bad id <n>',
    ],
    [
      '> Task :app:compileKotlin FAILED\ne: file:///a/Shop.kt:3:4 Unresolved reference: total',
      'e: Shop.kt Unresolved reference: total',
    ],
    [
      '  12:5  error  total is never used  no-unused-vars',
      'error total is never used no-unused-vars',
    ],
    ['cat: /tmp/shop/x.txt: No such file or directory', 'cat: x.txt: No such file or directory'],
    ['make: *** [Makefile:12: test] Error 1', 'make: *** [Makefile:<n>: test] Error <n>'],
    ['\u001b[31mError: boom\u001b[0m', 'Error: boom'],
  ])('%j', (text, wanted) => {
    expect(failureSignature(text)).toBe(wanted);
  });

  test.each([
    'all good',
    '0 errors, 0 warnings',
    'Tests: 12 passed',
    '',
    '   12\tthrow new Error("x")',
    'src/a.ts:12: throw new Error("x")',
  ])('%j shows no error', (text) => {
    expect(verdictOf(text).failure).toBe(false);
  });

  test.each([
    [
      'Unknown JSON field: "merged_at"\nAvailable fields:\n  author\n  body\n  title',
      'Unknown JSON field: "merged_at"',
    ],
    ['Exit code 1\n(eval):1: read-only variable: status', '(eval):<n>: read-only variable: status'],
    ['Exit code 1\nthe working tree is dirty', 'the working tree is dirty'],
    ['first\nsecond\nno upstream configured', 'no upstream configured'],
    ['Exit code 2', 'Exit code <n>'],
    ['Compiling\nTypeError: total is undefined\nbye', 'TypeError: total is undefined'],
    ['', null],
    ['12 | 14', null],
    ['+ a\n- b', null],
    [Array.from({ length: 40 }, (_, i) => `row ${i}`).join('\n'), null],
  ])('a result that failed with %j says why', (text, wanted) => {
    expect(failureSignature(text)).toBe(wanted);
  });

  test('place, number, hash and time do not matter', () => {
    const at = (path: string, line: number, id: string): string =>
      `2026-08-03T09:14:05Z Error: cannot open ${path}/orders.db:${line} (request ${id}) after ${line}ms`;
    expect(failureSignature(at('/home/ana/shop', 3, '9f3a61c2'))).toBe(
      failureSignature(at('/srv/x/y', 812, '00aa17fe')),
    );
  });

  test('never throws, never longer than 160; hostile text takes time in proportion', async () => {
    fc.assert(fc.property(anyCodePoints(), (text) => (failureSignature(text)?.length ?? 0) <= 160));
    for (const hostile of ['a/', 'Error: ', '1:', '.', ' ', 'aA0_', '\\', '0x', "'"]) {
      const read = (size: number): void => {
        failureSignature(hostile.repeat(5 * size));
        failureSignature(`Error: ${hostile.repeat(2 * size)}`);
      };
      // A wrong quantifier makes it 64 and more.
      expect(await growthOf(read, 12_500, 100_000, 24), hostile).toBeLessThan(24);
    }
  });
});

describe('the error of a command that is known to have failed', () => {
  test.each([
    [
      'no known host among the remotes of this clone',
      'no known host among the remotes of this clone',
    ],
    [
      'Exit code 1\nno known host among the remotes of this clone',
      'no known host among the remotes of this clone',
    ],
    [
      'Unknown command "stat" for "kettle".\nSee "kettle --help"',
      'Unknown command "stat" for "kettle".',
    ],
    ['12 files looked at\nall of them clean enough\nexcept for the third', null],
    ['Exit code 1', null],
    ['', null],
  ])('is the first line of an output of two lines, whatever its words are: %j', (output, error) => {
    expect(namedError(output)).toBe(error);
  });
});
