/** Where logs are looked for, and what lies there. */
import { adapters, looksLikeSession } from '../../agents/index.js';
import type { Config, Environment } from '../../config.js';
import type { Adapter } from '../../types.js';
import { discoverLogs, type Discovery, findCandidates, type FoundLog, needsReading, type SeenLog } from '../../watchers/index.js';

/** The agents that the config lets us read; `config-file.ts` has checked their names. */
function chosenAdapters({ agents: { only } }: Config): readonly Adapter[] {
  return only.length === 0 ? adapters : adapters.filter(({ agent }) => only.includes(agent));
}

/** @param only the paths to look at, when they are known */
export function lookForLogs(
  { config, env, userHome }: { config: Config; env: Environment; userHome: string },
  only?: readonly string[],
): Promise<Discovery> {
  return discoverLogs(chosenAdapters(config), { home: userHome, env, ...config.agents }, only);
}

/**
 * Folders that look like an unknown agent's sessions, in words for a person.
 * @param home of dripstone, in which nothing is looked for
 */
export function describeCandidates(userHome: string, home: string, { places }: Discovery): string[] {
  const known = [home, ...places.map(({ path }) => path)];
  return findCandidates(userHome, known, looksLikeSession).map(
    ({ path, files }) => `${path} (${files} files): agents: {roots: {generic: ["${path}"]}} in config.yaml reads it`,
  );
}

// Which logs changed since the last look, from what the folders show. Pure.

interface ChangedLogs {
  /** Logs to read now; they count as seen afterwards. */
  take(logs: readonly FoundLog[], now: number): string[];
  /** Reading failed: everything counts as changed again. */
  forget(): void;
}

/** The daemon's memory between two looks: an idle one opens no database to learn that nothing changed. */
export function createChangedLogs(): ChangedLogs {
  let seen = new Map<string, SeenLog>();
  return {
    take(logs, now) {
      // How much of it was read is the checkpoint's to know: each may end in half a line.
      const shown = (log: FoundLog): SeenLog => ({ ...log, offset: 0, lastRead: new Date(now).toISOString() });
      const changed = logs.filter((log) => needsReading(seen.get(log.path) ?? null, log, now));
      const fresh = new Map(changed.map((log) => [log.path, shown(log)]));
      seen = new Map(logs.map(({ path }) => [path, fresh.get(path) ?? seen.get(path)!]));
      return [...fresh.keys()];
    },
    forget: () => {
      seen = new Map();
    },
  };
}
