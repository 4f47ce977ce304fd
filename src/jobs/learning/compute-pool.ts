/**
 * The compute pool: one worker thread for extracting, distilling and rendering, which take up to
 * seconds for a large project. It is started by the first call, ends when idle, and keeps no state.
 */
import type { Tinypool } from 'tinypool';
import { AppError, type ExitCode } from '../../errors.js';
import { compiledFile } from '../../place.js';
import type { ComputeTasks } from './compute-tasks.js';

export type Question = {
  [N in keyof ComputeTasks]: { name: N; input: Parameters<ComputeTasks[N]> };
}[keyof ComputeTasks];
/**
 * What was thrown, as plain data: an AppError that is copied between threads arrives as a bare
 * Error, and a damaged installation would look like a bad session.
 */
export interface Thrown {
  message: string;
  known: { code: string; hint: string; exitCode: ExitCode } | null;
}
export type Reply = { answer: unknown } | { thrown: Thrown };

/** Loading the rules again costs half a second; an idle thread takes a hundred megabytes. */
const IDLE_MS = 5_000;
/**
 * V8 kills the thread beyond this, and one job fails instead of the whole process. Two thirds of
 * the young generation are in use at a time; V8's own choice is 48, and takes no less processor
 * time.
 */
const LIMITS = { maxOldGenerationSizeMb: 2048, maxYoungGenerationSizeMb: 12 };

export interface ComputePool {
  /**
   * Runs one task in the thread. Input and answer are copied: plain data, maps and sets, no
   * functions.
   * @throws what the work threw, an AppError as such, anything else by its message; an Error when
   * the thread died or was stopped
   */
  run<N extends keyof ComputeTasks>(
    name: N,
    ...input: Parameters<ComputeTasks[N]>
  ): Promise<ReturnType<ComputeTasks[N]>>;
  /**
   * Ends the thread in the middle of a call; pending calls are rejected, the next one starts
   * another thread.
   */
  close(): Promise<void>;
}

/** @param idleMs how long the thread waits for the next question */
export function createComputePool(idleMs = IDLE_MS): ComputePool {
  let pool: Tinypool | null = null;
  return {
    async run(name, ...input) {
      // A search should not pay for loading it.
      const { Tinypool } = await import('tinypool');
      pool ??= new Tinypool({
        filename: compiledFile('jobs/learning/compute-thread.js'),
        minThreads: 0,
        maxThreads: 1,
        idleTimeout: idleMs,
        resourceLimits: LIMITS,
        execArgv: [],
      });
      const reply = (await pool.run({ name, input })) as Reply;
      if ('thrown' in reply) throw rebuilt(reply.thrown);
      return reply.answer as ReturnType<ComputeTasks[typeof name]>;
    },
    async close() {
      const ending = pool;
      // Cleared before it ends, so that a call that comes meanwhile starts another.
      pool = null;
      await ending?.destroy();
    },
  };
}

function rebuilt({ message, known }: Thrown): Error {
  return known === null ? new Error(message) : new AppError(known.code, message, known);
}
