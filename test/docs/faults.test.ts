/** docs/faults.md names tests and sources that exist, and every fault once. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docs/faults.md'), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => /^\| [A-Z]\d+ \|/.test(line))
  .map(
    (line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()) as [string, string, string, string],
  );

test('each fault is there once, with an answer', () => {
  expect(rows).not.toEqual([]);
  const ids = rows.map(([id]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  for (const [id, , , shown] of rows)
    expect(shown, id).toMatch(/^(?:test\/|src\/|`make |\*\*open\*\*|cannot |not promised)/);
});

test('every file that it names exists', () => {
  const named = [...text.matchAll(/\b(?:test|src)\/[\w./-]+\.ts\b/g)].map(([path]) => path);
  expect([...new Set(named)].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
