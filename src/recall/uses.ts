/**
 * Notes what was shown. Readers hold no lock, so they append to a file; ingest folds it into the
 * store.
 */
import { appendFileSync } from 'node:fs';
import type { HomePaths } from '../config.js';
import type { Clock } from '../types.js';

type UsePlace = 'search' | 'show' | 'context' | 'recall';

/** What may be noted as used. */
interface Shown {
  type: 'entry' | 'lesson' | 'episode' | 'note';
  id: string;
  project: string | null;
}

/**
 * Appends one line for each thing shown; a home that cannot be written loses the note, never the
 * answer.
 */
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
    // A use changes a rank by a few percent: a search does not fail for it.
  }
}
