/** Which claims are rules, and what they forbid. */
import { describe, expect, test } from 'vitest';
import { ruleOf } from '../../src/parse/index.js';

const told = (claim: string): string | null => {
  const rule = ruleOf(claim);
  if (rule === null) return null;
  return [
    ...rule.commands,
    ...rule.paths.map((path) => `path ${path}`),
    ...(rule.instead === null ? [] : [`use ${rule.instead}`]),
  ].join(' | ');
};

describe('a claim that forbids a command or a path', () => {
  test.each([
    ['Never use `npm`, use `pnpm`', 'npm | use pnpm'],
    ['Use pnpm, not npm', 'npm | use pnpm'],
    ['use `uv run pytest` instead of `pytest`', 'pytest | use uv run pytest'],
    ['Instead of `grep` use `rg`', 'grep | use rg'],
    ['We use pnpm: never run `npm install`', 'npm install'],
    ["don't use npm or yarn, use bun", 'npm | yarn | use bun'],
    ['Do not run npm install here', 'npm install'],
    ['Never run `git stash`; read the files you need', 'git stash'],
    ['Benutze nie `npm`', 'npm'],
    ['Never push to main', 'git push main'],
    ['never force-push', 'git push --force | git push -f'],
    ["Don't edit `src/generated/`", 'path src/generated'],
    ['Never hand-edit readme.md or `examples/`', 'path readme.md | path examples'],
    ['Never delete `migrations/*.sql`', 'path migrations/*.sql'],
    ['We deploy by hand. Never run `make release`.', 'make release'],
  ])('%s', (claim, fields) => expect(told(claim)).toBe(fields));
});

describe('a claim that is no rule, since nobody could count it rightly', () => {
  test.each([
    ['a condition', 'Never push to main just because CI is green'],
    ['a condition before it', 'When deploying, never use `docker compose down`'],
    ['a condition behind it', 'Never use `npm` unless asked'],
    ['an exception in the next sentence', 'Never use `npm`. It is fine only in docs.'],
    ['a place', "In tests, don't use `sleep`"],
    ['a purpose', "Don't use node for scripts"],
    ['the opposite', "Don't forget to run `npm test`"],
    ['a word of code', 'never use `any`'],
    ['a call of code', 'Use `foo()` instead of `bar()`'],
    ['words of English', "don't make changes"],
    ['nothing forbidden', 'Always run `make check` before committing'],
    ['what no row shows', 'Do not commit to main'],
  ])('%s: %s', (_, claim) => expect(told(claim)).toBeNull());
});

test('a long claim is no rule', () => {
  expect(ruleOf(`never use ${'npm install a '.repeat(140)}`)).toBeNull();
  expect(ruleOf(`don't run ${'abc or '.repeat(27)}`)).toBeNull();
});
