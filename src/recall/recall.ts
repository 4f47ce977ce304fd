/** What answering needs, whichever command or server asks. */
import type { Config, HomePaths } from '../config.js';
import type { EmbedderLease } from '../embed/embedder.js';
import type { Withheld } from '../lessons/index.js';
import { stampOf, type Store } from '../store/index.js';
import type { Clock, Project } from '../types.js';
import { TextCache } from './text-cache.js';

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
  texts: TextCache;
}

/** What a reading command, a server or the MCP server lends to an answer. */
export interface Reader extends Omit<Recall, 'texts'> {
  userHome: string;
  storeExists: boolean;
  /** What taint keeps out of the lessons of a project (null: of the person), and why. */
  withheld(project: Project | null): Promise<Withheld[]>;
  /** Kept from answer to answer by a server. */
  recall?: Recall;
}

/** One for all queries of a process. */
export function recallFrom({
  store,
  paths,
  clock,
  embedder,
  config,
  redactKey,
}: Omit<Recall, 'texts'>): Recall {
  return {
    store,
    paths,
    clock,
    embedder,
    config,
    redactKey,
    texts: new TextCache(() => stampOf(store.path)),
  };
}
