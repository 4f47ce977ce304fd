import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openLog, reasonOf, UnreadableLog } from '../../src/watchers/index.js';

// Its first page belongs to nobody: the kernel answers EIO, as a failing disk does.
const FAILING = '/proc/self/mem';

test.runIf(existsSync(FAILING))(
  'a read that fails is a log that cannot be read now, and no fault of ours',
  () => {
    const log = openLog(FAILING);
    expect(() => log.read(Buffer.alloc(10), 0)).toThrow(UnreadableLog);
    log.close();
  },
);

test.each([
  ['ESTALE', 'the network folder dropped it'],
  ['EIO', 'the disk reports an error'],
  ['ENOENT', 'gone'],
])('%s is told in words', (code, text) => {
  expect(reasonOf(Object.assign(new Error(code), { code }))).toBe(text);
});
