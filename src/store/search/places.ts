/** Where entries stand in their logs. */
import type { Db } from '../db.js';
import { rowsById } from './numbers.js';

/** Both are null for an entry that is not in the database. */
interface Place {
  path: string | null;
  line: number | null;
}

/**
 * Rows with the place of the entry that each names. The entries are fetched by their ids: joined
 * with such rows, a million entries took from 0.3 s to more than a second.
 */
export async function withPlaces<Row extends { entry: string }>(
  db: Db,
  rows: readonly Row[],
): Promise<(Row & Place)[]> {
  const found = await rowsById<Place & { id: string }>(
    db,
    'SELECT e.id, e.path, e.line::INTEGER AS line FROM own.current_entries e',
    [...new Set(rows.map(({ entry }) => entry))],
  );
  const places = new Map(found.map(({ id, path, line }) => [id, { path, line }]));
  return rows.map((row) => ({ ...row, ...(places.get(row.entry) ?? { path: null, line: null }) }));
}
