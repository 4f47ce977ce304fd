/**
 * Fields have one name inside the program and one outside, and the way back is the same for every
 * shape.
 */
import { expect, test } from 'vitest';
import { columnOf, lessonFields } from '../../src/types.js';

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
