/** A column keeps its place in a view that others read. */
import { expect, test } from 'vitest';
import { lessonFields } from '../../src/types.js';

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
  expect(lessonFields('answers', 'view').slice(0, view.length)).toEqual(view);
});
