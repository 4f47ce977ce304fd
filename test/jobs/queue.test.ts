import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Nudge } from '../../src/jobs/job.js';
import { createLane, mergeNudges } from '../../src/jobs/lane.js';

/** A job body whose end the test decides. */
function gate() {
  let open!: () => void;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open, passed };
}

describe('lane', () => {
  test('nudges with the same job melt into one, with the paths of both', async () => {
    const seen: Nudge[] = [];
    const lane = createLane(
      async (nudge) => void seen.push({ job: nudge.job, paths: nudge.paths }),
      () => {},
    );
    lane.nudge({ job: 'ingest', paths: ['a'] });
    lane.nudge({ job: 'ingest', paths: ['b'] });
    lane.nudge({ job: 'extract' });
    await lane.idle();
    expect(seen).toEqual([
      { job: 'ingest', paths: ['a', 'b'] },
      { job: 'extract', paths: undefined },
    ]);
    await lane.close();
  });

  test('a nudge for the running job runs it once more, one job at a time', async () => {
    const first = gate();
    const started = gate();
    let most = 0;
    let now = 0;
    let runs = 0;
    const lane = createLane(
      async () => {
        most = Math.max(most, ++now);
        started.open();
        if (++runs === 1) await first.passed;
        now--;
      },
      () => {},
    );
    lane.nudge({ job: 'ingest' });
    await started.passed;
    lane.nudge({ job: 'ingest' });
    lane.nudge({ job: 'ingest' });
    expect(lane.busy()).toEqual(['ingest', 'ingest']);
    first.open();
    await lane.idle();
    expect([runs, most]).toEqual([2, 1]);
    await lane.close();
  });

  test('idle means idle: of two nudges a moment apart the second never begins after it', async () => {
    for (let round = 0; round < 40; round++) {
      const seen: Nudge[] = [];
      const lane = createLane(
        async (nudge) => void seen.push(nudge),
        () => {},
      );
      await setTimeout(1);
      lane.nudge({ job: 'ingest', paths: ['a'] });
      // The library takes a task over one timer later: the job of the first has begun, and ended, before it knows of the second.
      for (const from = performance.now(); performance.now() - from < 0.3 + (round % 8) * 0.2;);
      lane.nudge({ job: 'ingest', paths: ['b'] });
      await lane.idle();
      const atIdle = seen.length;
      expect(
        seen.flatMap(({ paths }) => paths),
        `round ${round}`,
      ).toEqual(['a', 'b']);
      await setTimeout(3);
      expect(seen.length, `round ${round}`).toBe(atIdle);
      await lane.close();
    }
  });

  test('a job that throws is told and never stops the lane', async () => {
    const told: string[] = [];
    const done: string[] = [];
    const lane = createLane(
      async (nudge) => {
        if (nudge.job === 'ingest') throw new Error('disk');
        done.push(nudge.job);
      },
      (nudge, error) => void told.push(`${nudge.job}: ${(error as Error).message}`),
    );
    lane.nudge({ job: 'ingest' });
    lane.nudge({ job: 'extract' });
    await lane.idle();
    expect([told, done]).toEqual([['ingest: disk'], ['extract']]);
    await lane.close();
  });

  test('idle on an idle lane resolves at once; close waits for the running job and drops the rest', async () => {
    const hold = gate();
    const started = gate();
    const ran: string[] = [];
    const lane = createLane(
      async (nudge) => {
        ran.push(nudge.job);
        started.open();
        await hold.passed;
      },
      () => {},
    );
    await lane.idle();
    lane.nudge({ job: 'ingest' });
    lane.nudge({ job: 'extract' });
    await started.passed;
    const closed = lane.close();
    lane.nudge({ job: 'context' });
    hold.open();
    await closed;
    expect(ran).toEqual(['ingest']);
  });

  test('the wider request wins', () => {
    expect(mergeNudges({ job: 'ingest', paths: ['a'] }, { job: 'ingest' })).toEqual({ job: 'ingest', rebuild: false });
    expect(mergeNudges({ job: 'extract', rebuild: true }, { job: 'extract', paths: [] }).rebuild).toBe(true);
  });
});
