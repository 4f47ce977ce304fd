/** Opens a database file. Loads DuckDB's client at the first opening, since loading is slow. */
import type { Database, DatabaseOptions } from './db.js';

/**
 * As `openDatabase` in duckdb.ts, for callers that may not need a database or first start other
 * work.
 */
export async function openDatabase(path: string, options?: DatabaseOptions): Promise<Database> {
  return (await import('./duckdb.js')).openDatabase(path, options);
}
