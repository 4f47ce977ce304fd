/**
 * The host of the thinking thread: extracting, distilling and rendering take up to seconds for a large project, and the
 * tokenizer holds 60 MB.
 * One thread serves the whole process, since it remembers nothing; it starts with the first question and leaves when it was idle.
 */
import { Worker } from 'node:worker_threads';
import { AppError, type ExitCode } from '../../errors.js';
import { compiledFile } from '../../place.js';
import type { Thoughts } from './thoughts.js';

export type Question = { [N in keyof Thoughts]: { id: number; name: N; input: Parameters<Thoughts[N]> } }[keyof Thoughts];
/**
 * What was thrown, as plain data: a copy of an AppError would be a bare Error, and a damaged installation look like the fault of
 * the material.
 */
export interface Thrown {
  message: string;
  known: { code: string; hint: string; exitCode: ExitCode } | null;
}
export type Reply = { id: number; answer: unknown } | { id: number; thrown: Thrown };

const ENTRY = compiledFile('jobs/learning/think-thread.js');

/** Loading rules and tokenizer anew costs half a second; idle it holds a hundred megabytes while others read. */
const IDLE_MS = 5_000;
/** V8 kills the thread beyond this, and one job fails instead of the whole process. */
const MAX_HEAP_MIB = 2048;
/** Two thirds are in use at a time. V8's own choice is 48, and takes no less processor time. */
const YOUNG_MIB = 12;

interface Waiting {
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

let worker: Worker | null = null;
let idle: NodeJS.Timeout | undefined;
let serial = 0;
const waiting = new Map<number, Waiting>();

function start(): Worker {
  const started = new Worker(ENTRY, {
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB, maxYoungGenerationSizeMb: YOUNG_MIB },
    execArgv: [],
  });
  const end = (error: Error): void => {
    if (worker !== started) return;
    worker = null;
    rejectAll(error);
  };
  started
    .on('message', settle)
    .on('error', end)
    .on('exit', (code) => end(new Error(`the thinking thread ended with ${code}`)));
  return started;
}

function rejectAll(error: Error): void {
  for (const one of waiting.values()) one.reject(error);
  waiting.clear();
}

function rebuilt({ message, known }: Thrown): Error {
  return known === null ? new Error(message) : new AppError(known.code, message, known);
}

function settle(reply: Reply): void {
  const one = waiting.get(reply.id);
  waiting.delete(reply.id);
  if (waiting.size === 0) {
    // An idle thread keeps no process alive.
    worker?.unref();
    idle = setTimeout(() => void stopThinking(), IDLE_MS).unref();
  }
  if ('thrown' in reply) one?.reject(rebuilt(reply.thrown));
  else one?.resolve(reply.answer);
}

/**
 * Asks the thread. Input and answer are copied: plain data, maps and sets, no functions.
 * @throws what the work threw, an AppError as such, anything else by its message; an Error when the thread died or was stopped
 */
export function think<N extends keyof Thoughts>(name: N, ...input: Parameters<Thoughts[N]>): Promise<ReturnType<Thoughts[N]>> {
  return new Promise((resolve, reject) => {
    clearTimeout(idle);
    worker ??= start();
    worker.ref();
    const id = ++serial;
    waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
    worker.postMessage({ id, name, input } as Question);
  });
}

/** Ends the thread whatever it does; what was asked is rejected, the next question starts another. */
export async function stopThinking(): Promise<void> {
  clearTimeout(idle);
  const ending = worker;
  // From here on it is nobody's: a question that comes while it ends goes to another.
  worker = null;
  rejectAll(new AppError('THINKING_STOPPED', 'the thinking thread was stopped'));
  await ending?.terminate();
}
