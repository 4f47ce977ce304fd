/**
 * The real clock: the only place that reads real time. A file of its own, so that printing a
 * version loads no store.
 */
import type { Clock } from './types.js';

export const systemClock: Clock = { now: () => new Date(), mono: () => performance.now() };
