// Holds a database file open as a person's shell or script would: `hold.mjs FILE read-only|read-write` lets go at a line on stdin
// and ends. Without arguments it holds what each line names, `FILE<tab>MODE`, and lets go at `go`, as often as it is told.
import { createInterface } from 'node:readline';
import { DuckDBInstance } from '@duckdb/node-api';

async function hold(path, mode) {
  const instance = await DuckDBInstance.create(path, { access_mode: mode === 'read-only' ? 'READ_ONLY' : 'READ_WRITE' });
  const connection = await instance.connect();
  await connection.run('SELECT 1');
  console.log('held');
  return () => {
    connection.closeSync();
    instance.closeSync();
    console.log('free');
  };
}

const [path, mode] = process.argv.slice(2);
let letGo = path === undefined ? () => {} : await hold(path, mode);
for await (const line of createInterface({ input: process.stdin })) {
  if (path !== undefined || line === 'go') letGo();
  else letGo = await hold(...line.split('\t'));
  if (path !== undefined) process.exit(0);
}
