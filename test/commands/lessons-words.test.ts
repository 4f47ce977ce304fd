/** A lesson is named by words of it, as context.md shows it without ids. */
import { describe, expect, test } from 'vitest';
import { lesson } from '../context/build.js';
import { lessonsByWords } from '../../src/recall/lessons.js';

const rebase = lesson(1, { text: 'We never force-push shared branches, rebase on origin first' });
const push = lesson(2, { text: 'Never push to main on a Friday' });
const old = lesson(3, { text: 'Never push to main at all', status: 'superseded' });
const all = [rebase, push, old];
function found(meant: string): string[] {
  return lessonsByWords(all, meant).map(({ id }) => id);
}

describe('words of a lesson', () => {
  test('in their order, whatever the case and the marks', () =>
    expect(found('FORCE push shared branches')).toEqual([rebase.id]));
  test('in any order when no lesson has them in this one', () =>
    expect(found('branches shared')).toEqual([rebase.id]));
  test('of a shown lesson before one that was replaced', () =>
    expect(found('never push to main')).toEqual([push.id]));
  test('of a replaced one when it alone has them', () =>
    expect(found('main at all')).toEqual([old.id]));
  test('the whole sentence means that lesson alone', () =>
    expect(
      lessonsByWords(
        [push, lesson(4, { text: 'Never push to main on a Friday evening' })],
        push.text,
      ),
    ).toEqual([push]));
  test('of several lessons are all of them', () =>
    expect(found('push')).toEqual([rebase.id, push.id]));
  test('of none, or no words, are none', () => {
    expect(found('deploy')).toEqual([]);
    expect(found('?!')).toEqual([]);
  });
});
