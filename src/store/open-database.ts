/**
 * Opens a database file; DuckDB's client, which takes a tenth of a second to load, comes with the
 * first one.
 */
import type { Database, DatabaseOptions } from './db.js';

/**
 * As `openDatabase` in duckdb.ts, for callers that may not need a database, or start something else
 * before.
 */
export async function openDatabase(path: string, options?: DatabaseOptions): Promise<Database> {
  return (await import('./duckdb.js')).openDatabase(path, options);
}
