/**
 * Measures the bytes of each table per entry, from the blocks of its segments; a shared block
 * counts in parts. Close the store before.
 * Usage: tsx bench/store-bytes.ts memory.duckdb [--rebuild] (--rebuild first rewrites the file, as
 * the night does)
 */
import { openStore, type Db } from '../src/store/index.js';
import { openDatabase } from '../src/store/open-database.js';

const clock = { now: () => new Date(), mono: () => performance.now() };
const [path = '', flag] = process.argv.slice(2);

interface Row {
  table: string;
  rows: number;
  blocks: number;
  columns: string;
}

async function measure(db: Db): Promise<void> {
  const tables = await db.all<{ name: string }>(
    `SELECT schema_name || '.' || table_name AS name FROM duckdb_tables() WHERE NOT internal ORDER BY 1`,
  );
  const each = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS "table", column_name, compression, segment_type, count, block_id, additional_block_ids FROM pragma_storage_info('${name}')`,
  );
  const rows = await db.all<Row>(
    `WITH segments AS MATERIALIZED (${each.join(' UNION ALL ')}),
     shared AS (SELECT block_id, count(*) AS sharers FROM segments WHERE block_id >= 0 GROUP BY 1),
     columns AS (
       SELECT "table", column_name, sum(coalesce(1.0::DOUBLE / sharers, 0) + len(coalesce(additional_block_ids, [])))::DOUBLE AS blocks,
         sum(count) FILTER (WHERE segment_type = 'VALIDITY')::DOUBLE AS rows, string_agg(DISTINCT compression, '/') FILTER (WHERE segment_type <> 'VALIDITY') AS packing
       FROM segments LEFT JOIN shared USING (block_id) GROUP BY 1, 2)
     SELECT "table", max(rows)::BIGINT AS rows, sum(blocks)::DOUBLE AS blocks,
       string_agg(column_name || ' ' || packing || ' ' || round(blocks / 4, 1) || 'M', ', ' ORDER BY blocks DESC) FILTER (WHERE blocks >= 1) AS columns
     FROM columns GROUP BY 1 ORDER BY blocks DESC`,
  );
  const [size] = await db.all<{ block: number; total: number; free: number; version: string }>(
    `SELECT block_size AS block, total_blocks AS total, free_blocks AS free, (SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name = current_database()) AS version
     FROM pragma_database_size()`,
  );
  const entries = (await db.all<{ n: number }>('SELECT count(*) AS n FROM own.entries'))[0]!.n;
  const [{ block, total, free, version }, per] = [
    size!,
    (blocks: number) => Math.round((blocks * size!.block) / Math.max(1, entries)),
  ];
  console.log(
    `${((block * total) / 1e6).toFixed(1)} MB (${((block * free) / 1e6).toFixed(1)} MB free), format ${version}, ${entries} entries: ${per(total - free)} bytes each`,
  );
  for (const row of rows.filter(({ blocks }) => per(blocks) >= 1)) {
    console.log(
      `  ${row.table.padEnd(18)} ${String(per(row.blocks)).padStart(6)} bytes an entry, ${row.rows} rows${row.columns ? `: ${row.columns}` : ''}`,
    );
  }
}

if (flag === '--rebuild') {
  const store = openStore({ path, clock, lockWaitMs: 0 });
  const [begun, used] = [performance.now(), process.cpuUsage()];
  const { before, after } = await store.rebuild();
  const { user, system } = process.cpuUsage(used);
  console.log(
    `rebuilt: ${(before / 1e6).toFixed(1)} -> ${(after / 1e6).toFixed(1)} MB, ${((performance.now() - begun) / 1000).toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s of processor, peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
  );
  await store.close();
}
const database = await openDatabase(path, { readOnly: true });
await measure(await database.connect());
database.close();
