import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadCheckpoints, openStore } from '../../src/store/index.js';
import { tempFolder, testClock } from './build.js';
import { startChild } from './children.js';
import { runs } from '../runs.js';

const ROUNDS = runs(2, 24);

test(`kill -9 in the middle of commits, ${ROUNDS} rounds: entries and checkpoint always agree, nothing acknowledged is lost, nothing is double`, async () => {
  const path = join(await tempFolder(), 'memory.duckdb');
  let acknowledged = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const child = startChild('commit-loop', [path, '300']);
    // Another number of commits each round, so that the kill meets commits, checkpoints, closing
    // and opening of slices.
    await child.line(
      (line) =>
        line.startsWith('done') &&
        child.lines.filter((l) => l.startsWith('done')).length > 1 + ((round * 5) % 11),
    );
    child.process.kill('SIGKILL');
    await child.ended;
    acknowledged = Math.max(acknowledged, ...child.lines.map((line) => Number(line.split(' ')[1])));
    const store = openStore({ path, clock: testClock(), lockWaitMs: 0 });
    await store.read(async (db) => {
      const [saved] = await loadCheckpoints(db);
      const [row] = await db.all<Record<string, number>>(
        `SELECT count(*) AS entries, count(DISTINCT id) AS ids, max(line) AS last, (SELECT count(*) FROM own.texts) AS texts,
           (SELECT count(*) FROM own.postings) AS postings FROM own.entries`,
      );
      const offset = saved?.offset ?? 0;
      expect(offset).toBeGreaterThanOrEqual(acknowledged);
      expect(row).toEqual({
        entries: offset,
        ids: offset,
        last: offset - 1,
        texts: offset,
        postings: 2 * offset,
      });
    });
    await store.close();
  }
  expect(acknowledged).toBeGreaterThan(ROUNDS * 300);
});
