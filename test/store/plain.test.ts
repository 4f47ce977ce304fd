/** Which values become part of a statement: its text is repeated by the engine's messages, and so by the log. */
import { expect, test } from 'vitest';
import { withPlain } from '../../src/store/db.js';

test('ids, times, numbers, NULL and short lists of ids do; what a person wrote and unknown names do not', () => {
  const sql = 'SELECT $id, $time::TIMESTAMP, $n, $none, $text, $ids, $said, $other';
  const left = { text: "it's", said: ['a', "it's"] };
  expect(withPlain(sql, { id: 'a1-b2', time: '2026-11-20T12:00:00.000Z', n: -3, none: null, ids: ['a', 'b'], ...left })).toEqual([
    "SELECT 'a1-b2', '2026-11-20T12:00:00.000Z'::TIMESTAMP, (-3)::BIGINT, NULL, $text, ['a', 'b']::VARCHAR[], $said, $other",
    left,
  ]);
  for (const text of ["'", '\n', 'two words', '\0', 'ä', 'x'.repeat(65)])
    expect(withPlain('$text', { text })).toEqual(['$text', { text }]);
});
