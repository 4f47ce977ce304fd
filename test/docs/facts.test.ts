/**
 * docs/facts.md and docs/database.md name every fact query, and what they ask is answered over the
 * samples.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { FACT_NAMES } from '../../src/types.js';
import { type Stage, samples, setStage } from '../stage.js';

const read = (page: string): string =>
  readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8');

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

test('each kind has its row on both pages, and no row is of a kind that is gone', () => {
  const rows = (page: string, pattern: RegExp): string[] =>
    [...read(page).matchAll(pattern)].map(([, name]) => name!).sort();
  expect(rows('facts.md', /^\| `(\w+)` \|/gm)).toEqual([...FACT_NAMES].sort());
  expect(rows('database.md', /^\| fact_(\w+) \|/gm)).toEqual([...FACT_NAMES].sort());
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
