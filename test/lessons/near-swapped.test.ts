/** Statements that say the same, and such as cannot both hold. */
import { expect, test } from 'vitest';
import { candidate } from './build.js';
import { globalCandidates } from '../../src/lessons/scope.js';
import { contradicts, isSameStatement, statementOf } from '../../src/lessons/wording.js';

test.each<[string, string, boolean]>([
  ['Use pnpm, not npm', 'Use npm', true],
  ['Use pnpm, not npm, in this repository', 'Always use npm in this repository, not pnpm', true],
  ['Use `pnpm`, never `npm`', 'Use `npm`, never `pnpm`', true],
  ['Use npm to install', 'Use pnpm to install', true],
  ['The package manager is `npm`', 'The package manager is `pnpm`', true],
  ['Format with prettier', 'Format with biome', true],
  ['Indent with tabs, never spaces', 'indent with spaces, never tabs.', true],
  [
    'Commit generated files with `--no-verify`',
    'Never commit generated files with `--no-verify`',
    true,
  ],
  ['Use npm', 'Use docker', false],
  ['Use pnpm, not npm', 'Use pnpm, not yarn', false],
  ['Use pnpm, not npm', 'The package is on npm since 2020', false],
  ['Use pnpm, not npm', 'Use pnpm here, never npm', false],
  ['Run the lint before the tests', 'Run the tests before the lint', false],
  ['In tests always mock the clock', 'Always mock the clock in tests', false],
  ['Never push to main on Fridays', "Don't push to main on a Friday", false],
])('%s | %s', (a, b, cannotBothHold) => {
  expect(contradicts(statementOf(a), statementOf(b), 0.7)).toBe(cannotBothHold);
  expect(contradicts(statementOf(b), statementOf(a), 0.7)).toBe(cannotBothHold);
});

test.each<[string, string, boolean]>([
  ['Never push to main on Fridays', "Don't push to main on a Friday", true],
  ['Run the lint before the tests', 'Run the tests before the lint', false],
  ['Use pnpm', 'Use npm', false],
  ['Listen on port 8080', 'Listen on port 8081', false],
  ['Commit with `--no-verify`', 'Never commit with `--no-verify`', false],
])('%s says the same as %s: %s', (a, b, same) =>
  expect(isSameStatement(statementOf(a), statementOf(b))).toBe(same),
);

test('opposite wishes of two projects are no rule everywhere; the same words are', () => {
  const wish = (project: string, text: string) =>
    candidate({ text, key: text, project, kind: 'preference', saidBy: 'user' });
  const one = wish('a', 'Use pnpm, not npm, in this repository');
  expect(globalCandidates([one, wish('b', 'Always use npm in this repository, not pnpm')])).toEqual(
    [],
  );
  expect(globalCandidates([one, wish('b', 'use pnpm, not npm, in this repository.')])).toHaveLength(
    2,
  );
});
