/**
 * What one machine purges goes from the others, whatever hands did to its lessons there and here,
 * and each proves it.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../folder.js';
import { type Stage, setStage } from '../stage.js';
import { answers, says, shell } from '../jobs/made-log.js';
import { holding } from '../folder.js';

const RULES = {
  Zephyrcorp: 'Always call the client Zephyrcorp by its code name',
  Quixotron: 'Never deploy the billing service before Quixotron signs it off',
  Marblewing: 'Always put the invoices of Marblewing into the ledger folder',
  Foxglade: 'Never send mail to the people of Foxglade from a script',
};
const NAMES = Object.keys(RULES);

/** One session a name, each with a rule about it. */
function logs(stage: Stage): void {
  Object.values(RULES).forEach((rule, at) => {
    const session = `${String(at + 1).repeat(8)}-1111-4111-8111-111111111111`;
    stage.log({ session, cwd: '/home/ann/shop', day: `2026-11-1${at}` }, [
      says('Please look at the failing tests'),
      answers('I will look.'),
      says(`Remember: ${rule}`),
      answers('Yes.'),
      shell('make test', 'ok', 0),
    ]);
  });
}

async function sync(stage: Stage, folder: string): Promise<Record<string, unknown>> {
  stage.now = new Date(+stage.now + 60_000);
  const said = await stage.type('sync', folder, '--json');
  expect([said.code, said.err, said.code === 0 ? '' : said.out]).toEqual([0, '', '']);
  return said.json();
}

test('lessons untouched, pinned, forgotten and taken back, and reworded go from both machines to the last byte', async () => {
  const [one, two, folder] = [setStage(), setStage(), testFolder()];
  logs(one);
  expect((await one.type('run')).err).toBe('');
  for (const words of [
    ['pin', 'Zephyrcorp'],
    ['forget', 'Quixotron'],
    ['undo'],
    ['edit', 'Marblewing', 'Always put the invoices of Marblewing into the red folder'],
  ])
    expect((await one.type('lessons', ...words)).err).not.toContain('dripstone:');
  await sync(one, folder);
  await sync(two, folder);
  expect((await two.type('lessons', 'pin', 'Foxglade')).code).toBe(0);
  for (const name of NAMES)
    expect(holding(two.stone, name)).toContain(join(two.stone, 'memory.duckdb'));
  for (const name of NAMES)
    expect((await one.type('purge', '--match', name, '--yes')).code).toBe(0);
  // Nobody has to synchronise again for what this machine sent to be clean; the other one's file is
  // the other's.
  expect(holding(folder, NAMES[0]!)).toHaveLength(1);
  await sync(one, folder);
  expect(await sync(two, folder)).toMatchObject({
    purged: [{ entries: 0, proof: { clean: true } }],
  });
  for (const name of NAMES) expect([name, ...holding(two.stone, name)]).toEqual([name]);
  // The first takes in what the second had written meanwhile, and neither teaches the other anew.
  for (const stage of [one, two, one]) await sync(stage, folder);
  for (const name of NAMES)
    for (const place of [one.stone, two.stone, folder])
      expect([name, ...holding(place, name)]).toEqual([name]);
  expect(two.read(`projects/${two.slug('shop')}/crystal.json`)).toContain('make test');
});
