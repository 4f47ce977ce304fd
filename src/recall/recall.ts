/** The parts that an answer needs, for every command and server. */
import type { Config, HomePaths } from '../config.js';
import type { EmbedderLease } from '../embed/embedder.js';
import type { Withheld } from '../lessons/index.js';
import type { Store } from '../store/index.js';
import type { Clock, Project } from '../types.js';
import { appendFileSync } from 'node:fs';

export interface Recall {
  store: Store;
  paths: HomePaths;
  clock: Clock;
  /** Makes the vector of a query; without it a search uses words alone. */
  embedder: EmbedderLease;
  config: Config;
  /** The home's secret, for the marks of masked secrets. */
  redactKey: string;
}

/** The parts that a reading command, a server or the MCP server needs. */
export interface Reader extends Recall {
  userHome: string;
  storeExists: boolean;
  /** The lessons of a project (null: global) that taint withholds, and the reasons. */
  withheld(project: Project | null): Promise<Withheld[]>;
}

// Notes what was shown. Readers have no lock, so they append to a file, which ingest reads into the
// store.

type UsePlace = 'search' | 'show' | 'context' | 'recall';

/** An item whose use is noted. */
interface Shown {
  type: 'entry' | 'lesson' | 'episode' | 'note';
  id: string;
  project: string | null;
}

/** Appends one line for each shown item; if the home cannot be written, only the note is lost. */
export function noteUses(
  from: { paths: HomePaths; clock: Clock },
  door: UsePlace,
  shown: readonly Shown[],
): void {
  if (shown.length === 0) return;
  const time = from.clock.now().toISOString();
  try {
    appendFileSync(
      from.paths.uses,
      shown.map((one) => `${JSON.stringify({ version: 1, time, door, ...one })}\n`).join(''),
      { mode: 0o600 },
    );
  } catch {
    // A use changes a rank only a little, so a search does not fail without it.
  }
}
