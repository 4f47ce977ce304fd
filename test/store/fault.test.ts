import { expect, test } from 'vitest';
import { EXIT } from '../../src/errors.js';
import { describeHolder, faultKind, holderOf, storeError } from '../../src/store/repair/fault.js';

/** Messages as DuckDB 1.5 writes them. */
const messages: [kind: string, message: string][] = [
  [
    'busy',
    'IO Error: Could not set lock on file "/h/memory.duckdb": Conflicting lock is held in /usr/bin/node (PID 4242) by user ann. See also https://duckdb.org/docs/stable/connect/concurrency',
  ],
  ['disk-full', 'IO Error: Could not write file "/h/memory.duckdb.wal": No space left on device'],
  [
    'disk-full',
    'IO Error: Could not write all bytes to file "/h/memory.duckdb": wanted=262144 wrote=4096',
  ],
  [
    'disk-full',
    'FATAL Error: Failed to create checkpoint because of error: Could not write file "/h/memory.duckdb": File too large',
  ],
  [
    'disk-full',
    'FATAL Error: database has been invalidated because of a previous fatal error: Could not write file "x": No space left on device',
  ],
  [
    'newer',
    'IO Error: Trying to read a database file with version number 99, but we can only read versions between 64 and 68.',
  ],
  [
    'damaged-wal',
    'IO Error: Failure while replaying WAL file "/h/memory.duckdb.wal": Corrupt WAL file: entry at byte position 0 computed checksum does not match stored checksum',
  ],
  [
    'damaged',
    'IO Error: The file "/h/memory.duckdb" exists, but it is not a valid DuckDB database file!',
  ],
  [
    'damaged',
    'IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2 in block',
  ],
  [
    'damaged',
    'IO Error: Could not read enough bytes from file "/h/memory.duckdb": attempted to read 262144 bytes',
  ],
  ['fatal', 'FATAL Error: Failed: database has been invalidated because of a previous fatal error'],
  // The file stays where it is.
  [
    'memory',
    'FATAL Error: Failed to create checkpoint: Out of Memory Error: could not allocate block',
  ],
  [
    'memory',
    'IO Error: Failure while replaying WAL file "x": failed to allocate: Out of Memory Error',
  ],
  ['not-writable', 'IO Error: Cannot open file "/h/memory.duckdb": Permission denied'],
  [
    'no-store',
    'IO Error: Cannot open database "/h/memory.duckdb" in read-only mode: database does not exist',
  ],
  ['other', 'Binder Error: Referenced column "x" not found in FROM clause!'],
  ['other', 'Constraint Error: Duplicate key "id: a, rev: 1" violates primary key constraint'],
];

test.each(messages)('%s: %s', (kind, message) => expect(faultKind(new Error(message))).toBe(kind));

test('the refusal names process and program', () => {
  const holder = holderOf(messages[0]?.[1] ?? '');
  expect(holder).toEqual({ pid: 4242, program: '/usr/bin/node' });
  expect(describeHolder(holder)).toBe('node (process 4242)');
  expect(describeHolder({ pid: null, program: null })).toBe('another process');
  expect(storeError(new Error(messages[0]?.[1]), '/h/memory.duckdb')).toMatchObject({
    code: 'STORE_BUSY',
    exitCode: EXIT.busy,
    message: '/h/memory.duckdb is in use by node (process 4242)',
  });
});
