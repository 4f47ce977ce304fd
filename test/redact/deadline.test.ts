import { expect, test } from 'vitest';
import { createRedactor } from '../../src/redact/index.js';

const harmless = 'password=hunter2abc '.repeat(5000);

/** A clock that goes on by `step` at each look. */
function ticking(step: number) {
  let now = 0;
  return () => (now += step);
}

test('a machine that works for others: time passes, the text is masked all the same', () => {
  const starved = createRedactor({ key: 'k', mono: ticking(400), cpu: ticking(0.1) });
  const [text] = starved.redact([harmless]);
  expect(text).toMatch(/^password=\[REDACTED:/);
  expect(text).not.toContain('timeout');
  expect(text).not.toContain('hunter2abc');
});

test('a text that takes the processor for too long is not stored at all, however little time it takes', () => {
  const slow = createRedactor({ key: 'k', mono: ticking(400), cpu: ticking(600) });
  expect(slow.redact([harmless, 'short'])).toEqual(['[REDACTED:timeout]', 'short']);
});
