import { expect, test } from 'vitest';
import { activeSeconds } from '../../src/parse/index.js';

test('a session that was resumed the next day was worked in for minutes, not for a day', () => {
  const at = (time: string | null): { time: string | null } => ({ time });
  expect(activeSeconds([])).toBe(0);
  expect(
    activeSeconds([
      at('2026-11-20T10:02:00.000Z'),
      at('2026-11-20T10:00:00.000Z'),
      at(null),
      at('2026-11-21T09:00:00.000Z'),
      at('2026-11-21T09:00:30.000Z'),
    ]),
  ).toBe(120 + 300 + 30);
});
