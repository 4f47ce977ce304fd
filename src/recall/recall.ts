/** What answering needs, whichever command or server asks. */
import type { Config, HomePaths } from '../config.js';
import type { EmbedderLease } from '../embed/embedder.js';
import { stampOf, type Store } from '../store/index.js';
import type { Clock } from '../types.js';
import { TextShelf } from './text-shelf.js';

export interface Recall {
  store: Store;
  paths: HomePaths;
  clock: Clock;
  /** Makes the vector of a query; without one a search goes by words alone. */
  embedder: EmbedderLease;
  config: Config;
  /** The home's secret, for the marks of masked secrets. */
  redactKey: string;
  /** Lessons, episodes and notes, kept from query to query. */
  shelf: TextShelf;
}

/** One for all queries of a process. */
export function recallFrom({ store, paths, clock, embedder, config, redactKey }: Omit<Recall, 'shelf'>): Recall {
  return { store, paths, clock, embedder, config, redactKey, shelf: new TextShelf(() => stampOf(store.path)) };
}
