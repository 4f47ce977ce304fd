/** Tier files as bytes: what is torn or swollen costs no more than itself. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { tierRows, writeTier } from '../../src/jobs/nightly/tier-file.js';
import type { TierRow } from '../../src/store/index.js';
import { testFolder } from '../folder.js';

function tempPath(): string {
  return join(testFolder(), '2026-11-20-01234567.jsonl.gz');
}

function row(n: number, text: string): TierRow {
  return { id: n.toString(16).padStart(32, '0'), rev: 1, text, path: '/l/a', seq: n, hash: 'h' };
}

async function write(path: string, rows: readonly TierRow[]): Promise<number> {
  return (
    await writeTier(
      path,
      (async function* () {
        yield* rows;
      })(),
    )
  ).rows;
}

async function read(path: string): Promise<{ rows: TierRow[]; damaged: boolean }> {
  const found = { damaged: false };
  const rows: TierRow[] = [];
  for await (const each of tierRows(path, found)) rows.push(each);
  return { rows, ...found };
}

test('what was written comes back; a torn end costs only what was torn', async () => {
  const path = tempPath();
  const rows = [row(1, 'tabs'), row(2, 'spaces')];
  expect(await write(path, rows)).toBe(2);
  expect(await read(path)).toEqual({ rows, damaged: false });
  writeFileSync(path, readFileSync(path).subarray(0, -9));
  const torn = await read(path);
  expect(torn.damaged).toBe(true);
  expect(torn.rows[0]).toEqual(rows[0]);
});

test('a bomb is not unpacked into memory', async () => {
  const path = tempPath();
  writeFileSync(path, gzipSync(Buffer.alloc(100 * 2 ** 20)));
  const before = process.memoryUsage.rss();
  expect(await read(path)).toEqual({ rows: [], damaged: true });
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 2 ** 20);
});

test('a large tier is the same bytes again, and nothing lies beside it', async () => {
  const path = tempPath();
  const rows = Array.from({ length: 400 }, (_, n) =>
    row(n, `${n} ${'some words of a line\n'.repeat(3000)}`),
  );
  await write(path, rows);
  const bytes = readFileSync(path);
  await write(path, rows);
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(readdirSync(dirname(path))).toHaveLength(1);
});

test('a tier whose file is not what was written is an error', async () => {
  const path = tempPath();
  const written = writeTier(
    path,
    (async function* () {
      yield row(1, 'kettle');
      // Another program puts its own file in the place of the temporary one.
      await expect.poll(() => readdirSync(dirname(path))).toHaveLength(1);
      for (const name of readdirSync(dirname(path))) {
        rmSync(join(dirname(path), name));
        writeFileSync(join(dirname(path), name), 'not what was written');
      }
    })(),
  );
  await expect(written).rejects.toThrow(/has 0 of 1 entries after writing/);
});

test('a command is in the tier of its call alone', async () => {
  const path = tempPath();
  const of = (role: string, call: string | null) => ({
    ...row(1, role),
    role,
    call,
    command: 'make brew',
  });
  await write(path, [
    of('tool_call', 'a'),
    of('tool_result', 'a'),
    of('tool_result', 'b'),
    of('tool_result', null),
  ]);
  const { rows } = await read(path);
  expect(rows.map(({ command }) => command)).toEqual(['make brew', 'make brew', null, 'make brew']);
});
