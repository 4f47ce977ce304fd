import { expect, test } from 'vitest';
import { foldAborted } from '../../src/lessons/index.js';
import type { Episode } from '../../src/types.js';
import { bareEpisode } from '../context/build.js';

function episode(
  session: string,
  newest: string,
  more: Partial<Episode> & { opening?: string | null } = {},
) {
  const outcome: Episode['outcome'] = 'abandoned';
  return {
    ...{ ...bareEpisode({ session, outcome, files: [], commits: [] }), newest },
    ...{ opening: 'h1' as string | null, ...more },
  };
}
function kept(...all: ReturnType<typeof episode>[]): string[] {
  return foldAborted(all).map((e) => e.session);
}

test('aborted starts with the first prompt of a later session are folded into it', () => {
  const done = episode('c', '2026-11-20T12:00:00.000Z', { outcome: 'success', files: ['a.ts'] });
  expect(
    kept(
      done,
      episode('b', '2026-11-20T11:00:00.000Z'),
      episode('a', '2026-11-20T10:00:00.000Z', { outcome: 'unknown' }),
    ),
  ).toEqual(['c']);
});

test('the last one stays, and so does what changed something, ended well or opened otherwise', () => {
  expect(
    kept(episode('a', '2026-11-20T10:00:00.000Z'), episode('b', '2026-11-20T11:00:00.000Z')),
  ).toEqual(['b']);
  const later = episode('z', '2026-11-20T12:00:00.000Z');
  expect(kept(episode('a', '2026-11-20T10:00:00.000Z', { files: ['a.ts'] }), later)).toEqual([
    'a',
    'z',
  ]);
  expect(kept(episode('a', '2026-11-20T10:00:00.000Z', { commits: ['fix: a'] }), later)).toEqual([
    'a',
    'z',
  ]);
  expect(kept(episode('a', '2026-11-20T10:00:00.000Z', { outcome: 'success' }), later)).toEqual([
    'a',
    'z',
  ]);
  expect(
    kept(
      episode('a', '2026-11-20T10:00:00.000Z', { opening: 'h2' }),
      episode('b', '2026-11-20T10:00:00.000Z', { opening: null }),
      later,
    ),
  ).toEqual(['a', 'b', 'z']);
});
