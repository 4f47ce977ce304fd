import { expect, test } from 'vitest';
import {
  addLlmCall,
  closeKilledRuns,
  endRun,
  donePeriods,
  failuresInRow,
  lastRuns,
  startRun,
  tokensSince,
  trimRuns,
} from '../../src/store/index.js';
import type { Store } from '../../src/store/index.js';
import { tempStore } from './build.js';

function at(minute: number) {
  return `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`;
}

async function newest(store: Store, job: string) {
  return (await store.read(lastRuns)).find((state) => state.job === job)?.lastRun;
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

test('a run tells its attempt, counts, error and next attempt', async () => {
  const { store } = await tempStore();
  await runOnce(store, 1, 'failed', { error: 'model missing' });
  const id = await store.write((db) => startRun(db, { job: 'extract', now: at(5) }));
  expect(await newest(store, 'extract')).toEqual({
    id: 2,
    job: 'extract',
    subject: null,
    period: null,
    attempt: 2,
    started: at(5),
    ended: null,
    outcome: 'running',
    counts: {},
    error: null,
    nextAttempt: null,
  });
  await store.write((db) =>
    endRun(db, id, { outcome: 'failed', error: 'again', nextAttempt: at(30), now: at(6) }),
  );
  expect(await newest(store, 'extract')).toMatchObject({
    id,
    outcome: 'failed',
    nextAttempt: at(30),
    ended: at(6),
  });
  expect(await store.read((db) => failuresInRow(db, 'extract'))).toBe(2);
  await runOnce(store, 40, 'ok');
  expect(await store.read((db) => failuresInRow(db, 'extract'))).toBe(0);
  expect(await newest(store, 'extract')).toMatchObject({ id: 3, attempt: 3, outcome: 'ok' });
});

test('a run that died with its process counts as an attempt', async () => {
  const { store } = await tempStore();
  await store.write((db) => startRun(db, { job: 'embed', now: at(1) }));
  expect(await store.write((db) => closeKilledRuns(db, at(2)))).toBe(1);
  expect(await store.read((db) => failuresInRow(db, 'embed'))).toBe(1);
  const again = await store.write((db) => startRun(db, { job: 'embed', now: at(3) }));
  expect(await newest(store, 'embed')).toMatchObject({ id: again, attempt: 2 });
});

test('the last run and the last good one of every job; periods done', async () => {
  const { store } = await tempStore();
  await runOnce(store, 1, 'ok', { job: 'rollup', period: '2026-11-19' });
  await runOnce(store, 5, 'failed', { job: 'rollup', period: '2026-11-20' });
  await runOnce(store, 3, 'ok', { job: 'decay' });
  const states = await store.read(lastRuns);
  expect(states.map(({ job, lastOk, lastRun }) => [job, lastOk, lastRun.outcome])).toEqual([
    ['decay', at(3), 'ok'],
    ['rollup', at(1), 'failed'],
  ]);
  expect(await store.read((db) => donePeriods(db, 'rollup'))).toEqual(new Set(['2026-11-19']));
  expect(await store.read((db) => donePeriods(db, 'crystallize'))).toEqual(new Set());
});

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

test('tokens spent since a time', async () => {
  const { store } = await tempStore();
  const call = (minute: number, tokensIn: number) => ({
    time: at(minute),
    provider: 'p',
    model: 'm',
    purpose: 'extract',
    agent: null,
    session: null,
    tokensIn,
    tokensOut: 1,
    ms: 1,
    outcome: 'ok' as const,
    error: null,
  });
  await store.write(async (db) => {
    await addLlmCall(db, call(1, 100));
    await addLlmCall(db, call(9, 10));
  });
  expect(await store.read((db) => tokensSince(db, at(5)))).toBe(11);
});
