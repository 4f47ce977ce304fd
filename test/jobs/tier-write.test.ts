import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { writeTier } from '../../src/jobs/nightly/tier-write.js';
import { testFolder } from '../folder.js';

test('a tier whose file is not what was written is an error', async () => {
  const path = join(testFolder(), '2026-11-20-01234567.jsonl.gz');
  const row = { id: '1'.padStart(32, '0'), rev: 1, text: null, path: '/l/a', seq: 1, hash: 'h' };
  const written = writeTier({
    path,
    fresh: [{ n: 1, length: 1, row }],
    // Another program puts its own file in the place of the temporary one.
    textsOf: async () => {
      await expect.poll(() => readdirSync(dirname(path))).toHaveLength(1);
      for (const name of readdirSync(dirname(path))) {
        rmSync(join(dirname(path), name));
        writeFileSync(join(dirname(path), name), 'not what was written');
      }
      return new Map([[1, 'kettle']]);
    },
    moved: new Set(),
    onDamaged: () => undefined,
  });
  await expect(written).rejects.toThrow(/holds 0 of 1 entries after writing/);
});
