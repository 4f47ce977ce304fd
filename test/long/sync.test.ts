/**
 * Machines of one person that meet in a folder: in any order, with files half copied or lost for a
 * while, with purges on the way.
 */
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../folder.js';
import { type Stage, setStage } from '../stage.js';
import { says, shell } from '../jobs/made-log.js';

function log(stage: Stage, n: number, day: string, sentence: string): void {
  const session = `${String(n).repeat(8)}-1111-4111-8111-111111111111`;
  stage.log({ session, cwd: join(stage.home, 'kettle'), day }, [
    says(`Remember: ${sentence}`),
    shell('make brew', 'ok, 12 passed', 0),
  ]);
}

/** A clone of one repository on each machine; the clocks differ by up to an hour. */
async function machine(n: number, sentence: string): Promise<Stage> {
  const stage = setStage({ now: `2026-11-20T12:${String(n * 11).padStart(2, '0')}:00Z` });
  stage.put('kettle/.git/config', '[remote "origin"]\n\turl = git@example.org:ann/kettle.git\n');
  stage.put('kettle/.git/HEAD', 'ref: refs/heads/main\n');
  log(stage, n, `2026-11-1${n}`, sentence);
  expect((await stage.type('run')).err).toBe('');
  return stage;
}

async function sync(stage: Stage, folder: string): Promise<Record<string, unknown>> {
  const said = await stage.type('sync', folder, '--json');
  expect([said.code, said.err]).toEqual([0, '']);
  return said.json();
}

async function texts(stage: Stage): Promise<string> {
  const lessons = await stage.lessons('--project', 'all');
  return lessons.map(({ text }) => text).join('\n');
}

const SAID = [
  'Always run the kettle tests with `make brew` here, never with npm.',
  'Never push to main on Fridays, always open a branch.',
  'Always descale the boiler with citric acid, never with vinegar.',
];

describe('sync', { timeout: 120_000 }, () => {
  test('a file that is half copied is left until it is whole, a strange one is named, and neither stops the rest', async () => {
    const [folder, slow] = [testFolder(), testFolder()];
    const [one, two] = [await machine(1, SAID[0]!), await machine(2, SAID[1]!)];
    await sync(one, folder);
    const [name] = readdirSync(folder);
    const whole = readFileSync(join(folder, name!));
    writeFileSync(join(slow, name!), whole.subarray(0, whole.length / 2));
    writeFileSync(join(slow, 'dripstone notes.txt'), 'of a person');
    expect(await sync(two, slow)).toMatchObject({
      taken: 0,
      left: [{ file: name, reason: 'not whole yet' }],
      written: true,
    });
    cpSync(join(folder, name!), join(slow, name!));
    expect(await sync(two, slow)).toMatchObject({ taken: 1, left: [] });
    expect(await texts(two)).toContain('make brew');
    expect((await two.type('sync', join(slow, 'gone'))).code).toBe(2);
    two.caller = { kind: 'agent', name: 'toy' };
    expect((await two.type('sync', slow)).code).toBe(1);
  });

  test('notes and config.yaml: new lines are added, nothing is taken away, and no option comes in', async () => {
    const folder = testFolder();
    const [one, two] = [await machine(1, SAID[0]!), await machine(2, SAID[1]!)];
    const notes = (stage: Stage): string => join(stage.folder(), 'notes.md');
    writeFileSync(notes(one), 'the kettle whistles\nthe lid sticks\n');
    writeFileSync(
      join(one.stone, 'config.yaml'),
      'embed: {enabled: false}\ncontext: {budget_tokens: 700}\n',
    );
    for (const stage of [one, two]) await sync(stage, folder);
    expect(readFileSync(notes(two), 'utf8')).toContain('the lid sticks');
    writeFileSync(notes(one), 'the kettle whistles\n');
    for (const stage of [one, two]) await sync(stage, folder);
    expect(readFileSync(notes(two), 'utf8')).toContain('the lid sticks');
    expect(two.read('config.yaml')).not.toContain('budget_tokens');
  });
});
