/** Where logs are looked for, and what lies there. */
import { adapters } from '../../agents/index.js';
import type { Config, Environment } from '../../config.js';
import type { Adapter } from '../../types.js';
import { type Discovery, type FoundLog, discoverLogs } from '../../watchers/discover.js';
import { STILL_MS } from '../../watchers/guard.js';

/** The agents that the config lets us read. */
function chosenAdapters(config: Config): readonly Adapter[] {
  return config.agents.only.length === 0 ? adapters : adapters.filter((adapter) => config.agents.only.includes(adapter.agent));
}

export function lookForLogs(context: { config: Config; env: Environment; userHome: string }): Promise<Discovery> {
  return discoverLogs(chosenAdapters(context.config), {
    home: context.userHome,
    env: context.env,
    roots: context.config.agents.roots,
  });
}

// Which logs changed since the last look, from what the folders show. Pure.

/** What was seen of one log. */
interface Seen {
  key: string;
  /** When half a line at its end has been still for long enough to be taken; null when that was looked at. */
  again: number | null;
}

interface ChangedLogs {
  /** Logs to read now; they count as seen afterwards. */
  take(logs: readonly FoundLog[], now: number): string[];
  /** Reading failed: everything counts as changed again. */
  forget(): void;
}

function keyOf(log: FoundLog): string {
  return `${log.device}:${log.inode}:${log.size}:${log.mtimeMs}`;
}

export function createChangedLogs(): ChangedLogs {
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
}
