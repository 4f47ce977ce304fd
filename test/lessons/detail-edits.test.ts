import { expect, test } from 'vitest';
import { planDetailEdits } from '../../src/lessons/index.js';

const [A, B] = ['a'.repeat(16), 'b'.repeat(16)];
const time = '2026-11-20T12:00:00.000Z';
function file(more: object) {
  return { kind: 'fact' as const, bullets: [], missing: [], time, ...more };
}
function short(edits: ReturnType<typeof planDetailEdits>) {
  return edits.map(({ lesson, action, text, kind }) => ({ lesson, action, text, kind }));
}

test('nothing changed gives no edit', () =>
  expect(planDetailEdits([file({ bullets: [{ id: A, text: 'x', state: 'same' }] })], 'p')).toEqual(
    [],
  ));

test('changed, removed, emptied, added', () => {
  expect(
    short(
      planDetailEdits(
        [file({ bullets: [{ id: A, text: 'new words', state: 'changed' }], missing: [B] })],
        'p',
      ),
    ),
  ).toEqual([
    { lesson: A, action: 'edit', text: 'new words', kind: null },
    { lesson: B, action: 'forget', text: null, kind: null },
  ]);
  expect(
    short(planDetailEdits([file({ bullets: [{ id: A, text: '', state: 'changed' }] })], 'p')),
  ).toEqual([{ lesson: A, action: 'forget', text: null, kind: null }]);
  expect(
    planDetailEdits([file({ bullets: [{ id: null, text: 'Added', state: 'new' }] })], 'p'),
  ).toMatchObject([{ action: 'add', text: 'Added', kind: 'fact', scope: 'project', time }]);
  expect(
    planDetailEdits([file({ bullets: [{ id: null, text: 'Added', state: 'new' }] })], null),
  ).toMatchObject([{ scope: 'global' }]);
});

test('moved to another file: it takes that kind and is not forgotten', () => {
  const moved = planDetailEdits(
    [
      file({ missing: [A] }),
      file({ kind: 'gotcha', bullets: [{ id: A, text: 'x', state: 'new' }] }),
    ],
    'p',
  );
  expect(short(moved)).toEqual([{ lesson: A, action: 'edit', text: 'x', kind: 'gotcha' }]);
});

test('an id that nobody wrote here is a new lesson', () => {
  expect(
    planDetailEdits([file({ bullets: [{ id: B, text: 'from elsewhere', state: 'new' }] })], 'p'),
  ).toMatchObject([{ action: 'add', text: 'from elsewhere' }]);
});
