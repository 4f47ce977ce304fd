/** The views as Parquet files, by the engine's own COPY. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from './db.js';

/**
 * Views whose rows are also in another view or in the archive, and vectors, which only our model
 * can use.
 */
const LEFT_OUT = ['archive_entries', 'claims', 'commands', 'errors', 'files_touched', 'vectors'];

/** Hive's word for NULL in a path. */
const NONE = '__HIVE_DEFAULT_PARTITION__';

/** Enough memory for two thousand texts of the maximum length. */
const SETTINGS = `SET memory_limit = '1024MB'; SET partitioned_write_flush_threshold = 8192`;

/** The views that an export writes, by name. */
export async function exportedViews(db: Db): Promise<string[]> {
  const views = await db.all<{ name: string }>(
    `SELECT view_name AS name FROM duckdb_views() WHERE schema_name = 'main' AND NOT internal ORDER BY name`,
  );
  return views.map(({ name }) => name).filter((name) => !LEFT_OUT.includes(name));
}

/** Writes a file for each month and project, if the view has such columns. @returns rows */
export async function copyView(db: Db, view: string, folder: string): Promise<number> {
  const columns = await db.all<{ name: string; type: string }>(
    `SELECT column_name AS name, column_type AS type FROM (DESCRIBE main."${view}")`,
  );
  const isMonthly = columns.some(({ name, type }) => name === 'time' && type === 'TIMESTAMP');
  const parts = [
    ...(isMonthly ? ['month'] : []),
    ...(columns.some(({ name }) => name === 'project') ? ['project'] : []),
  ];
  const select = `SELECT *${isMonthly ? `, strftime(time, '%Y-%m') AS month` : ''} FROM main."${view}"`;
  const copy = (rows: string, to: string, by = ''): Promise<number> =>
    db.run(
      `COPY (${rows}) TO '${to.replaceAll("'", "''")}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 8192${by})`,
    );
  await db.run(SETTINGS);
  const rows =
    parts.length === 0 ? 0 : await copy(select, folder, `, PARTITION_BY (${parts.join(', ')})`);
  if (rows > 0) return rows;
  // One file also for a view without rows or parts, since engines refuse a table without files.
  const place = join(folder, ...parts.map((part) => `${part}=${NONE}`));
  mkdirSync(place, { recursive: true });
  const left = parts.length === 0 ? '' : ` EXCLUDE (${parts.join(', ')})`;
  return copy(`SELECT *${left} FROM (${select})`, join(place, 'data_0.parquet'));
}
