/** The views as Parquet files: the same rows, each once, in a folder that nothing else uses. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../folder.js';
import { samplesStage } from '../stage.js';

test('every view has its rows, by month and project, and a second export takes the place of the first', async () => {
  const stage = await samplesStage();
  const folder = join(testFolder(), "ann's rows");
  for (let round = 0; round < 2; round++) {
    const said = await stage.type('export', '--parquet', folder, '--json');
    expect([said.code, said.err]).toEqual([0, '']);
    const { rows } = said.json<{ rows: Record<string, number> }>();
    expect(Object.keys(rows).sort()).toEqual(
      readdirSync(folder)
        .filter((name) => name !== '_dripstone')
        .sort(),
    );
    expect(rows).toMatchObject({ projects: 2, sessions: expect.any(Number) as number });
    await stage.ask(async (db) => {
      for (const [view, count] of Object.entries(rows)) {
        const files = `read_parquet('${join(folder, view).replaceAll("'", "''")}/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)`;
        const columns = await db.all<{ name: string }>(
          `SELECT column_name AS name FROM (DESCRIBE main."${view}")`,
        );
        const listed = columns.map(({ name }) => `"${name}"`).join(', ');
        const from = [`main."${view}"`, files];
        const sums = from.map(
          (each) =>
            `SELECT count(*) AS rows, sum(hash(t))::VARCHAR AS sum FROM (SELECT ${listed} FROM ${each}) t`,
        );
        const [own, written] = [await db.all(sums[0]!), await db.all(sums[1]!)];
        expect(written, view).toEqual(own);
        expect(written, view).toMatchObject([{ rows: count }]);
      }
    });
  }
  const months = readdirSync(join(folder, 'entries'));
  expect(months).toContain('month=2026-11');
  expect(readdirSync(join(folder, 'entries', 'month=2026-11')).sort()).toEqual([
    expect.stringMatching(/^project=lanternfish-/),
    expect.stringMatching(/^project=tidepool-/),
  ]);
  expect(readdirSync(join(folder, '..'))).toEqual(["ann's rows"]);
});

test('a folder with other files, and one in the home, stay as they are', async () => {
  const stage = await samplesStage();
  const mine = join(testFolder(), 'mine');
  mkdirSync(mine);
  writeFileSync(join(mine, 'precious'), 'mine');
  for (const folder of [mine, join(mine, 'precious'), join(stage.stone, 'rows')]) {
    const said = await stage.type('export', '--parquet', folder);
    expect([said.code, said.out]).toEqual([2, '']);
  }
  expect(readdirSync(mine)).toEqual(['precious']);
  expect(existsSync(join(stage.stone, 'rows'))).toBe(false);
});
