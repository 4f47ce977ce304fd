/** The thinking thread: answers one question after the other and keeps nothing. Its entry point is compiled. */
import { AppError, messageOf } from '../../errors.js';
import type { Question, Reply, Thrown } from './compute-pool.js';
import { computeTasks } from './compute-tasks.js';

export default function answer({ name, input }: Question): Reply {
  try {
    return { answer: (computeTasks[name] as (...given: unknown[]) => unknown)(...input) };
  } catch (error) {
    return { thrown: thrownAs(error) };
  }
}

function thrownAs(error: unknown): Thrown {
  return {
    message: messageOf(error),
    known: error instanceof AppError ? { code: error.code, hint: error.hint, exitCode: error.exitCode } : null,
  };
}
