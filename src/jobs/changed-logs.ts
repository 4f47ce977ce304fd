/** Which logs changed since the last look, from what the folders show. Pure. */
import type { FoundLog } from '../watchers/discover.js';
import { STILL_MS } from '../watchers/guard.js';

/** What was seen of one log. */
interface Seen {
  key: string;
  /** When half a line at its end has been still for long enough to be taken; null when that was looked at. */
  again: number | null;
}

export interface ChangedLogs {
  /** Logs to read now; they count as seen afterwards. */
  take(logs: readonly FoundLog[], now: number): string[];
  /** Reading failed: everything counts as changed again. */
  forget(): void;
}

const keyOf = (log: FoundLog): string => `${log.device}:${log.inode}:${log.size}:${log.mtimeMs}`;

export const createChangedLogs = (): ChangedLogs => {
  let seen = new Map<string, Seen>();
  return {
    take(logs, now) {
      const next = new Map<string, Seen>();
      const changed: string[] = [];
      for (const log of logs) {
        const old = seen.get(log.path);
        const key = keyOf(log);
        const isNew = old?.key !== key;
        const isStill = !isNew && old!.again !== null && now >= old!.again;
        if (isNew || isStill) changed.push(log.path);
        const stillAt = log.mtimeMs + STILL_MS;
        next.set(log.path, isNew ? { key, again: stillAt > now ? stillAt : null } : isStill ? { key, again: null } : old!);
      }
      seen = next;
      return changed;
    },
    forget: () => {
      seen = new Map();
    },
  };
};
