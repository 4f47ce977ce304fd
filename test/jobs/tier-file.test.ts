/**
 * Tier files as bytes: what is torn or swollen costs no more than itself, and a rewritten one loses
 * nothing, whatever its size.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { TierRow } from '../../src/jobs/nightly/tier-file.js';
import { scanTier } from '../../src/jobs/nightly/tier-stream.js';
import { rewriteTier, writeTier } from '../../src/jobs/nightly/tier-write.js';
import { testFolder } from '../folder.js';

function tempPath(): string {
  const folder = testFolder();
  return join(folder, '2026-11-20-01234567.jsonl.gz');
}

function id(n: number): string {
  return n.toString(16).padStart(32, '0');
}
function row(
  n: number,
  text: string | null,
  more: Record<string, unknown> = {},
): TierRow & { text: string | null } {
  return { id: id(n), rev: 1, text, path: '/l/a', seq: n, hash: 'h', ...more };
}

/** Writes rows as the night does: each text comes from a store when its turn comes. */
async function write(
  path: string,
  rows: readonly (TierRow & { text: string | null })[],
): Promise<{ rows: number; asked: number[]; bad: string[] }> {
  const texts = new Map(rows.map((each, n) => [n, each.text]));
  const asked: number[] = [];
  const bad: string[] = [];
  const written = await writeTier({
    path,
    fresh: rows.map((each, n) => ({
      n,
      length: Math.ceil((each.text?.length ?? 0) / 6),
      row: { ...each, text: null },
    })),
    textsOf: async (keys) => {
      asked.push(keys.length);
      return new Map(keys.flatMap(({ n }) => (texts.get(n) == null ? [] : [[n, texts.get(n)!]])));
    },
    moved: new Set(),
    onDamaged: (kept) => void bad.push(kept),
  });
  return { rows: written.rows, asked, bad };
}

async function read(path: string): Promise<{ rows: TierRow[]; damaged: boolean }> {
  const rows: TierRow[] = [];
  return { rows, damaged: (await scanTier(path, (each) => void rows.push(each)))!.damaged };
}

test('what was written comes back; a torn end costs only what was torn', async () => {
  const path = tempPath();
  const rows = [row(1, 'tabs'), row(2, 'spaces')];
  await write(path, rows);
  expect(await read(path)).toEqual({ rows, damaged: false });
  writeFileSync(path, readFileSync(path).subarray(0, -9));
  expect((await read(path)).damaged).toBe(true);
  expect((await write(path, rows)).bad).toEqual([`${path}.bad`]);
  expect(await read(path)).toEqual({ rows, damaged: false });
});

test('a bomb is not unpacked into memory', async () => {
  const path = tempPath();
  writeFileSync(path, gzipSync(Buffer.alloc(100 * 2 ** 20)));
  const before = process.memoryUsage.rss();
  expect(await read(path)).toEqual({ rows: [], damaged: true });
  expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 2 ** 20);
});

test('a large tier is written in slices, the same bytes again, and nothing lies beside it', async () => {
  const path = tempPath();
  const rows = Array.from({ length: 400 }, (_, n) =>
    row(n, `${n} ${'some words of a line\n'.repeat(3000)}`),
  );
  const { asked } = await write(path, rows);
  expect(Math.max(...asked)).toBeLessThan(200);
  expect(asked.reduce((a, b) => a + b, 0)).toBe(400);
  const bytes = readFileSync(path);
  await write(path, rows);
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(readdirSync(join(path, '..'))).toHaveLength(1);
});

test('a rewritten tier keeps the rows that only the old file has', async () => {
  const path = tempPath();
  await write(path, [row(1, 'the same'), row(4, 'only in the file'), row(5, 'old version')]);
  await write(path, [
    row(1, 'the same'),
    row(3, 'a late line'),
    row(5, 'new', { rev: 2, hash: 'i' }),
  ]);
  expect((await read(path)).rows.map(({ text }) => text)).toEqual([
    'the same',
    'a late line',
    'only in the file',
    'new',
  ]);
});

test('rows that a purge takes leave the file, the others stay byte for byte', async () => {
  const path = tempPath();
  await write(path, [row(1, 'stays'), row(2, 'goes'), row(3, 'stays too')]);
  await rewriteTier(path, (each) => each !== id(2));
  const lines = gunzipSync(readFileSync(path)).toString('utf8');
  expect(lines).toBe(
    `${JSON.stringify(row(1, 'stays'))}\n${JSON.stringify(row(3, 'stays too'))}\n`,
  );
});
