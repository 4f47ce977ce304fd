/**
 * The compute thread: runs pure tasks that would block the main thread, one after the other. It is
 * started from its compiled file.
 */
import { AppError, type ExitCode, messageOf } from '../errors.js';
import type { SessionInput } from '../parse/index.js';
import type { KnownProject } from './publishing/render-files.js';

/** Each task is loaded at its first call, because reading needs no rules of learning. */
const loads = {
  read: async () => (await import('./reading/read-part.js')).readPart,
  extract: async () => {
    const { activeSeconds, extractSession } = await import('../parse/index.js');
    return (sessions: readonly SessionInput[]) =>
      sessions.map((each) => ({
        extraction: extractSession(each),
        active: activeSeconds(each.entries),
      }));
  },
  distil: async () => (await import('./learning/distil-stored.js')).distilAll,
  reform: async () => (await import('./learning/distil-stored.js')).reformStored,
  withheld: async () => (await import('./learning/distil-stored.js')).withheldStored,
  render: async () => {
    const { renderFiles } = await import('./publishing/render-files.js');
    return (projects: readonly KnownProject[]) => projects.map(renderFiles);
  },
};

type Tasks = { [N in keyof typeof loads]: Awaited<ReturnType<(typeof loads)[N]>> };
export type ComputeTasks = {
  [N in keyof Tasks]: (...input: Parameters<Tasks[N]>) => Awaited<ReturnType<Tasks[N]>>;
};

type Question = {
  [N in keyof ComputeTasks]: { name: N; input: Parameters<ComputeTasks[N]> };
}[keyof ComputeTasks];
/** An error as plain data, because a copied AppError arrives as a bare Error. */
export interface Thrown {
  message: string;
  known: { code: string; hint: string; exitCode: ExitCode } | null;
}
export type Reply = { answer: unknown } | { thrown: Thrown };

export default async function answer({ name, input }: Question): Promise<Reply> {
  try {
    const task = (await loads[name]()) as (...given: unknown[]) => unknown;
    return { answer: await task(...input) };
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
