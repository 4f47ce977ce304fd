/**
 * Which values become part of a statement: its text is repeated by the engine's messages, and so by
 * the log.
 */
import { expect, test } from 'vitest';
import { withPlain } from '../../src/store/db.js';

test('times, numbers and NULL do; any text that may be a secret, lists and unknown names do not', () => {
  const sql = 'SELECT $id, $time::TIMESTAMP, $n, $none, $text, $ids, $other';
  const left = { id: 'sk-a1b2', text: "it's", ids: ['a'] };
  expect(withPlain(sql, { time: '2026-11-20T12:00:00.000Z', n: -3, none: null, ...left })).toEqual([
    "SELECT $id, '2026-11-20T12:00:00.000Z'::TIMESTAMP, (-3)::BIGINT, NULL, $text, $ids, $other",
    left,
  ]);
  for (const text of [
    "'",
    '',
    '2026-11-20 and more',
    '2026-11-20\n',
    "2026-11-20'",
    'deadbeefdeadbeefdeadbeefdeadbeef',
  ])
    expect(withPlain('$text', { text })).toEqual(['$text', { text }]);
});
