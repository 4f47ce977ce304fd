// Holds a database file open as a person's shell or script would: `hold.mjs FILE read-only|read-write`; lets go at a line on stdin.
import { DuckDBInstance } from '@duckdb/node-api';

const [path, mode] = process.argv.slice(2);
const instance = await DuckDBInstance.create(path, { access_mode: mode === 'read-only' ? 'READ_ONLY' : 'READ_WRITE' });
const connection = await instance.connect();
await connection.run('SELECT 1');
console.log('held');
process.stdin.once('data', () => {
  connection.closeSync();
  instance.closeSync();
  console.log('free');
  process.exit(0);
});
