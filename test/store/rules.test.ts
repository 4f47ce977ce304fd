/**
 * The two rules that keep rows from being lost silently, and where SQL may stand, checked on the
 * source.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../src');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.replaceAll('\\', '/'));
const source = new Map(files.map((name) => [name, readFileSync(join(root, name), 'utf8')]));

test('one file knows the DuckDB client, and makes instances in one place', () => {
  expect(files.filter((name) => source.get(name)?.includes('@duckdb/'))).toEqual([
    'store/duckdb.ts',
  ]);
  expect(source.get('store/duckdb.ts')?.match(/\w*Instance\.(create|fromCache)\(/g)).toEqual([
    'DuckDBInstance.create(',
  ]);
  expect(source.get('store/duckdb.ts')).not.toMatch(/\.stream\w*\(/);
});

test('the store reads no file but what it publishes: opening the database file would drop its lock', () => {
  const readers =
    /\b(open|openSync|readFile|readFileSync|copyFile|copyFileSync|createReadStream|createWriteStream|cp)\b/;
  const importing = files.filter((name) => {
    const imports = source.get(name)?.match(/import[^;]*from 'node:fs(\/promises)?';/g) ?? [];
    return name.startsWith('store/') && imports.some((line) => readers.test(line));
  });
  // lock.ts writes over a damaged lock file, which nobody can hold in this process: it could not be
  // opened. archive.ts opens tiers, true-file.ts copies a leftover write-ahead log to the file that
  // it belongs to before the database is opened. token-states.ts has vectors.bin, a file of its
  // own. facts.ts reads the fact queries that ship with the program.
  expect(importing).toEqual([
    'store/facts.ts',
    'store/lock.ts',
    'store/publish.ts',
    'store/repair/true-file.ts',
    'store/search/archive.ts',
    'store/search/token-states.ts',
  ]);
});

test('SQL stands in store/ only, but for the examples that the help of `sql` shows', () => {
  const sql =
    /\b(SELECT\s+[\w*"(].*\bFROM\b|INSERT INTO|DELETE FROM|CREATE (TABLE|VIEW)|UPDATE own\.)/;
  // Statements for a foreign SQLite store are constants of that agent's adapter; database.ts puts
  // its own function around them.
  const foreign = files.filter(
    (name) =>
      !/^(?:store|agents)\/|^watchers\/database\.ts$/.test(name) &&
      sql.test((source.get(name) ?? '').replaceAll(/^\s*(\*|\/\/|\/\*).*$/gm, '')),
  );
  expect(foreign.filter((name) => name !== 'commands/sql.ts')).toEqual([]);
});
