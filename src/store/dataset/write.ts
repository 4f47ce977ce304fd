/** Reads the rows of a dataset's files from the store; changes nothing in it. */
import type { Db } from '../db.js';
import { first } from '../db.js';
import { asGlob } from '../search/archive.js';
import {
  DATASET_TABLES,
  datasetColumns,
  datasetRows,
  quoted,
  type DatasetColumn,
  type DatasetPart,
  type DatasetShape,
} from './tables.js';

/** What the store has for one file. */
export interface DatasetFacts extends DatasetPart {
  rows: number;
  /** Sum of the hashes of all rows without their texts, which never change while the row stays. */
  sum: string;
  /** Oldest and newest time or day; null where the table has none. */
  oldest: string | null;
  newest: string | null;
}

function tableOf(name: string): (typeof DATASET_TABLES)[number] {
  const table = DATASET_TABLES.find((each) => each.name === name);
  if (!table) throw new Error(`${name} is no table of a dataset`);
  return table;
}

/** Columns of every table as the views have them now. */
export async function datasetLayout(db: Db): Promise<Map<string, DatasetColumn[]>> {
  const layout = new Map<string, DatasetColumn[]>();
  for (const { name, from } of DATASET_TABLES)
    layout.set(
      name,
      await db.all(
        `SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT * FROM ${from})`,
      ),
    );
  return layout;
}

/**
 * Rows of one month. Without this copy each file would read a month of packed texts: a year of
 * 264,000 entries in 12 projects took 25 s of processor time instead of 15.
 */
const STAGED = 'dripstone_staged';

/**
 * Prepares the rows of one month; `fn` counts and copies them within the same snapshot.
 * @param name of a table
 */
export async function withDatasetMonth<T>(
  db: Db,
  name: string,
  month: string | null,
  fn: () => Promise<T>,
): Promise<T> {
  const table = tableOf(name);
  const rows =
    table.ofMonth?.((alias) => datasetRows(table, { month }, alias)) ??
    `SELECT * FROM ${table.from} v WHERE ${datasetRows(table, { month })}`;
  await db.run(`CREATE OR REPLACE TEMP TABLE ${STAGED} AS ${rows}`);
  return fn().finally(() => db.run(`DROP TABLE IF EXISTS ${STAGED}`).catch(() => 0));
}

/** Every file for which a table has rows, in order; with `month` only those of that month. */
export async function datasetFacts(
  db: Db,
  name: string,
  columns: readonly DatasetColumn[],
  within: { month?: string | null } = {},
): Promise<DatasetFacts[]> {
  const table = tableOf(name);
  const where = datasetRows(table, within);
  const time = columns.find(
    (column) => column.name === table.order[0] && /^(TIMESTAMP|DATE)/.test(column.type),
  )?.name;
  const hashed = (alias: string): string =>
    columns
      .filter((column) => table.texts === null || column.name !== 'text')
      .map((column) => `${alias}."${column.name}"`)
      .join(', ');
  return db.all<DatasetFacts>(
    `SELECT ${quoted(name)} AS "table", ${table.month === null ? `'all'` : `strftime(time, '%Y-%m')`} AS month, project,
       sum(counted)::BIGINT AS rows, sum(h::HUGEINT)::VARCHAR AS sum,
       min(time)::VARCHAR AS oldest, max(time)::VARCHAR AS newest
     FROM (${
       table.facts?.(where, hashed) ??
       `SELECT v.project, ${time ? `v."${time}"` : 'NULL'} AS time, 1 AS counted, hash(${hashed('v')}) AS h
        FROM ${table.from} v WHERE ${where}`
     })
     GROUP BY ALL ORDER BY month, project`,
  );
}

interface PartSource {
  columns: readonly DatasetColumn[];
  shape: DatasetShape;
  /** Its texts were too long for groups of the usual size. */
  isLarge: boolean;
}

/** Limits the engine's memory from here on. */
export async function limitMemory(db: Db, mb: number): Promise<void> {
  await db.run(`SET memory_limit = '${mb}MB'`);
}

/**
 * Rows of a row group, which the engine packs and holds in memory together: about 10 MB for texts
 * of usual length; `large` is for texts of 64 KiB.
 */
const GROUP_ROWS = { texts: 8192, large: 2048, plain: 122_880 };

/**
 * Writes one file of the dataset, inside `withDatasetMonth`.
 * @param path must not exist yet
 * @returns rows
 */
export async function copyDatasetPart(
  db: Db,
  part: DatasetPart,
  path: string,
  { columns, shape, isLarge }: PartSource,
): Promise<number> {
  const table = tableOf(part.table);
  const group = GROUP_ROWS[table.texts === null ? 'plain' : isLarge ? 'large' : 'texts'];
  const order = table.order.map((name) => `v."${name}"`).join(', ');
  return db.run(
    `COPY (
       SELECT ${datasetColumns(table, columns, shape)}
       FROM ${STAGED} v
       WHERE ${datasetRows(table, part)} ORDER BY ${order})
     TO ${quoted(path)} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${group})`,
  );
}

/** How many entries were ever purged. */
export async function purgedEntries(db: Db): Promise<number> {
  const row = await first<{ n: number }>(
    db,
    `SELECT count(*) AS n FROM own.purged WHERE NOT contains(id, ':')`,
  );
  return row?.n ?? 0;
}

/** Ids of purged entries that a dataset's files contain. */
export async function purgedInDataset(db: Db, paths: readonly string[]): Promise<number> {
  if (paths.length === 0) return 0;
  const row = await first<{ n: number }>(
    db,
    `SELECT count(*) AS n FROM read_parquet([${paths.map((path) => quoted(asGlob(path))).join(', ')}], hive_partitioning = false)
     WHERE id IN (SELECT id FROM own.purged)`,
  );
  return row?.n ?? 0;
}

/** Account names in working folders: what follows `/home/`, `/Users/` or `C:\Users\`. */
export async function accountNames(db: Db): Promise<string[]> {
  const rows = await db.all<{ name: string }>(
    `SELECT DISTINCT regexp_extract(place, '^(?:/(?:[a-z]+/)?home/|/Users/|[A-Za-z]:[\\\\/]Users[\\\\/])([^/\\\\]+)', 1) AS name
     FROM (SELECT DISTINCT cwd AS place FROM own.entries UNION SELECT cwd FROM own.folders UNION SELECT path FROM own.sources)
     WHERE place IS NOT NULL ORDER BY name`,
  );
  return rows.map(({ name }) => name).filter((name) => name !== '');
}
