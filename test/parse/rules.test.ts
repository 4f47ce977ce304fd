/** Which claims are rules, and what they forbid. */
import { expect, test } from 'vitest';
import { ruleOf } from '../../src/parse/index.js';

/** Null: no rule; '': a rule that is not counted. */
const read = (claim: string): string | null => {
  const rule = ruleOf(claim);
  if (rule === null) return null;
  return [
    ...rule.commands,
    ...rule.paths.map((path) => `path ${path}`),
    ...(rule.instead === null ? [] : [`use ${rule.instead}`]),
  ].join(' | ');
};

test.each([
  ['Never use `npm`, use `pnpm`', 'npm | use pnpm'],
  ['Use `pnpm`, never `npm`', 'npm | use pnpm'],
  ['use `uv run pytest` instead of `pytest`', 'pytest | use uv run pytest'],
  ["don't use `npm` or `yarn`, use `bun`", 'npm | yarn | use bun'],
  ['Do not run `npm install` here', 'npm install'],
  ['Never run `git stash`; read the files you need', 'git stash'],
  ['No `git push --force` please', 'git push --force'],
  ["Don't edit `src/generated/`", 'path src/generated'],
  ['Never delete `migrations/*.sql` or `readme.md`', 'path migrations/*.sql | path readme.md'],
])('%s', (claim, fields) => expect(read(claim)).toBe(fields));

test.each([
  ['no command is named', 'never make draft prs'],
  ['the command is in no code span', 'never force-push main'],
  ['a condition', 'Never use `npm` unless asked'],
  ['a word of code', 'never use `any`'],
  ['a call of code', 'Use `foo()` instead of `bar()`'],
])('a rule is not counted: %s', (_, claim) => expect(read(claim)).toBe(''));

test.each([
  'Always run `make check`',
  'We never use `npm`',
  'Nothing beats `rg`',
  'Notes live in `docs/`',
])('no rule: %s', (claim) => expect(ruleOf(claim)).toBeNull());
