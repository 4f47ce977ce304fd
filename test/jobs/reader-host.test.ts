/**
 * The host of the reading thread: a thread that dies or hangs. The thread is a script that does as
 * its task says.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ComputeLimits, createComputePool } from '../../src/jobs/compute-pool.js';
import { readInThread } from '../../src/jobs/reading/reader.js';
import type { LogTask } from '../../src/jobs/reading/reader-log.js';
import type { Batch, Checkpoint } from '../../src/types.js';
import { testFolder } from '../folder.js';

const options = { redactKey: 'k', emails: true, exclude: [], userHome: '/home/me', zone: 'UTC' };

/** A thread that runs `body` for each part; every one leaves a line in `trace`. */
function host(body: string, limits: Partial<ComputeLimits> = {}) {
  const folder = testFolder();
  const trace = join(folder, 'trace');
  writeFileSync(
    join(folder, 'thread.mjs'),
    `
    import { appendFileSync } from 'node:fs';
    const none = { entries: [], sessions: [], bad: [] };
    const part = (offset, end) => ({ answer: { kind: 'part', heapBytes: 0, end, batches: offset === null ? [] :
      [{ checkpoint: { offset }, ...none }] } });
    let parts = 0;
    export default function ({ input: [options, { path, saved }] }) {
      const from = saved?.offset ?? 0;
      appendFileSync(${JSON.stringify(trace)}, path + ' from ' + from + '\\n');
      parts++;
      ${body}
      return part(null, { excluded: false });
    }`,
  );
  const compute = createComputePool({ entry: join(folder, 'thread.mjs'), ...limits });
  onTestFinished(() => compute.close());
  const offsets: number[] = [];
  return {
    read: (path: string, saved: Partial<Checkpoint> | null = null) =>
      readInThread(
        compute,
        options,
        { agent: 'a', path, relative: path, saved, now: '2026-11-22T00:00:00.000Z' } as LogTask,
        (batch: Batch) => Promise.resolve(void offsets.push(batch.checkpoint.offset)),
      ),
    offsets,
    notes: () => readFileSync(trace, 'utf8').trim().split('\n'),
  };
}

test('a thread that dies is started once more where it was; the next log is not its concern', async () => {
  const { read, offsets, notes } = host(
    `if (path === 'bad') {
      if (parts === 1) return part(from + 10, null);
      for (const kept = [];;) kept.push(new Array(1e5).fill(parts));
    }`,
    { heapMiB: 32 },
  );
  expect(await read('bad', { offset: 5 })).toEqual({
    kind: 'crashed',
    reason: 'ERR_WORKER_OUT_OF_MEMORY',
    last: expect.objectContaining({ offset: 25 }) as unknown,
  });
  expect(await read('good')).toEqual({ kind: 'read', excluded: false });
  expect(offsets).toEqual([15, 25]);
  expect(notes()).toEqual([
    'bad from 5',
    'bad from 15',
    'bad from 15',
    'bad from 25',
    'good from 0',
  ]);
});

test('a thread that hangs is stopped', async () => {
  const { read } = host('for (;;);', { taskMs: 300 });
  expect(await read('x')).toEqual({ kind: 'crashed', reason: 'AbortError', last: null });
});
