import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/duckdb.js';
import { tempFolder } from './build.js';

test('rows of several chunks keep their own texts, lists and gaps: nothing of a chunk shows in the next', async () => {
  const database = await openDatabase(join(await tempFolder(), 'memory.duckdb'));
  const db = await database.connect();
  await db.run(
    'CREATE TABLE kept (n BIGINT, text VARCHAR, files VARCHAR[], seen BOOLEAN, day DATE, vector FLOAT[2])',
  );
  const rows = Array.from({ length: 3000 }, (_, n) => ({
    n,
    text: n % 7 === 0 ? null : `${n}-${'x'.repeat(n % 50)}`,
    // The later chunks have fewer and shorter lists than the first.
    files: n < 1024 ? [`a${n}`, `b${n}`, `c${n}`] : n % 3 === 0 ? [] : [`d${n}`],
    seen: n % 5 === 0 ? null : n % 2 === 0,
    day: n % 11 === 0 ? null : '2026-11-20',
    vector: n % 13 === 0 ? null : Float32Array.of(n, -n),
  }));
  const column = <K extends keyof (typeof rows)[number]>(name: K) => rows.map((row) => row[name]);
  await db.append('kept', {
    n: BigInt64Array.from(rows, ({ n }) => BigInt(n)),
    text: column('text'),
    files: column('files'),
    seen: column('seen'),
    day: column('day'),
    vector: column('vector'),
  });
  const back = await db.all<(typeof rows)[number]>('SELECT * FROM kept ORDER BY n');
  database.close();
  expect(back).toEqual(rows.map((row) => ({ ...row, vector: row.vector && [...row.vector] })));
});
