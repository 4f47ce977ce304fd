import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { pathsOf } from '../../src/config.js';
import { foldUses } from '../../src/jobs/upkeep/fold-uses.js';
import type { JobContext } from '../../src/jobs/job.js';
import { noteUses } from '../../src/recall/recall.js';
import { tempStore } from '../stage.js';

const clock = { now: () => new Date('2026-11-20T12:00:00.000Z'), mono: () => 0 };

test('what readers noted is folded in once: each door, never twice after a kill, and no line that is no use', async () => {
  const { store } = await tempStore();
  const paths = pathsOf(dirname(store.path));
  const context = { paths, store } as unknown as JobContext;
  const lesson = (id: string) => ({ type: 'lesson' as const, id, project: 'shop-3fa9' });
  expect(await foldUses(context), 'nothing was noted').toBe(0);
  for (const door of ['search', 'show', 'recall'] as const)
    noteUses({ paths, clock }, door, [lesson(door)]);
  noteUses({ paths, clock }, 'search', []);
  writeFileSync(
    paths.uses,
    `${readFileSync(paths.uses, 'utf8')}not JSON\n{"time":"soon","type":"lesson","id":"x","door":"show"}\n{"time":"2026-11-20T12:00:00Z","type":"dream","id":"x","door":"show"}\n{"ti`,
  );
  const noted = readFileSync(paths.uses);
  expect(await foldUses(context)).toBe(3);
  expect(existsSync(paths.uses)).toBe(false);
  // Killed after the commit and before the file was gone: the same file is found again.
  writeFileSync(`${paths.uses}.folding`, noted);
  noteUses({ paths, clock }, 'show', [lesson('later')]);
  expect(await foldUses(context)).toBe(0);
  expect(await foldUses(context), 'what came meanwhile is folded the next time').toBe(1);
  const rows = await store.read((db) =>
    db.all('SELECT door, id, project FROM uses ORDER BY door, id'),
  );
  expect(rows).toEqual(
    [
      ['recall', 'recall'],
      ['search', 'search'],
      ['show', 'later'],
      ['show', 'show'],
    ].map(([door, id]) => ({ door, id, project: 'shop-3fa9' })),
  );
});
