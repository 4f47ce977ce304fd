/**
 * The worker thread: reads one log after the other and posts batches, never more than the window
 * allows. Its entry point is compiled.
 */
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { adapters } from '../../agents/index.js';
import { messageOf } from '../../errors.js';
import { createRedactor, redactFacts, redactState } from '../../redact/index.js';
import { rememberTops } from '../../projects/folder-project.js';
import { matchFolders } from '../../projects/globs.js';
import type { Batch } from '../../types.js';
import { ChangedLog, createIgnoredPath, openLog, UnreadableLog } from '../../watchers/index.js';
import { type PrepareState, prepareEntries } from './prepare.js';
import { processorMs } from '../processor-time.js';
import {
  type LogEnd,
  type LogReading,
  type LogTask,
  type Preparer,
  readLog,
} from './reader-log.js';
import {
  type FromThread,
  type ReaderOptions,
  type ToThread,
  WINDOW,
  packBatch,
  transfersOf,
} from './reader-wire.js';

/** Makes the thread's preparer, with a clock for threads and the ignore rules of the projects. */
export function createPreparer(options: ReaderOptions): Preparer {
  const { redactKey: key, emails } = options;
  const redactor = createRedactor({
    key,
    mono: () => process.uptime() * 1000,
    cpu: processorMs,
    emails,
  });
  const rules = { isIgnored: createIgnoredPath(rememberTops()) };
  return {
    prepare(rawEntries, log, before) {
      const { entries, state } = prepareEntries(
        rawEntries,
        log,
        before as PrepareState | null,
        redactor,
        rules,
      );
      return { entries, equals: state };
    },
    prepareFacts: (facts) => redactFacts(facts, redactor),
    prepareState: (state) => redactState(state, redactor),
  };
}

type Parts = Omit<LogReading, 'adapter'>;
function partsOf(options: ReaderOptions): Parts {
  const { exclude, userHome, zone } = options;
  return {
    open: openLog,
    preparer: createPreparer(options),
    isExcluded: matchFolders(exclude, userHome),
    zone,
  };
}

/** Belong to the home whose logs are read. */
let parts: Parts | null = null;
let free = WINDOW;
let proceed: (() => void) | null = null;

function post(message: FromThread, transfers: ArrayBuffer[] = []): void {
  return parentPort!.postMessage(message, transfers);
}
function heapBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

function readFile(task: LogTask, own: Parts): AsyncGenerator<Batch, LogEnd> {
  const adapter = adapters.find((each) => each.agent === task.agent);
  if (adapter === undefined) throw new UnreadableLog(`no adapter for ${task.agent}`);
  return readLog(task, { ...own, adapter });
}

async function readAll(task: LogTask): Promise<LogEnd> {
  if (parts === null) throw new Error('a log before the options of its home');
  const reading = readFile(task, parts);
  let next = await reading.next();
  for (; next.done !== true; next = await reading.next()) {
    while (free === 0) await new Promise<void>((resolve) => (proceed = resolve));
    free -= 1;
    const packed = packBatch(next.value);
    post({ type: 'batch', packed }, transfersOf(packed));
  }
  return next.value;
}

async function read(task: LogTask): Promise<void> {
  try {
    const end = await readAll(task);
    post({ type: 'end', end, heapBytes: heapBytes() });
  } catch (error) {
    const reason = messageOf(error);
    if (error instanceof UnreadableLog)
      post({ type: 'failed', why: 'absent', reason, heapBytes: heapBytes() });
    else if (error instanceof ChangedLog)
      post({ type: 'failed', why: 'changed', reason, heapBytes: heapBytes() });
    else throw error; // a bug of ours: the thread ends, and its host tries once more
  }
}

// Null if a benchmark uses the preparer alone.
parentPort?.on('message', (message: ToThread) => {
  if (message.type === 'begin') parts = partsOf(message.options);
  else if (message.type === 'stored') {
    free += 1;
    proceed?.();
    proceed = null;
  } else
    void read(message.task).catch((error: unknown) =>
      setImmediate(() => {
        throw error;
      }),
    );
});
