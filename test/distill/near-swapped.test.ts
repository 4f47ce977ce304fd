/** Two statements of the same words that say the opposite. */
import { expect, test } from 'vitest';
import { isSwapped } from '../../src/distill/wording.js';
import { keyOf } from '../../src/extract/sentences/statement.js';

test('what is denied is part of what is said: the same words the other way round are another statement', () => {
  expect(keyOf('Use pnpm here, not npm')).not.toBe(keyOf('Use npm here, not pnpm'));
  expect(keyOf('Never push to main')).toBe(keyOf("Don't push to main!"));
});

test('only two words that changed places are a swap', () => {
  expect(isSwapped('Indent with tabs, never spaces', 'indent with spaces, never tabs.')).toBe(true);
  expect(isSwapped('Run the lint before the tests', 'Run the tests before the lint')).toBe(true);
  expect(isSwapped('In tests always mock the clock', 'Always mock the clock in tests')).toBe(false);
  expect(isSwapped('Use pnpm', 'Use pnpm')).toBe(false);
  expect(isSwapped('Use pnpm', 'Use yarn')).toBe(false);
});
