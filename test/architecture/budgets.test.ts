import { expect, test } from 'vitest';
import { lowered, readBudgets, sizes, type Size } from './count.js';

const budgets = readBudgets();

test('no part of the repository is larger than its budget; `make format` lowers a budget, a reason in docs/decisions raises it', () => {
  const over = Object.entries(sizes()).flatMap(([part, { lines, bytes }]) => {
    const budget = budgets[part];
    if (budget === undefined) return [`${part} has no budget`];
    return lines > budget.lines || bytes > budget.bytes
      ? [`${part}: ${lines} of ${budget.lines} lines, ${bytes} of ${budget.bytes} bytes`]
      : [];
  });
  expect(over).toEqual([]);
});

test('a budget goes down only', () => {
  const size = (lines: number, bytes: number): Size => ({ lines, bytes });
  expect(
    lowered(
      { 'src/a': size(10, 100), 'src/b': size(10, 100), 'src/gone': size(1, 1) },
      { 'src/a': size(11, 90), 'src/b': size(9, 110), 'src/new': size(2, 20) },
    ),
  ).toEqual({ 'src/a': size(10, 90), 'src/b': size(9, 100), 'src/new': size(2, 20) });
});
