/** Per agent: where was looked, what was found, how new it is, and when the agent deletes it. */
import { accessSync, constants } from 'node:fs';
import type { Environment } from '../config.js';
import type { Discovery } from '../watchers/discover.js';
import { retentionOf } from './log-retention.js';

/** Field names as in `status --json`. */
export interface AgentFacts {
  agent: string;
  places: { path: string; exists: boolean; readable: boolean }[];
  logs: number;
  /** When its newest log changed last. */
  newest: string | null;
  /** The agent deletes its logs after so many days; null: it keeps them. */
  deletes_after_days: number | null;
}

export const agentsFound = ({ logs, places }: Discovery, where: { userHome: string; env: Environment }): AgentFacts[] =>
  [...new Set(places.map(({ agent }) => agent))].map((agent) => {
    const own = logs.filter((log) => log.agent === agent);
    const newest = own.reduce((most, { mtimeMs }) => Math.max(most, mtimeMs), 0);
    return {
      agent,
      places: places
        .filter((place) => place.agent === agent)
        .map(({ path, exists }) => ({ path, exists, readable: exists && canRead(path) })),
      logs: own.length,
      newest: newest === 0 ? null : new Date(newest).toISOString(),
      deletes_after_days: retentionOf(agent, where)?.days ?? null,
    };
  });

const canRead = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
