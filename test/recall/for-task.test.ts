import { describe, expect, test } from 'vitest';
import { rankForTask } from '../../src/recall/moments/for-task.js';
import type { Lesson, Relation } from '../../src/types.js';
import { lesson as madeLesson } from '../context/build.js';

function lesson(id: string, text: string, files: string[] = []): Lesson {
  return madeLesson(0, { id, text, files, worth: 0.6 });
}
function found(
  task: string,
  lessons: Lesson[],
  relations: (Relation & { sessions: readonly string[] })[],
): string[] {
  return rankForTask(task, lessons, relations, '2026-11-20').map((l) => l.id);
}

describe('one hop of relations', () => {
  const slow = lesson('a', '`make e2e` is slow: run it in the background.');
  const other = lesson('b', 'Releases are tagged by hand.');
  const tested = {
    from: 'src/cart.ts',
    rel: 'tested_by',
    to: 'make e2e',
    sessions: ['s1'],
  } as const;

  test('a file that the task names leads to what its checks taught', () => {
    expect(found('Change the coupon in src/cart.ts', [slow, other], [tested])).toEqual(['a']);
    expect(found('Change the coupon in src/tax.ts', [slow, other], [tested])).toEqual([]);
  });
});

describe('meaning beside words', () => {
  const secrets = lesson('a', 'Credential helpers of the system are not asked.');
  const tiles = lesson('b', 'Releases are tagged by hand.');
  const near = (a: number, b: number): string[] =>
    rankForTask(
      'log in with the stored passwords',
      [secrets, tiles],
      [],
      '2026-11-20',
      new Map([
        ['a', a],
        ['b', b],
      ]),
    ).map((l) => l.id);

  test('a lesson without a word of the task is found when it is near, and only then', () => {
    expect(found('log in with the stored passwords', [secrets, tiles], [])).toEqual([]);
    expect(near(0.45, 0.1)).toEqual(['a']);
    expect(near(0.3, 0.31)).toEqual([]);
  });

  test('a thing that the task names counts whatever its words mean', () => {
    const named = lesson('c', 'Prices are kept in cents.', ['src/cart.ts']);
    const relation = {
      from: 'src/cart.ts',
      rel: 'tested_by',
      to: 'make e2e',
      sessions: ['s1'],
    } as const;
    expect(
      rankForTask(
        'Change src/cart.ts',
        [named],
        [relation],
        '2026-11-20',
        new Map([['c', -0.2]]),
      ).map((l) => l.id),
    ).toEqual(['c']);
  });
});
