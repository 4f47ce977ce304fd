/**
 * The real clock; nothing else reads real time. Its own file, so that `--version` loads no store.
 */
import type { Clock } from './types.js';

export const systemClock: Clock = { now: () => new Date(), mono: () => performance.now() };
