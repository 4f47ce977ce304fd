import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/index.js';
import { tempFolder, testClock } from './build.js';
import { startChild } from './children.js';

/** A limit on the size of files makes the kernel refuse writes at any byte, as a full disk does. */
test.each([
  ['of the write-ahead log', 64, 6000],
  ['inside a checkpoint', 1, 6000],
  ['of the first tables', 1, 2400],
])(
  'a write that fails in the middle %s: the error says so, all that was acknowledged is there',
  async (_where, checkpointMb, limitKb) => {
    const path = join(await tempFolder(), 'memory.duckdb');
    const child = startChild('fill', [path, String(checkpointMb)], { limitKb });
    const { code, stderr } = await child.ended;
    expect(code, `${stderr}\n${child.lines.join('\n')}`).toBe(0);
    const failed = JSON.parse(child.lines[0]?.replace('failed ', '') ?? '{}') as {
      code: string;
      acknowledged: number;
    };
    expect(failed.code).toBe('DISK_FULL');
    const left = JSON.parse(child.lines[1]?.replace('left ', '') ?? '{}') as {
      entries: number;
      offset: number | null;
    };
    const store = openStore({ path, clock: testClock(), lockWaitMs: 0 });
    const [row] = await store.read((db) =>
      db.all<{ entries: number; offset: number | null }>(
        'SELECT (SELECT count(*) FROM own.entries) AS entries, (SELECT max("offset") FROM own.sources) AS "offset"',
      ),
    );
    await store.close();
    for (const seen of [left, row]) {
      expect(seen?.entries).toBeGreaterThanOrEqual(failed.acknowledged);
      expect(seen?.offset ?? 0).toBe(seen?.entries);
    }
  },
);
