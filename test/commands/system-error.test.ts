/** What the system refuses is told with its cure, never as a fault of ours. */
import { expect, test } from 'vitest';
import { systemError } from '../../src/errors.js';

test.each([
  ['EMFILE: too many open files, open \'/home/ann/.dripstone/uses.jsonl\'', 'TOO_MANY_FILES', 1, 'ulimit -n 1024'],
  ['IO Error: Cannot open file "/x/memory.duckdb": Too many open files', 'TOO_MANY_FILES', 1, 'ulimit -n 1024'],
  ['ENOSPC: no space left on device, write', 'DISK_FULL', 14, 'free some space'],
  ['EROFS: read-only file system, open \'/x\'', 'NOT_WRITABLE', 14, 'DRIPSTONE_HOME'],
])('%s', (message, code, exitCode, hint) => {
  expect(systemError(new Error(message))).toMatchObject({ code, exitCode, message: expect.stringContaining(message) as string, hint: expect.stringContaining(hint) as string });
});

test('a fault of ours stays one', () => {
  expect(systemError(new TypeError('x is not a function'))).toBeNull();
});
