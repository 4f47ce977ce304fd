/**
 * The host of the reading thread: backpressure, death, silence, growth. The thread is a script that
 * does as it is told.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createReader, type ReaderLimits } from '../../src/jobs/reading/reader.js';
import type { LogTask } from '../../src/jobs/reading/reader-log.js';
import type { Batch, Checkpoint } from '../../src/types.js';
import { testFolder } from '../folder.js';

const options = { redactKey: 'k', emails: true, exclude: [], userHome: '/home/me', zone: 'UTC' };

/** A thread that runs `body` for each task; every start and end leaves a line in `trace`. */
function host(body: string, limits: Partial<ReaderLimits> = {}) {
  const folder = testFolder();
  const trace = join(folder, 'trace');
  writeFileSync(trace, '');
  writeFileSync(
    join(folder, 'thread.mjs'),
    `
    import { appendFileSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    // A thread may hear of its last batch when the test is over, and its folder gone.
    const note = (text) => { try { appendFileSync(${JSON.stringify(trace)}, text + '\\n'); } catch {} };
    const batch = (offset) => parentPort.postMessage({ type: 'batch', packed: { batch: { checkpoint: { offset }, entries: [], sessions: [], bad: [] }, hashes: new BigInt64Array(), counts: new Uint32Array(), sizes: new Uint32Array() } });
    const end = (heapBytes = 0) => parentPort.postMessage({ type: 'end', end: { bytes: 0, excluded: false }, heapBytes });
    note('start');
    parentPort.on('message', (message) => {
      if (message.type === 'begin') return note('begin ' + message.options.userHome);
      if (message.type === 'stored') return note('stored');
      const from = message.task.saved?.offset ?? 0;
      note('read ' + message.task.path + ' from ' + from);
      ${body}
    });`,
  );
  const entry = pathToFileURL(join(folder, 'thread.mjs'));
  const reader = createReader(options, { entry, ...limits });
  onTestFinished(() => reader.rest());
  return { reader, entry, notes: () => readFileSync(trace, 'utf8').trim().split('\n') };
}

function task(path: string, saved: Partial<Checkpoint> | null = null): LogTask {
  return {
    agent: 'a',
    path,
    relative: path,
    saved: saved as Checkpoint | null,
    now: '2026-11-22T00:00:00.000Z',
  };
}
function keep() {
  const offsets: number[] = [];
  return {
    offsets,
    store: (batch: Batch) => Promise.resolve(void offsets.push(batch.checkpoint.offset)),
  };
}

describe('the reader', () => {
  test('a thread that dies is started once more where it was; the next log is not its concern', async () => {
    const { reader, notes } = host(
      "if (message.task.path === 'bad') { batch(from + 10); setTimeout(() => process.exit(7), 20); } else end();",
    );
    const { offsets, store } = keep();
    expect(await reader.read(task('bad', { offset: 5 }), store)).toEqual({
      kind: 'crashed',
      reason: 'its thread ended with 7',
      last: expect.objectContaining({ offset: 25 }),
    });
    expect(await reader.read(task('good'), store)).toMatchObject({ kind: 'read' });
    expect(offsets).toEqual([15, 25]);
    expect(notes().filter((note) => note !== 'stored')).toEqual([
      'start',
      'begin /home/me',
      'read bad from 5',
      'start',
      'begin /home/me',
      'read bad from 15',
      'start',
      'begin /home/me',
      'read good from 0',
    ]);
  });

  test('a thread that hangs is stopped', async () => {
    const { reader } = host('for (;;);', { silenceMs: 200 });
    expect(await reader.read(task('x'), keep().store)).toEqual({
      kind: 'crashed',
      reason: 'it hung',
      last: null,
    });
  });
});
