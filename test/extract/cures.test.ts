import { describe, expect, test } from 'vitest';
import { changedPiece, findingsIn } from '../../src/extract/cures/lint-rules.js';
import { curesOf } from './door.js';
import { MadeSession } from './made-session.js';

function texts(session: MadeSession): string[] {
  return curesOf(session.input()).map((c) => c.text);
}
const MISSING = "Error: Cannot find module 'dist/schema'";

describe('failure and cure', () => {
  test('another command in between is the cure', () => {
    const session = new MadeSession()
      .fails('npm test', MISSING, MISSING)
      .shell('npm run build', 'built in 3s')
      .shell('npm test', '3 passed');
    expect(texts(session)).toEqual([
      "`npm test` fails with `Error: Cannot find module 'dist/schema'` until `npm run build` has run.",
    ]);
    expect(curesOf(session.input())[0]).toMatchObject({
      kind: 'gotcha',
      importance: 3,
      alone: true,
      evidence: { quote: MISSING },
    });
  });

  test('three failing calls make it dear', () => {
    const session = new MadeSession()
      .fails('npm test', MISSING, MISSING)
      .fails('npm test', MISSING, MISSING)
      .fails('npm test', MISSING, MISSING)
      .shell('npm run build', '')
      .shell('npm test', '3 passed');
    expect(curesOf(session.input())[0]?.importance).toBe(4);
  });

  test('an ordinary bug that an edit cured is no lesson', () => {
    const session = new MadeSession()
      .fails('npm test', 'TypeError: total is undefined', 'TypeError: total is undefined')
      .edit('src/cart.ts')
      .shell('npm test', '3 passed');
    expect(texts(session)).toEqual([]);
  });

  test('the cause that the agent stated is kept when it shares terms with the error', () => {
    const session = new MadeSession()
      .fails('npm test', 'Error: listen EADDRINUSE 5433 postgres_test', 'Error: listen EADDRINUSE <n> postgres_test')
      .agent('The tests need `postgres_test` on its own port because `docker-compose.yml` already binds EADDRINUSE port 5433.')
      .edit('docker-compose.test.yml')
      .shell('npm test', '3 passed');
    const [found] = curesOf(session.input());
    expect(found).toMatchObject({ kind: 'gotcha', saidBy: 'agent', evidence: { trust: 0.4 } });
    expect(found?.text).toContain('because `docker-compose.yml`');
    expect(found?.tags).toEqual(['cure', expect.stringContaining('explained'), expect.stringMatching(/^judged 0\.\d\d: ./)]);
    expect(found?.worth).toBeLessThan(0.5);
    const silent = new MadeSession()
      .fails('npm test', MISSING, MISSING)
      .agent('I will look at the cart because it seems odd.')
      .edit('src/a.ts')
      .shell('npm test', '3 passed');
    expect(texts(silent)).toEqual([]);
  });

  test('of several sentences the one is kept that the judge holds most worth keeping; a report of the fix is none', () => {
    const error = 'Error: listen EADDRINUSE 5433 postgres_test';
    const said = (...sentences: string[]) => {
      const session = new MadeSession().fails('npm test', error, error.replace('5433', '<n>'));
      for (const sentence of sentences) session.agent(sentence);
      return curesOf(session.edit('src/a.ts').shell('npm test', '3 passed').input()).map((c) => c.text);
    };
    const cause =
      'The tests need `postgres_test` on its own port because `docker-compose.yml` already binds EADDRINUSE port 5433';
    const report =
      'I have now fixed EADDRINUSE for `postgres_test` by updating `docker-compose.yml` because the test was failing.';
    expect(said(report, `${cause}.`)).toEqual([cause]);
    expect(said(report)).toEqual([]);
  });

  test('the same test that passes unchanged is flaky', () => {
    const error = 'TypeError: socket hang up in checkout.test.ts';
    const session = new MadeSession().fails('npm test', error, error).agent('Again.').shell('npm test', '3 passed');
    expect(texts(session)[0]).toMatch(
      /^`npm test` is flaky or order-dependent: it failed with `TypeError: socket hang up in checkout.test.ts`/,
    );
    expect(
      texts(new MadeSession().fails('npm test', error, error).shell('git checkout src', '').shell('npm test', '3 passed')),
    ).toEqual([]);
    expect(texts(new MadeSession().fails('npm test', error, error).user('try now').shell('npm test', '3 passed'))).toEqual([]);
  });

  test('a signature that says nothing gives nothing', () => {
    const session = new MadeSession()
      .fails('npm test', '1 failed', 'FAIL')
      .shell('npm run build', '')
      .shell('npm test', '3 passed');
    expect(texts(session)).toEqual([]);
  });
});

describe('an edit that cures', () => {
  const error = 'Error: Unknown option poolSize in vitest config';

  test('is told when one file of the set-up was changed and the change speaks of the error', () => {
    const session = new MadeSession()
      .fails('npm test', error, error)
      .edit('vitest.config.ts', ['-  poolSize: 2,'])
      .shell('npm test', '3 passed');
    expect(texts(session)).toEqual([
      '`npm test` failed with `Error: Unknown option poolSize in vitest config`: an edit of `vitest.config.ts` cured it.',
    ]);
  });

  test('not of source code, not of two files, not by an edit about something else', () => {
    expect(
      texts(
        new MadeSession().fails('npm test', error, error).edit('src/cart.ts', ['-  poolSize: 2,']).shell('npm test', '3 passed'),
      ),
    ).toEqual([]);
    expect(
      texts(
        new MadeSession()
          .fails('npm test', error, error)
          .edit('vitest.config.ts', ['-  poolSize: 2,'])
          .edit('package.json')
          .shell('npm test', '3 passed'),
      ),
    ).toEqual([]);
    expect(
      texts(
        new MadeSession()
          .fails('npm test', error, error)
          .edit('vitest.config.ts', ['+  globals: true,'])
          .shell('npm test', '3 passed'),
      ),
    ).toEqual([]);
  });
});

describe('the same signature again', () => {
  const error = 'Error: Cannot find module ./generated/schema.js';

  test('an error of the set-up that nothing cured waits for a second session; a cure found elsewhere has its key', () => {
    const [open] = curesOf(new MadeSession().fails('npm test', error, error).input());
    expect(open).toMatchObject({
      alone: false,
      text: '`npm test` keeps failing here with `Error: Cannot find module ./generated/schema.js`; no cure was found yet.',
      evidence: { trust: 0.4 },
    });
    const [cured] = curesOf(
      new MadeSession().fails('npm test', error, error).shell('npm run generate', 'done').shell('npm test', '3 passed').input(),
    );
    expect(cured).toMatchObject({ alone: true, key: open?.key, evidence: { trust: 0.6 } });
  });

  test('a failing expectation is no error of the set-up, and a later success ends it', () => {
    expect(
      texts(
        new MadeSession().fails('npm test', 'TypeError: total is undefined in cart', 'TypeError: total is undefined in cart'),
      ),
    ).toEqual([]);
    expect(
      curesOf(new MadeSession().fails('npm test', error, error).edit('src/a.ts').shell('npm test', '3 passed').input()).filter(
        (c) => c.tags.includes('recurring'),
      ),
    ).toEqual([]);
  });
});

describe('lint rules', () => {
  const output = 'src/run.go:10:2: os/exec.Command must not be called, use os/exec.CommandContext (noctx)';

  test('the replacement that the message asks for is told', () => {
    const session = new MadeSession()
      .fails('make lint', output, output)
      .edit('src/run.go', ['-\tcmd := exec.Command("git")', '+\tcmd := exec.CommandContext(ctx, "git")'])
      .shell('make lint', '0 issues');
    expect(texts(session)).toEqual([
      '`make lint` enforces `noctx`: `os/exec.Command must not be called, use os/exec.CommandContext`; write `exec.CommandContext`, not `exec.Command`',
    ]);
  });

  test('a mark that silences it is no cure: the rule waits for a second session', () => {
    const found = 'src/run.go:10:2: New returns interface (shop.Client) (ireturn)';
    const session = new MadeSession()
      .fails('make lint', found, found)
      .edit('src/run.go', ['-func New() Client {', '+func New() Client { //nolint:ireturn // factory'])
      .shell('make lint', '0 issues');
    expect(curesOf(session.input())).toMatchObject([{ alone: false, key: 'rule:ireturn' }]);
    expect(texts(session).join()).not.toContain('nolint');
  });

  test('without a cure it needs a second session; untouched findings and ordinary rules are nothing', () => {
    const session = new MadeSession()
      .fails('make lint', output, output)
      .edit('src/run.go', ['+// other'])
      .shell('make lint', '0 issues');
    expect(curesOf(session.input())).toMatchObject([{ alone: false, key: 'rule:noctx' }]);
    expect(texts(new MadeSession().fails('make lint', output, output).shell('make lint', '0 issues'))).toEqual([]);
    const unused = 'src/a.py:1:1: F401 [*] `os` imported but unused';
    expect(
      texts(
        new MadeSession()
          .fails('ruff check .', unused, unused)
          .edit('src/a.py', ['-import os'])
          .shell('ruff check .', 'All checks passed'),
      ),
    ).toEqual([]);
  });

  test.each([
    ['src/a.py:3:5: E711 Comparison to `None`', 'E711'],
    ["src/a.ts(3,5): error TS2352: Conversion of type 'A' may be a mistake", 'TS2352'],
    ['src/a.py:3: error: Missing return statement  [return]', 'return'],
    ['src/a.ts\n  3:5  error  Do not use an index as key  react/no-array-index-key', 'react/no-array-index-key'],
    [
      'src/a.tsx:3:5 lint/suspicious/noArrayIndexKey ━━━━\n\n  × Avoid using the index of an array as key.',
      'lint/suspicious/noArrayIndexKey',
    ],
    ['app/a.rb:3:5: C: [Correctable] Style/StringLiterals: Prefer single-quoted strings', 'Style/StringLiterals'],
    ['error[E0502]: cannot borrow `x` as mutable', 'E0502'],
  ])('reads %s', (text, rule) => {
    expect(findingsIn(text)[0]?.rule).toBe(rule);
  });

  test('names the changed piece with whole words', () => {
    expect(changedPiece('  x = foo.bar(1)', '  x = foo.baz(1)')).toEqual({ from: 'foo.bar', to: 'foo.baz' });
    expect(changedPiece('a', 'a')).toBeNull();
  });
});
