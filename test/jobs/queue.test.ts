import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Trigger } from '../../src/jobs/job.js';
import { createQueue, mergeTriggers } from '../../src/jobs/queue.js';

const equally = (): number => 0;

/** A job body whose end the test decides. */
function gate() {
  let open!: () => void;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open, passed };
}

describe('the queue', () => {
  test('triggers with the same job melt into one, with the paths of both', async () => {
    const seen: Trigger[] = [];
    const queue = createQueue(
      async (trigger) => void seen.push({ job: trigger.job, paths: trigger.paths }),
      equally,
    );
    void queue.push({ job: 'ingest', paths: ['a'] });
    void queue.push({ job: 'ingest', paths: ['b'] });
    void queue.push({ job: 'extract' });
    await queue.idle();
    expect(seen).toEqual([
      { job: 'ingest', paths: ['a', 'b'] },
      { job: 'extract', paths: undefined },
    ]);
    await queue.close();
  });

  test('a trigger for the running job runs it once more, one job at a time', async () => {
    const first = gate();
    const started = gate();
    let most = 0;
    let now = 0;
    let runs = 0;
    const queue = createQueue(async () => {
      most = Math.max(most, ++now);
      started.open();
      if (++runs === 1) await first.passed;
      now--;
    }, equally);
    void queue.push({ job: 'ingest' });
    await started.passed;
    void queue.push({ job: 'ingest' });
    void queue.push({ job: 'ingest' });
    expect(queue.isBusy()).toBe(true);
    first.open();
    await queue.idle();
    expect([runs, most]).toEqual([2, 1]);
    await queue.close();
  });

  test('idle means idle: of two triggers a moment apart the second never begins after it', async () => {
    for (let round = 0; round < 40; round++) {
      const seen: Trigger[] = [];
      const queue = createQueue(async (trigger) => void seen.push(trigger), equally);
      await setTimeout(1);
      void queue.push({ job: 'ingest', paths: ['a'] });
      // The library takes a task over one timer later: the job of the first has begun, and ended,
      // before it knows of the second.
      for (const from = performance.now(); performance.now() - from < 0.3 + (round % 8) * 0.2;);
      void queue.push({ job: 'ingest', paths: ['b'] });
      await queue.idle();
      const atIdle = seen.length;
      expect(
        seen.flatMap(({ paths }) => paths),
        `round ${round}`,
      ).toEqual(['a', 'b']);
      await setTimeout(3);
      expect(seen.length, `round ${round}`).toBe(atIdle);
      await queue.close();
    }
  });

  test('a job that throws ends alone, and never stops the queue', async () => {
    const done: string[] = [];
    const queue = createQueue(async (trigger) => {
      if (trigger.job === 'ingest') throw new Error('disk');
      done.push(trigger.job);
    }, equally);
    void queue.push({ job: 'ingest' });
    void queue.push({ job: 'extract' });
    await queue.idle();
    expect(done).toEqual(['extract']);
    await queue.close();
  });

  test('a job that was asked for in the middle of another goes before those that are less urgent', async () => {
    const done: string[] = [];
    const queue = createQueue(
      async ({ job }) => {
        done.push(job);
        if (job === 'context' && done.length === 2) void queue.push({ job: 'ingest' });
      },
      ({ job }) => 3 - ['ingest', 'context', 'embed'].indexOf(job),
    );
    for (const job of ['ingest', 'context', 'embed'] as const) void queue.push({ job });
    await queue.idle();
    expect(done).toEqual(['ingest', 'context', 'ingest', 'embed']);
    await queue.close();
  });

  test('idle on an idle queue resolves at once; close waits for the running job and drops the rest', async () => {
    const hold = gate();
    const started = gate();
    const ran: string[] = [];
    const queue = createQueue(async (trigger) => {
      ran.push(trigger.job);
      started.open();
      await hold.passed;
    }, equally);
    await queue.idle();
    void queue.push({ job: 'ingest' });
    void queue.push({ job: 'extract' });
    await started.passed;
    const closed = queue.close();
    void queue.push({ job: 'context' });
    hold.open();
    await closed;
    expect(ran).toEqual(['ingest']);
  });

  test('the wider request wins', () => {
    expect(mergeTriggers({ job: 'ingest', paths: ['a'] }, { job: 'ingest' })).toEqual({
      job: 'ingest',
    });
    expect(mergeTriggers({ job: 'embed', whole: true }, { job: 'embed', paths: [] }).whole).toBe(
      true,
    );
  });
});
