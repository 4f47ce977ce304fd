/**
 * The compute thread: runs one task after the other and keeps no state. It is started from its
 * compiled file.
 */
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
    known:
      error instanceof AppError
        ? { code: error.code, hint: error.hint, exitCode: error.exitCode }
        : null,
  };
}
