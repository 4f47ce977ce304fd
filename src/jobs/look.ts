/** Where logs are looked for, and what lies there. */
import { adapters } from '../agents/index.js';
import type { Config, Environment } from '../config.js';
import type { Adapter } from '../types.js';
import { discoverLogs, type Discovery } from '../watchers/discover.js';

/** The agents that the config lets us read. */
const chosenAdapters = (config: Config): readonly Adapter[] =>
  config.agents.only.length === 0 ? adapters : adapters.filter((adapter) => config.agents.only.includes(adapter.agent));

export const lookForLogs = (context: { config: Config; env: Environment; userHome: string }): Promise<Discovery> =>
  discoverLogs(chosenAdapters(context.config), { home: context.userHome, env: context.env, roots: context.config.agents.roots });
