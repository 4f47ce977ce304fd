/** Two statements of the same words that say the opposite. */
import { expect, test } from 'vitest';
import { candidate } from './build.js';
import { globalCandidates } from '../../src/lessons/scope.js';
import { isOpposed, isSwapped, signatureOf, wordsOf } from '../../src/lessons/wording.js';

test('only two words that changed places are a swap', () => {
  expect(isSwapped('Indent with tabs, never spaces', 'indent with spaces, never tabs.')).toBe(true);
  expect(isSwapped('Run the lint before the tests', 'Run the tests before the lint')).toBe(true);
  expect(isSwapped('In tests always mock the clock', 'Always mock the clock in tests')).toBe(false);
  expect(isSwapped('Use pnpm', 'Use pnpm')).toBe(false);
  expect(isSwapped('Use pnpm', 'Use yarn')).toBe(false);
});

test('two statements are opposed when each denies what the other one speaks of', () => {
  const of = (text: string) => ({ words: wordsOf(text), signature: signatureOf(text) });
  const opposed = (a: string, b: string): boolean => isOpposed(of(a), of(b)) && isOpposed(of(b), of(a));
  expect(opposed('Use pnpm, not npm, in this repository', 'Always use npm in this repository, not pnpm')).toBe(true);
  expect(opposed('Use `pnpm`, never `npm`', 'Use `npm`, never `pnpm`')).toBe(true);
  expect(opposed('Never push to main on Fridays', "Don't push to main on a Friday")).toBe(false);
  expect(opposed('Use pnpm, not npm', 'Use pnpm here, never npm')).toBe(false);
  expect(opposed('Commit with `--no-verify`', 'Never commit with `--no-verify`')).toBe(false);
});

test('opposite wishes of two projects are no rule everywhere; the same words are', () => {
  const wish = (project: string, text: string) => candidate({ text, key: text, project, kind: 'preference', saidBy: 'user' });
  const one = wish('a', 'Use pnpm, not npm, in this repository');
  expect(globalCandidates([one, wish('b', 'Always use npm in this repository, not pnpm')])).toEqual([]);
  expect(globalCandidates([one, wish('b', 'use pnpm, not npm, in this repository.')])).toHaveLength(2);
});
