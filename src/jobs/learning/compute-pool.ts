/**
 * The host of the thinking thread: extracting, distilling and rendering take up to seconds for a large project, and the tokenizer
 * holds 60 MB. One thread, started by the first question; it leaves when it was idle, and remembers nothing.
 */
import type { Tinypool } from 'tinypool';
import { AppError, type ExitCode } from '../../errors.js';
import { compiledFile } from '../../place.js';
import type { ComputeTasks } from './compute-tasks.js';

export type Question = { [N in keyof ComputeTasks]: { name: N; input: Parameters<ComputeTasks[N]> } }[keyof ComputeTasks];
/**
 * What was thrown, as plain data: a copy of an AppError would be a bare Error, and a damaged installation look like the fault of
 * the material.
 */
export interface Thrown {
  message: string;
  known: { code: string; hint: string; exitCode: ExitCode } | null;
}
export type Reply = { answer: unknown } | { thrown: Thrown };

/** Loading rules and tokenizer anew costs half a second; idle it holds a hundred megabytes while others read. */
const IDLE_MS = 5_000;
/**
 * V8 kills the thread beyond this, and one job fails instead of the whole process. Two thirds of the young generation are in use
 * at a time; V8's own choice is 48, and takes no less processor time.
 */
const LIMITS = { maxOldGenerationSizeMb: 2048, maxYoungGenerationSizeMb: 12 };

export interface ComputePool {
  /**
   * Asks the thread. Input and answer are copied: plain data, maps and sets, no functions.
   * @throws what the work threw, an AppError as such, anything else by its message; an Error when the thread died or was stopped
   */
  run<N extends keyof ComputeTasks>(name: N, ...input: Parameters<ComputeTasks[N]>): Promise<ReturnType<ComputeTasks[N]>>;
  /** Ends the thread whatever it does; what was asked is rejected, the next question starts another. */
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
      // From here on it is nobody's: a question that comes while it ends goes to another.
      pool = null;
      await ending?.destroy();
    },
  };
}

function rebuilt({ message, known }: Thrown): Error {
  return known === null ? new Error(message) : new AppError(known.code, message, known);
}
