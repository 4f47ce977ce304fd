/** What answering needs, whichever command or server asks. */
import type { Config, Environment, HomePaths } from '../config.js';
import type { EmbedderLease } from '../embed/embedder.js';
import type { Store } from '../store/index.js';
import type { Clock } from '../types.js';

export interface Recall {
  store: Store;
  paths: HomePaths;
  clock: Clock;
  /** Makes the vector of a query; without one a search goes by words alone. */
  embedder: EmbedderLease;
  config: Config;
  /** Where the key of a model may stand. */
  env: Environment;
  /** The home's secret, for the marks of masked secrets. */
  redactKey: string;
}

export function recallFrom({ store, paths, clock, embedder, config, env, redactKey }: Recall): Recall {
  return { store, paths, clock, embedder, config, env, redactKey };
}
