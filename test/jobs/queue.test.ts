import { describe, expect, test } from 'vitest';
import type { Trigger } from '../../src/jobs/job.js';
import { createQueue } from '../../src/jobs/queue.js';

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
    const [first, started] = [gate(), gate()];
    const queue = createQueue(async ({ job, paths }) => {
      seen.push({ job, paths });
      started.open();
      await first.passed;
      return null;
    }, equally);
    void queue.push({ job: 'extract' });
    await started.passed;
    void queue.push({ job: 'ingest', paths: ['a'] });
    void queue.push({ job: 'ingest', paths: ['b'] });
    first.open();
    await queue.idle();
    expect(seen).toEqual([
      { job: 'extract', paths: undefined },
      { job: 'ingest', paths: ['a', 'b'] },
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
      return null;
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

  test('a job that throws ends alone, and never stops the queue', async () => {
    const done: string[] = [];
    const queue = createQueue(async (trigger) => {
      if (trigger.job === 'ingest') throw new Error('disk');
      done.push(trigger.job);
      return null;
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
        return null;
      },
      ({ job }) => 3 - ['ingest', 'context', 'embed'].indexOf(job),
    );
    for (const job of ['ingest', 'context', 'embed'] as const) void queue.push({ job });
    await queue.idle();
    expect(done).toEqual(['ingest', 'context', 'ingest', 'embed']);
    await queue.close();
  });
});
