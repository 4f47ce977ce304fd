// Opens the store read-write or read-only, says so, and keeps it until it is told to let go.
import { once } from 'node:events';
import { DuckDBInstance } from '@duckdb/node-api';

const [path, mode] = process.argv.slice(2);
const instance = await DuckDBInstance.create(path, { access_mode: mode ?? 'READ_WRITE' });
const connection = await instance.connect();
await connection.run('SELECT 1');
console.log('held');
await once(process.stdin, 'data');
connection.closeSync();
instance.closeSync();
console.log('free');
process.exit(0);
