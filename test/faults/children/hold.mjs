// Holds a database file open as a person's shell or script would: `hold.mjs FILE
// read-only|read-write` lets go at a line on stdin and ends. Without arguments it holds what each
// line names, `FILE<tab>MODE`, and lets go at `go`, as often as it is told.
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { DuckDBInstance } from '@duckdb/node-api';

const [path, mode] = process.argv.slice(2);

/** Waits for the file on request: a server gives it back a moment after its last answer. */
async function open(name, options) {
  for (;;) {
    try {
      return await DuckDBInstance.create(name, options);
    } catch (error) {
      if (path !== undefined || !String(error).includes('lock')) throw error;
      await setTimeout(20);
    }
  }
}

async function hold(path, mode) {
  const instance = await open(path, { access_mode: mode === 'read-only' ? 'READ_ONLY' : 'READ_WRITE' });
  const connection = await instance.connect();
  await connection.run('SELECT 1');
  console.log('held');
  return () => {
    connection.closeSync();
    instance.closeSync();
    console.log('free');
  };
}

let letGo = path === undefined ? () => {} : await hold(path, mode);
for await (const line of createInterface({ input: process.stdin })) {
  if (path !== undefined || line === 'go') letGo();
  else letGo = await hold(...line.split('\t'));
  if (path !== undefined) process.exit(0);
}
