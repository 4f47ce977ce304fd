/** Finds logs in all places that the config allows. */
import { adapters } from '../../agents/index.js';
import type { Config, Environment } from '../../config.js';
import { type Adapter, shapeOf } from '../../types.js';
import {
  discoverLogs,
  type Discovery,
  type FoundLog,
  needsReading,
  type SeenLog,
  type Surroundings,
} from '../../watchers/index.js';

/** The agents that the config allows; `config-file.ts` has checked the names. */
function chosenAdapters({ agents: { only } }: Config): readonly Adapter[] {
  return only.length === 0 ? adapters : adapters.filter(({ agent }) => only.includes(agent));
}

interface LookContext {
  config: Config;
  env: Environment;
  userHome: string;
}

/** Adds to each database the sessions that have logs of their own. */
async function noteOwnLogs(
  found: Discovery,
  chosen: readonly Adapter[],
  where: Surroundings,
  isPart: boolean,
): Promise<void> {
  for (const adapter of chosen.filter(({ sessionIn }) => sessionIn !== undefined)) {
    const isOurs = ({ agent }: FoundLog): boolean => agent === adapter.agent;
    const databases = found.logs.filter(
      (log) => isOurs(log) && shapeOf(adapter, log.relative) === 'rows',
    );
    if (databases.length === 0) continue;
    const { logs } = isPart ? await discoverLogs([adapter], where) : found;
    const elsewhere = logs
      .filter(isOurs)
      .flatMap(({ relative }) => adapter.sessionIn!(relative) ?? []);
    for (const log of databases) log.elsewhere = elsewhere;
  }
}

/** @param only paths to look at, if known */
export async function lookForLogs(
  { config, env, userHome }: LookContext,
  only?: readonly string[],
): Promise<Discovery> {
  const chosen = chosenAdapters(config);
  const where = { home: userHome, env, ...config.agents };
  const found = await discoverLogs(chosen, where, only);
  await noteOwnLogs(found, chosen, where, only !== undefined);
  return found;
}

// Decides from metadata which logs changed since the last scan. Pure.

interface ChangedLogs {
  /** Returns the logs to read now, and marks them as seen. */
  take(logs: readonly FoundLog[], now: number): string[];
  /** After a failed reading: all logs count as changed. */
  forget(): void;
}

/** Remembers logs between scans, so that an idle daemon opens no database. */
export function createChangedLogs(): ChangedLogs {
  let seen = new Map<string, SeenLog>();
  return {
    take(logs, now) {
      const last_read = new Date(now).toISOString();
      // From the checkpoint, because a log may end in an incomplete line.
      const shown = (log: FoundLog): SeenLog => ({
        ...log,
        mtime_ms: log.mtimeMs,
        offset: 0,
        last_read,
      });
      const changed = logs.filter((log) => needsReading(seen.get(log.path) ?? null, log, now));
      if (changed.length === 0 && logs.length === seen.size) return []; // every known path is unchanged, and there is no new one
      const fresh = new Map(changed.map((log) => [log.path, shown(log)]));
      seen = new Map(logs.map(({ path }) => [path, fresh.get(path) ?? seen.get(path)!]));
      return [...fresh.keys()];
    },
    forget: () => {
      seen = new Map();
    },
  };
}
