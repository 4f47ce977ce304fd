/** The same logs give the same files, read day by day or all at once years later. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { runAll } from '../../src/jobs/loop.js';
import { type Stage, setStage } from '../stage.js';
import { claudeLog, says, shell, type Turn } from '../jobs/made-log.js';
import { type Plan, plansOf, STATED, storyOf, wholePlan } from '../jobs/stories.js';
import { published, readStory } from '../jobs/story-reading.js';

function stageAt(now: string): Stage {
  return setStage({ now });
}

function session(n: number): string {
  return `${String(n).repeat(8)}-1111-4111-8111-111111111111`;
}
function logOf(n: number, folder: string): string {
  return `.claude/projects/-home-ann-${folder}/${session(n)}.jsonl`;
}
function written(n: number, folder: string, day: string, turns: Turn[], from = 0): string {
  return claudeLog({ session: session(n), cwd: `/home/ann/${folder}`, day, from }, turns);
}

/**
 * One app for all runs of a stage: its threads start once. Gives back a function that runs
 * everything, night included.
 */
async function runner(stage: Stage) {
  const app = await createApp({ ...stage.io(), access: 'write' });
  return {
    run: async () => expect((await runAll(app, {})).errors).toEqual([]),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

/** Three files a run; `make fuzz` reads many stories, a file a run. */
function inThrees(plan: Plan): Plan {
  return plan.filter((_, step) => step % 3 === 2 || step === plan.length - 1);
}

/**
 * It holds forks, two agents, equal times, two folders of one remote and a page that names
 * commands.
 */
test('random logs give the same bytes read in another order, and cut at random places with runs between', async () => {
  const logs = storyOf(2);
  const whole = await readStory(logs, wholePlan(logs));
  expect(Object.keys(whole).length).toBeGreaterThan(5);
  const { backwards, cut } = plansOf(logs, 2, 1);
  for (const plan of [inThrees(backwards), cut]) expect(await readStory(logs, plan)).toEqual(whole);
});

test('stated claims and commands give three homes the same page and crystal: whole, shuffled, cut at random places', async () => {
  const logs = storyOf(3, STATED);
  const lasting = async (plan: Plan): Promise<[string, string][]> =>
    Object.entries(await readStory(logs, plan)).filter(([name]) =>
      /(?:context\.md|crystal\.json)$/.test(name),
    );
  const whole = await lasting(wholePlan(logs));
  expect(whole.flat().join()).toContain('salt');
  const { shuffled, cut } = plansOf(logs, 3, 2);
  for (const plan of [inThrees(shuffled), cut]) expect(await lasting(plan)).toEqual(whole);
});

test('a month of episodes goes with the session that went on into another month, not with one that nobody knows any more', async () => {
  const stage = stageAt('2026-12-01T12:00:00Z');
  const first = written(1, 'kettle', '2026-10-31', [
    says('Fix the lid.'),
    shell('npm test', '12 passed', 0),
  ]);
  stage.put(logOf(1, 'kettle'), first);
  await using all = await runner(stage);
  await all.run();
  const months = (): string[] =>
    Object.keys(published(stage)).filter((name) => name.includes('/episodes/'));
  expect(months()).toEqual([expect.stringMatching(/2026-10\.md$/)]);
  const lost = join(stage.stone, months()[0]!.replace('2026-10', '2025-01'));
  writeFileSync(
    lost,
    '## Long ago\n- Session: `claude-code` `99999999-1111-4111-8111-111111111111`\n',
  );
  stage.put(
    logOf(1, 'kettle'),
    first +
      written(
        1,
        'kettle',
        '2026-11-01',
        [says('Now the handle.'), shell('npm test', '12 passed', 0)],
        30,
      ),
  );
  await all.run();
  expect(months().map((name) => name.slice(-10))).toEqual(['2025-01.md', '2026-11.md']);
});
