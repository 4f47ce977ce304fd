/**
 * Fields have one name inside the program and one outside, and the way back is the same for every
 * shape.
 */
import { expect, test } from 'vitest';
import { columnOf, inside, lessonFields, outside } from '../../src/types.js';
import {
  editShape,
  eventShape,
  factEventShape,
  hitShape,
  lessonShape,
  outsideShape,
} from '../../src/types/shapes.js';

test.each(Object.entries({ editShape, eventShape, factEventShape, hitShape, lessonShape }))(
  'every field of %s comes back under its own name, and its schema has the name outside',
  (_, { shape }) => {
    const value = Object.fromEntries(Object.keys(shape).map((name) => [name, name]));
    expect(inside(outside(value))).toEqual(value);
    expect(new Set(Object.values(outside(value))).size).toBe(Object.keys(shape).length);
  },
);

test('what is said outside has an underscore where a capital stands inside; what is unknown stays away', () => {
  expect(Object.keys(outsideShape(lessonShape).shape)).toEqual(
    Object.keys(lessonShape.shape).map(columnOf),
  );
  expect(outside({ saidBy: 'user', text: 'a', key: 'b' }, ['text', 'saidBy'])).toEqual({
    text: 'a',
    said_by: 'user',
  });
  expect(inside({ said_by: 'user', superseded_by: undefined })).toEqual({ saidBy: 'user' });
});

test('columns of the view stay where they are: a new one stands behind them', () => {
  const view = [
    ...[
      'id',
      'kind',
      'scope',
      'project',
      'text',
      'importance',
      'confidence',
      'sessions',
      'first_seen',
      'last_seen',
      'said_by',
    ],
    ...[
      'status',
      'pinned',
      'tags',
      'files',
      'uses',
      'superseded_by',
      'supersedes',
      'fact',
      'fields',
    ],
  ];
  expect(lessonFields('answers', 'view').map(columnOf).slice(0, view.length)).toEqual(view);
});
