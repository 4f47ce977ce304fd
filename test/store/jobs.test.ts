import { expect, test } from 'vitest';
import { endRun, startRun, trimRuns } from '../../src/store/index.js';
import type { Store } from '../../src/store/index.js';
import { tempStore } from './build.js';

function at(minute: number) {
  return `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;
}

function runOnce(
  store: Store,
  minute: number,
  outcome: 'ok' | 'failed',
  more: { job?: string; period?: string; error?: string } = {},
) {
  return store.write(async (db) => {
    const id = await startRun(db, {
      job: more.job ?? 'extract',
      period: more.period ?? null,
      now: at(minute),
    });
    await endRun(db, id, {
      outcome,
      counts: { lessons: minute },
      error: more.error ?? null,
      now: at(minute + 1),
    });
    return id;
  });
}

test('old runs are trimmed, the newest and the last good one of each job stay', async () => {
  const { store } = await tempStore();
  await runOnce(store, 0, 'ok', { job: 'a' });
  for (let minute = 1; minute < 6; minute++) await runOnce(store, minute, 'failed', { job: 'a' });
  expect(await store.write((db) => trimRuns(db, 2, at(50)))).toBe(3);
  expect(await store.read((db) => db.all('SELECT id FROM own.job_runs ORDER BY id'))).toEqual([
    { id: 1 },
    { id: 5 },
    { id: 6 },
  ]);
});
