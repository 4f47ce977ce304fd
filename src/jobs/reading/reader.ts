/**
 * The reader's host: one thread, started when there is work and replaced when it dies, grows or
 * hangs.
 */
import { Worker } from 'node:worker_threads';
import { compiledFile } from '../../place.js';
import type { Batch, Checkpoint } from '../../types.js';
import type { LogTask } from './reader-log.js';
import type { FromThread, ReaderOptions, ToThread } from './reader-wire.js';
import { unpackBatch } from './reader-wire.js';
import { createMutex } from '../../mutex.js';

type ReadOutcome =
  | { kind: 'read'; bytes: number; excluded: boolean }
  /** It cannot be opened (any more); the next look finds out why. */
  | { kind: 'absent'; reason: string }
  /** It keeps changing; the next look reads it. */
  | { kind: 'changed' }
  /** The thread died twice while reading it; `last` is the last position before that. */
  | { kind: 'crashed'; reason: string; last: Checkpoint | null };

export interface Reader {
  /**
   * Reads one log to its end; calls wait for each other.
   * @param store takes each batch, in order; an error from it stops the reading and is thrown here
   */
  read(task: LogTask, store: (batch: Batch) => Promise<void>): Promise<ReadOutcome>;
  /** Stops the thread; the next `read` starts another. */
  rest(): Promise<void>;
}

export interface ReaderLimits {
  /** The thread is replaced when its heap is larger after a log. */
  heapBytes: number;
  /** V8 kills the thread above this. */
  maxHeapMiB: number;
  /**
   * Size of its young generation, two thirds of it in use at a time. V8's default is 48, and is not
   * faster.
   */
  youngMiB: number;
  /** The thread is stopped after being idle for this long. */
  idleMs: number;
  /** A thread that sends no message for this long counts as hung. */
  silenceMs: number;
  /** Entry of the thread; another one in tests. */
  entry: string | URL;
  /** How threads are started and stopped. */
  threads: ReaderThreads;
}

/**
 * Tests share threads between many homes, one after the other: starting one costs a quarter of a
 * second.
 */
export interface ReaderThreads {
  start(limits: Omit<ReaderLimits, 'threads'>): Worker;
  /** @param isSound it has read its last log to the end and may read those of another home */
  end(worker: Worker, isSound: boolean): Promise<void>;
}

/** A separate thread for each home, which ends with its work. */
export const ownThreads: ReaderThreads = {
  start: ({ entry, maxHeapMiB, youngMiB }) =>
    new Worker(entry, {
      resourceLimits: { maxOldGenerationSizeMb: maxHeapMiB, maxYoungGenerationSizeMb: youngMiB },
      execArgv: [],
    }),
  end: async (worker) => void (await worker.terminate()),
};

const ENTRY = compiledFile('jobs/reading/reader-thread.js');

const LIMITS: ReaderLimits = {
  heapBytes: 192 * 1024 ** 2,
  maxHeapMiB: 512,
  youngMiB: 12,
  idleMs: 30_000,
  silenceMs: 300_000,
  entry: ENTRY,
  threads: ownThreads,
};

/** What reading keeps between looks; App opens and closes it. */
export interface Reading {
  /** The reader, made at the first call: a daemon's thread stays alive between triggers. */
  reader(options: () => ReaderOptions): Reader;
  /**
   * Logs of excluded projects that were opened, by place and size: they have no checkpoint, and
   * must not be opened at every scan.
   */
  readonly excluded: Map<string, string>;
  /** Stops the thread, if there is one. */
  rest(): Promise<void>;
}

export function createReading(threads: ReaderThreads = ownThreads): Reading {
  let reader: Reader | null = null;
  return {
    reader: (options) => (reader ??= createReader(options(), { threads })),
    excluded: new Map(),
    rest: async () => reader?.rest(),
  };
}

export function createReader(options: ReaderOptions, given: Partial<ReaderLimits> = {}): Reader {
  const limits = { ...LIMITS, ...given };
  const thread = createThread(options, limits);
  const inTurn = createMutex();
  return {
    read: (task, store) => inTurn(() => readTwice(thread, task, store, limits.silenceMs)),
    rest: () => inTurn(() => thread.rest(true)),
  };
}

/** The reading thread, while there is one. */
interface Thread {
  /** Starts it unless it is running. */
  start(): Worker;
  /** After a log: stops it when its heap has grown, or later when it stays idle. */
  settle(heapBytes: number): Promise<void>;
  /** @param isSound it is between two logs */
  rest(isSound: boolean): Promise<void>;
}

function createThread(options: ReaderOptions, limits: ReaderLimits): Thread {
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  const rest = async (isSound: boolean): Promise<void> => {
    clearTimeout(idle);
    const old = worker;
    worker = null;
    if (old !== null) await limits.threads.end(old, isSound);
  };
  return {
    rest,
    start() {
      clearTimeout(idle);
      if (worker === null) {
        worker = limits.threads.start(limits);
        worker.postMessage({ type: 'begin', options } satisfies ToThread);
      }
      worker.ref();
      return worker;
    },
    async settle(heapBytes) {
      if (heapBytes > limits.heapBytes) return rest(false);
      worker?.unref(); // an idle thread does not keep the process alive
      idle = setTimeout(() => void rest(true), limits.idleMs).unref();
    },
  };
}

async function readTwice(
  thread: Thread,
  task: LogTask,
  store: (batch: Batch) => Promise<void>,
  silenceMs: number,
): Promise<ReadOutcome> {
  let last = task.saved;
  const keep = async (batch: Batch): Promise<void> => {
    await store(batch);
    last = batch.checkpoint;
  };
  for (let attempt = 1; ; attempt++) {
    const ended = await readOnce(thread.start(), { ...task, saved: last }, keep, silenceMs);
    if (ended.kind === 'message') {
      await thread.settle(ended.message.heapBytes);
      return outcomeOf(ended.message);
    }
    await thread.rest(false);
    if (ended.kind === 'refused') throw ended.error;
    if (attempt === 2) return { kind: 'crashed', reason: ended.reason, last };
  }
}

type Last = Exclude<FromThread, { type: 'batch' }>;
type Ended =
  | { kind: 'message'; message: Last }
  | { kind: 'dead'; reason: string }
  | { kind: 'refused'; error: unknown };

function outcomeOf(message: Last): ReadOutcome {
  if (message.type === 'end')
    return { kind: 'read', bytes: message.end.bytes, excluded: message.end.excluded };
  const { why, reason } = message;
  return why === 'absent' ? { kind: why, reason } : { kind: why };
}

function readOnce(
  worker: Worker,
  task: LogTask,
  store: (batch: Batch) => Promise<void>,
  silenceMs: number,
): Promise<Ended> {
  return new Promise((resolve) => {
    let storing: Promise<void> = Promise.resolve();
    let isOver = false;
    let silence = setTimeout(() => end({ kind: 'dead', reason: 'it hung' }), silenceMs);
    const heard = (): void => {
      clearTimeout(silence);
      // The last batch may be stored after the thread's last message: a timer set then would keep
      // the process alive for minutes.
      if (isOver) return;
      silence = setTimeout(() => end({ kind: 'dead', reason: 'it hung' }), silenceMs);
    };
    const end = (ended: Ended): void => {
      isOver = true;
      clearTimeout(silence);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      // Earlier batches are stored first, in order; an error of storing is thrown before that of
      // the thread.
      storing.then(
        () => resolve(ended),
        (error: unknown) => resolve({ kind: 'refused', error }),
      );
    };
    const onMessage = (message: FromThread): void => {
      heard();
      if (message.type !== 'batch') return end({ kind: 'message', message });
      storing = storing
        .then(() => store(unpackBatch(message.packed)))
        .then(() => {
          heard();
          worker.postMessage({ type: 'stored' } satisfies ToThread);
        });
      storing.catch((error: unknown) => end({ kind: 'refused', error }));
    };
    const onError = (error: Error): void =>
      end({ kind: 'dead', reason: (error as NodeJS.ErrnoException).code ?? error.name });
    const onExit = (code: number): void =>
      end({ kind: 'dead', reason: `its thread ended with ${code}` });
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage({ type: 'read', task } satisfies ToThread);
  });
}
