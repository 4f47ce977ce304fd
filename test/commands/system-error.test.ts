/** What the system refuses is told with its cure, never as a fault of ours. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXIT, systemError } from '../../src/errors.js';

test.each([
  [
    "EMFILE: too many open files, open '/home/ann/.dripstone/uses.jsonl'",
    'TOO_MANY_FILES',
    1,
    'ulimit -n 1024',
  ],
  [
    'IO Error: Cannot open file "/x/memory.duckdb": Too many open files',
    'TOO_MANY_FILES',
    1,
    'ulimit -n 1024',
  ],
  ['ENOSPC: no space left on device, write', 'DISK_FULL', 1, 'free some space'],
  ["EROFS: read-only file system, open '/x'", 'NOT_WRITABLE', 14, 'DRIPSTONE_HOME'],
])('%s', (message, code, exitCode, hint) => {
  expect(systemError(new Error(message))).toMatchObject({
    code,
    exitCode,
    message: expect.stringContaining(message) as string,
    hint: expect.stringContaining(hint) as string,
  });
});

// Each version of Node takes another number of them for itself.
const isCounted = process.version.startsWith('v20.');

test.runIf(isCounted)(
  'too few open files to load the program are told as that, in the same words',
  () => {
    const cli = join(import.meta.dirname, '../../dist/cli.js');
    // Node itself takes 19 of them.
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', `ulimit -n 22; exec "${process.execPath}" "${cli}" status`],
      { encoding: 'utf8', timeout: 30_000 },
    );
    const open = /EMFILE: .*/.exec(stderr)?.[0] ?? '';
    const { message, hint } = systemError(new Error(open))!;
    expect(stderr).toBe(`dripstone: ${message}\n  next: ${hint}\n`);
    expect(status).toBe(EXIT.error);
  },
);
