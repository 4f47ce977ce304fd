/** Tier files as bytes: what is torn or swollen costs no more than itself. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { packTier, unpackTier } from '../../src/jobs/tier-file.js';

const rows = [{ id: 'a', text: 'tabs' }, { id: 'b', text: 'spaces' }];

test('what was packed comes back; a torn end costs only what was torn', () => {
  const bytes = packTier(rows);
  expect(unpackTier(bytes)).toEqual({ rows, damaged: false });
  expect(unpackTier(bytes.subarray(0, bytes.length - 9)).damaged).toBe(true);
});

test('a bomb is not unpacked beyond the limit', () => {
  const bomb = gzipSync(Buffer.alloc(1_000_000));
  expect(bomb.length).toBeLessThan(2000);
  expect(unpackTier(bomb, 10_000)).toEqual({ rows: [], damaged: true });
});
