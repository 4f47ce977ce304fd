/**
 * When the daemon looks for sessions to learn from: after reading, when a session may have fallen silent, and not too often in a
 * long history. Pure.
 */
import type { JobResult, Nudge } from '../job.js';

/** While a long history is read, lessons are drawn from what is there no more often: each time every project is computed anew. */
const LEARN_EVERY_MS = 60_000;
/** A session that is still written to is looked at again after this part of the idle time. */
const LEAST_WAIT_MS = 1000;

/** `now` is the wall clock, `mono` the clock that never jumps, both in milliseconds. */
export interface LearningTimes {
  /** Logs were read. @returns whether sessions are to be looked at now */
  afterReading(nudge: Nudge, result: JobResult, mono: number): boolean;
  /** Lessons were drawn from everything that was silent. */
  learnt(mono: number): void;
  /** Sessions that are still written to can be silent after the idle time; without any nothing is waited for. */
  waitFor(talking: number, now: number): void;
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
    afterReading(nudge, result, mono) {
      const wasLeft = isHistoryLeft;
      // A look at single logs tells nothing about the others.
      if (nudge.paths === undefined || result.more === true) isHistoryLeft = result.more === true;
      const isSoon = isHistoryLeft && learntAt !== null && mono - learntAt < LEARN_EVERY_MS;
      return (result.done > 0 || wasLeft) && !isSoon;
    },
    learnt(mono) {
      learntAt = mono;
    },
    waitFor(talking, now) {
      silentAt = talking > 0 ? now + Math.max(LEAST_WAIT_MS, idleMs) : null;
    },
    isWaiting: () => silentAt !== null,
    takeDue(now) {
      if (silentAt === null || now < silentAt) return false;
      silentAt = null;
      return true;
    },
  };
}
