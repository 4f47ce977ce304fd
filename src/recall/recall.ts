/** What answering needs: every door hands over the same few things. */
import type { HomePaths } from '../config.js';
import type { Store } from '../store/index.js';
import type { Clock, Embedder } from '../types.js';

export interface Recall {
  store: Store;
  paths: HomePaths;
  clock: Clock;
  /** Makes the vector of a query, or null when words are all there is. */
  embedder: Embedder | null;
}

export const recallFrom = (app: Omit<Recall, 'embedder'> & { embedder?: Embedder | null }): Recall => ({
  store: app.store,
  paths: app.paths,
  clock: app.clock,
  embedder: app.embedder ?? null,
});
