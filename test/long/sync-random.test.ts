/**
 * Random machines of one person: each learns, forgets and purges at random moments by a clock of
 * its own, files are half copied or lost on the way. However it went, a few quiet rounds bring all
 * to the same bytes, and nothing that was purged is anywhere.
 */
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../folder.js';
import { type Stage, setStage } from '../stage.js';
import { says, shell } from '../jobs/made-log.js';
import { seeded } from '../redact/made-up.js';

const THINGS = 'boiler lid hinge whistle funnel spout handle gasket thermostat tray'.split(' ');
/** Stands in what is purged, and nowhere else. */
const SECRET = 'Zanzibar';

/** Clocks of a person's machines differ by hours, and one may be set to another day. */
function machine(n: number, skewMinutes: number): Stage {
  const stage = setStage({
    now: new Date(Date.parse('2026-11-20T12:00:00Z') + skewMinutes * 60_000).toISOString(),
  });
  stage.put('kettle/.git/config', '[remote "origin"]\n\turl = git@example.org:ann/kettle.git\n');
  stage.put('kettle/.git/HEAD', 'ref: refs/heads/main\n');
  stage.put('names.txt', String(n));
  return stage;
}

function crystals(stage: Stage): string[] {
  const slugs = readdirSync(join(stage.stone, 'projects')).filter((name) => !name.startsWith('.'));
  return ['global', ...slugs.sort().map((slug) => `projects/${slug}`)].map((folder) =>
    stage.read(`${folder}/crystal.json`),
  );
}

test.each([2, 3])(
  'any order, losses and clocks end in the same bytes (seed %i)',
  { timeout: 300_000 },
  async (seed) => {
    const random = seeded(seed);
    const below = (n: number): number => Math.floor(random() * n);
    const folder = testFolder();
    const machines = Array.from({ length: 2 + below(2) }, (_, n) => machine(n, below(3000) - 1500));
    let told = 0;
    const learn = async (stage: Stage): Promise<void> => {
      const session = `${String(++told).padStart(8, '0')}-1111-4111-8111-111111111111`;
      const thing = THINGS[told % THINGS.length]!;
      const sentence =
        told === 2
          ? `Always call the buyer ${SECRET} Traders in mails.`
          : `Always clean the ${thing} before round ${told}.`;
      stage.log(
        {
          session,
          cwd: join(stage.home, 'kettle'),
          day: `2026-11-${String(10 + (told % 9)).padStart(2, '0')}`,
        },
        [says(`Remember: ${sentence}`), shell('make brew', 'ok, 12 passed', 0)],
      );
      await stage.type('run');
    };
    const sync = async (stage: Stage): Promise<void> =>
      expect([0, 3]).toContain((await stage.type('sync', folder)).code);
    for (const stage of machines) await learn(stage);
    await machines[1]!.type('lessons', 'add', `${SECRET} pays late`, '--project', 'kettle');
    for (let step = 0; step < 10; step++) {
      const stage = machines[below(machines.length)]!;
      stage.now = new Date(stage.now.getTime() + 60_000 * (1 + below(300)));
      const what = below(7);
      if (what === 0) await learn(stage);
      else if (what === 1) await stage.type('lessons', 'forget', THINGS[1 + below(told)] ?? 'lid');
      else if (what === 2)
        await stage.type(
          'lessons',
          'add',
          `The ${THINGS[below(10)]} is of tin ${step}`,
          '--project',
          'kettle',
        );
      else if (what === 3 && step > 3) {
        expect([0, 3]).toContain((await stage.type('purge', '--match', SECRET, '--yes')).code);
      } else if (what === 4) {
        // A synchroniser in the middle of its work, or one that lost a file.
        const name = readdirSync(folder)[below(3)];
        if (name !== undefined && below(2) === 0) rmSync(join(folder, name));
        else if (name !== undefined) {
          const whole = readFileSync(join(folder, name));
          writeFileSync(join(folder, name), whole.subarray(0, whole.length / 2));
          await sync(machines[below(machines.length)]!);
          // The machine whose file it is writes it anew when it is gone; one that is there again is
          // whole.
          if (readdirSync(folder).includes(name)) writeFileSync(join(folder, name), whole);
        }
      } else await sync(stage);
    }
    const last = machines[0]!;
    for (let round = 0; round < 2; round++) for (const stage of machines) await sync(stage);
    expect((await last.type('purge', '--match', SECRET, '--yes')).code).toBeLessThanOrEqual(3);
    for (let round = 0; round < 3; round++) for (const stage of machines) await sync(stage);
    const [first, ...others] = machines.map(crystals);
    for (const other of others) expect(other).toEqual(first);
    expect(
      first!
        .join('\n')
        .split('\n')
        .filter((line) => line.includes(SECRET)),
    ).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.startsWith('dripstone-'))).toHaveLength(
      machines.length,
    );
    for (const stage of machines)
      expect(
        (
          await stage.type('search', SECRET, '--project', 'all', '--mode', 'exact', '--json')
        ).json(),
      ).toMatchObject({ hits: [] });
  },
);
