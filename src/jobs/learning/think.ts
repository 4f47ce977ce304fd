/**
 * The host of the thinking thread: extracting, distilling and rendering take up to seconds for a large project, and the tokenizer
 * holds 60 MB. One thread, started by the first question; it leaves when it was idle, and remembers nothing.
 */
import { Tinypool } from 'tinypool';
import { AppError, type ExitCode } from '../../errors.js';
import { compiledFile } from '../../place.js';
import type { Thoughts } from './thoughts.js';

export type Question = { [N in keyof Thoughts]: { name: N; input: Parameters<Thoughts[N]> } }[keyof Thoughts];
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

export interface Thinker {
  /**
   * Asks the thread. Input and answer are copied: plain data, maps and sets, no functions.
   * @throws what the work threw, an AppError as such, anything else by its message; an Error when the thread died or was stopped
   */
  think<N extends keyof Thoughts>(name: N, ...input: Parameters<Thoughts[N]>): Promise<ReturnType<Thoughts[N]>>;
  /** Ends the thread whatever it does; what was asked is rejected, the next question starts another. */
  close(): Promise<void>;
}

export function createThinker(): Thinker {
  let pool: Tinypool | null = null;
  return {
    async think(name, ...input) {
      pool ??= new Tinypool({
        filename: compiledFile('jobs/learning/think-thread.js'),
        minThreads: 0,
        maxThreads: 1,
        idleTimeout: IDLE_MS,
        resourceLimits: LIMITS,
        execArgv: [],
      });
      const reply = (await pool.run({ name, input })) as Reply;
      if ('thrown' in reply) throw rebuilt(reply.thrown);
      return reply.answer as ReturnType<Thoughts[typeof name]>;
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
