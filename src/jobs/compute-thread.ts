/**
 * The compute thread: runs one task after the other, pure work that would block the main thread.
 * It is started from its compiled file.
 */
import { AppError, type ExitCode, messageOf } from '../errors.js';
import { extractSession, type SessionInput } from '../parse/index.js';
import { distilAll, reformStored, withheldStored } from './learning/distil-stored.js';
import { renderFiles, type KnownProject } from './publishing/render-files.js';
import { readPart } from './reading/read-part.js';

const tasks = {
  read: readPart,
  extract: (sessions: readonly SessionInput[]) => sessions.map(extractSession),
  distil: distilAll,
  reform: reformStored,
  withheld: withheldStored,
  render: (projects: readonly KnownProject[]) => projects.map(renderFiles),
};

type Tasks = typeof tasks;
export type ComputeTasks = {
  [N in keyof Tasks]: (...input: Parameters<Tasks[N]>) => Awaited<ReturnType<Tasks[N]>>;
};

type Question = {
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

export default async function answer({ name, input }: Question): Promise<Reply> {
  try {
    return { answer: await (tasks[name] as (...given: unknown[]) => unknown)(...input) };
  } catch (error) {
    return { thrown: thrownAs(error) };
  }
}

function thrownAs(error: unknown): Thrown {
  return {
    message: messageOf(error),
    known:
      error instanceof AppError
        ? { code: error.code, hint: error.hint, exitCode: error.exitCode }
        : null,
  };
}
