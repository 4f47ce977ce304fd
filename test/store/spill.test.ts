import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/duckdb.js';
import { tempFolder } from './build.js';

test('temporary files of the engine reach their limit: the statement fails, the rows and the next statement do not', async () => {
  const path = join(await tempFolder(), 'memory.duckdb');
  const database = await openDatabase(path, { memoryLimitMb: 40, spillMb: 1, threads: 1 });
  const db = await database.connect();
  await db.run('CREATE TABLE kept AS SELECT range AS n FROM range(1000)');
  await expect(
    db.run(
      'CREATE TEMP TABLE large AS SELECT md5(n::VARCHAR) || md5((n + 1)::VARCHAR) AS text FROM range(1000000) r(n)',
    ),
  ).rejects.toThrow(/failed to offload.*\n?.*max_temp_directory_size/i);
  expect(await db.all('SELECT count(*) AS n FROM kept')).toEqual([{ n: 1000 }]);
  database.close();
  const temp = `${path}.tmp`;
  expect(existsSync(temp) ? readdirSync(temp) : []).toEqual([]);
});
