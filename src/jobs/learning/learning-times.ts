/**
 * When the daemon looks for sessions to learn from: after reading, when a session may have fallen
 * silent, and not too often in a long history. Pure.
 */
import type { JobResult, Trigger } from '../job.js';

/**
 * While a long history is read, lessons are learnt no more often than this: each time every project
 * is computed again.
 */
const LEARN_EVERY_MS = 60_000;
/** Without an idle time a session that is written to all the time is looked at so often at most. */
const LEAST_WAIT_MS = 1000;

/** `now` is the wall clock, `mono` the clock that never jumps, both in milliseconds. */
export interface LearningTimes {
  /** Logs were read. @returns whether sessions are to be looked at now */
  afterReading(trigger: Trigger, result: JobResult, mono: number): boolean;
  /** Lessons were drawn from everything that was silent. */
  learnt(mono: number): void;
  /**
   * Sessions that are still written to: the one that was silent longest had its last entry then;
   * null: there is none.
   */
  waitFor(lastEntry: number | null, now: number): void;
  isWaiting(): boolean;
  /** Whether a session that was waited for may be silent now; told once. */
  takeDue(now: number): boolean;
}

/** @param idleMs a session without a new entry for so long is silent */
export function createLearningTimes(idleMs: number): LearningTimes {
  let silentAt: number | null = null;
  let learntAt: number | null = null;
  let isHistoryLeft = false;
  return {
    afterReading(trigger, result, mono) {
      const wasLeft = isHistoryLeft;
      // A look at single logs tells nothing about the others.
      if (trigger.paths === undefined || result.more === true) isHistoryLeft = result.more === true;
      const isSoon = isHistoryLeft && learntAt !== null && mono - learntAt < LEARN_EVERY_MS;
      return (result.done > 0 || wasLeft) && !isSoon;
    },
    learnt(mono) {
      learntAt = mono;
    },
    waitFor(lastEntry, now) {
      silentAt = lastEntry === null ? null : Math.max(now + LEAST_WAIT_MS, lastEntry + idleMs);
    },
    isWaiting: () => silentAt !== null,
    takeDue(now) {
      if (silentAt === null || now < silentAt) return false;
      silentAt = null;
      return true;
    },
  };
}
