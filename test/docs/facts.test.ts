/**
 * docs/database.md names every fact query, and each macro has the columns of the view.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { FACT_NAMES } from '../../src/types.js';
import { type Stage, samples, setStage } from '../stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = setStage({ from: samples });
  await stage.type('run');
});
const ask = async (sql: string): Promise<Record<string, unknown>[]> => {
  const said = await stage.type('sql', sql);
  expect(said.err, sql).toBe('');
  return said.out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

test('each kind has its row, and no row is of a kind that is gone', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/database.md'), 'utf8');
  const rows = [...page.matchAll(/^\| fact_(\w+) \|/gm)].map(([, name]) => name!);
  expect(rows.sort()).toEqual([...FACT_NAMES].sort());
});

test('each macro has the columns of the view `facts`', async () => {
  const columns = async (from: string): Promise<unknown[]> =>
    (await ask(`SELECT column_name AS name FROM (DESCRIBE FROM ${from})`))
      .map(({ name }) => name)
      .sort();
  const wanted = await columns('facts');
  for (const name of FACT_NAMES)
    expect(await columns(`fact_${name}(now() AT TIME ZONE 'UTC')`), name).toEqual(wanted);
});
