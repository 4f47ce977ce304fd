/**
 * The compute pool: one worker thread for reading, extracting, distilling and rendering, which may
 * take seconds. The first call starts the thread; an idle thread ends.
 */
import type { Tinypool } from 'tinypool';
import { AppError } from '../errors.js';
import { compiledFile } from '../place.js';
import type { ComputeTasks, Reply, Thrown } from './compute-thread.js';

export interface ComputeLimits {
  /** Loading the rules again takes time, but an idle thread takes much memory. */
  idleMs: number;
  /** A task that takes longer counts as hung, and its thread is stopped. */
  taskMs: number;
  /** V8 kills the thread beyond this, and one task fails instead of the whole process. */
  heapMiB: number;
  /** The compiled file of the thread; another one in tests. */
  entry: string;
}

const LIMITS: ComputeLimits = {
  idleMs: 30_000,
  taskMs: 300_000,
  heapMiB: 2048,
  entry: compiledFile('jobs/compute-thread.js'),
};
/** V8's own choice is larger and saves no processor time. */
const YOUNG_MIB = 12;

export interface ComputePool {
  /**
   * Runs one task in the thread. Input and answer are copied: plain data, maps and sets, no
   * functions.
   * @throws an AppError of the task as it is, other errors by their message; an Error when the
   * thread died or was stopped
   */
  run<N extends keyof ComputeTasks>(
    name: N,
    ...input: Parameters<ComputeTasks[N]>
  ): Promise<ReturnType<ComputeTasks[N]>>;
  /** Ends the thread and rejects pending calls; the next call starts a new thread. */
  close(): Promise<void>;
}

export function createComputePool(given: Partial<ComputeLimits> = {}): ComputePool {
  const { idleMs, taskMs, heapMiB, entry } = { ...LIMITS, ...given };
  let pool: Tinypool | null = null;
  return {
    async run(name, ...input) {
      // Loaded on demand, because a search does not need it.
      const { Tinypool } = await import('tinypool');
      pool ??= new Tinypool({
        filename: entry,
        minThreads: 0,
        maxThreads: 1,
        idleTimeout: idleMs,
        resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: YOUNG_MIB },
        execArgv: [],
      });
      const stop = new AbortController();
      const timer = setTimeout(() => stop.abort(), taskMs);
      try {
        const reply = (await pool.run({ name, input }, { signal: stop.signal })) as Reply;
        if ('thrown' in reply) throw rebuilt(reply.thrown);
        return reply.answer as ReturnType<ComputeTasks[typeof name]>;
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      const ending = pool;
      // Cleared before the end, so that a new call starts another thread.
      pool = null;
      await ending?.destroy();
    },
  };
}

function rebuilt({ message, known }: Thrown): Error {
  return known === null ? new Error(message) : new AppError(known.code, message, known);
}
