/** Two statements of the same words that say the opposite. */
import { expect, test } from 'vitest';
import { isSwapped } from '../../src/distill/wording.js';

test('only two words that changed places are a swap', () => {
  expect(isSwapped('Indent with tabs, never spaces', 'indent with spaces, never tabs.')).toBe(true);
  expect(isSwapped('Run the lint before the tests', 'Run the tests before the lint')).toBe(true);
  expect(isSwapped('In tests always mock the clock', 'Always mock the clock in tests')).toBe(false);
  expect(isSwapped('Use pnpm', 'Use pnpm')).toBe(false);
  expect(isSwapped('Use pnpm', 'Use yarn')).toBe(false);
});
