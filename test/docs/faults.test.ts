/** docs/faults.md names tests and sources that exist, and every fault once. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const text = readFileSync(join(root, 'docs/faults.md'), 'utf8');
const rows = text.split('\n').filter((line) => /^\| [A-J]\d+ \|/.test(line)).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()) as [string, string, string, string]);

test('118 faults and more, each once, each with an answer', () => {
  expect(rows.length).toBeGreaterThanOrEqual(118);
  const ids = rows.map(([id]) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  for (const [id, , , shown] of rows) expect(shown, id).toMatch(/^(?:test\/|src\/|`make |\*\*open\*\*|cannot |not promised)/);
});

test('who may speak: each fault once, numbered through, each with an answer', () => {
  const spoken = text.split('\n').filter((line) => /^\| K\d+ \|/.test(line)).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()) as [string, string, string, string]);
  expect(spoken.map(([id]) => id)).toEqual(spoken.map((_, at) => `K${at + 1}`));
  for (const [id, , , shown] of spoken) expect(shown, id).toMatch(/^(?:test\/|\*\*open\*\*|not promised)/);
});

test('lessons: each fault once, numbered through, each with an answer', () => {
  const lessons = text.split('\n').filter((line) => /^\| L\d+ \|/.test(line)).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()) as [string, string, string, string]);
  expect(lessons.map(([id]) => id)).toEqual(lessons.map((_, at) => `L${at + 1}`));
  for (const [id, , , shown] of lessons) expect(shown, id).toMatch(/^(?:test\/|\*\*open\*\*|not promised)/);
});

test('every file that it names exists', () => {
  const named = [...text.matchAll(/\b(?:test|src)\/[\w./-]+\.ts\b/g)].map(([path]) => path);
  expect(named.length).toBeGreaterThan(150);
  expect([...new Set(named)].filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('every make target that it names exists', () => {
  const makefile = readFileSync(join(root, 'Makefile'), 'utf8');
  for (const [, target] of text.matchAll(/`make (\w+)`/g)) expect(makefile).toContain(`\n${target}:`);
});
