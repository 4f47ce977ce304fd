/**
 * Machines of one person that meet in a folder: in any order, with files half copied or lost for a
 * while, with purges on the way.
 */
import { cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../folder.js';
import { type Stage, setStage } from '../stage.js';
import { seeded } from '../redact/made-up.js';
import { claudeLog, says, shell } from '../jobs/made-log.js';

function log(stage: Stage, n: number, day: string, sentence: string): void {
  const session = `${String(n).repeat(8)}-1111-4111-8111-111111111111`;
  stage.put(
    `.claude/projects/-kettle/${session}.jsonl`,
    claudeLog({ session, cwd: join(stage.home, 'kettle'), day }, [
      says(`Remember: ${sentence}`),
      shell('make brew', 'ok, 12 passed', 0),
    ]),
  );
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

function crystals(stage: Stage): string[] {
  const slugs = readdirSync(join(stage.stone, 'projects')).filter((name) => !name.startsWith('.'));
  return ['global', ...slugs.sort().map((slug) => `projects/${slug}`)].map((folder) =>
    stage.read(`${folder}/crystal.json`),
  );
}

async function sync(stage: Stage, folder: string): Promise<Record<string, unknown>> {
  const said = await stage.type('sync', folder, '--json');
  expect([said.code, said.err]).toEqual([0, '']);
  return said.json();
}

async function texts(stage: Stage): Promise<string> {
  const { lessons } = (await stage.type('lessons', 'list', '--project', 'all', '--json')).json<{
    lessons: { text: string }[];
  }>();
  return lessons.map(({ text }) => text).join('\n');
}

const SAID = [
  'Always run the kettle tests with `make brew` here, never with npm.',
  'Never push to main on Fridays, always open a branch.',
  'Always descale the boiler with citric acid, never with vinegar.',
];

describe('sync', { timeout: 120_000 }, () => {
  test('three machines in any order end with the same bytes; again changes no byte; one file each', async () => {
    const folder = testFolder();
    const machines = [];
    for (const [n, sentence] of SAID.entries()) machines.push(await machine(n + 1, sentence));
    const random = seeded(7);
    // Some rounds in a random order, then each often enough for what the last one learnt to reach
    // the first.
    const turns = Array.from({ length: 5 }, () => Math.floor(random() * 3));
    for (const turn of [...turns, 0, 1, 2, 0, 1, 2]) await sync(machines[turn]!, folder);
    const [first, ...others] = machines.map(crystals);
    for (const other of others) expect(other).toEqual(first);
    for (const sentence of SAID) expect(await texts(machines[0]!)).toContain(sentence.slice(0, -1));
    expect(readdirSync(folder)).toHaveLength(3);
    const before = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
    for (const stage of machines)
      expect(await sync(stage, folder)).toMatchObject({
        written: false,
        taken: 0,
        machines: 2,
        left: [],
      });
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))).toEqual(
      before,
    );
  });

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

  test('a purge travels and wins: lessons, hand edits and entries of the same log go, and no file there holds it', async () => {
    const folder = testFolder();
    const [one, two] = [await machine(1, SAID[0]!), await machine(2, SAID[1]!)];
    // Both read the same log of a third machine, as a synchronised home has it.
    for (const stage of [one, two]) {
      log(
        stage,
        5,
        '2026-11-15',
        'Always call the buyer Zanzibar Traders in the mails, never by another name.',
      );
      await stage.type('run');
    }
    await one.type('lessons', 'add', 'Zanzibar pays late', '--project', 'kettle');
    for (const stage of [one, two, one]) await sync(stage, folder);
    expect(await texts(two)).toContain('Zanzibar pays late');
    const purged = await one.type('purge', '--match', 'Zanzibar', '--yes');
    expect(purged.code).toBe(0);
    for (const stage of [one, two, one, two]) await sync(stage, folder);
    for (const stage of [one, two]) {
      expect(await texts(stage)).not.toContain('Zanzibar');
      expect(
        (
          await stage.type('search', 'Zanzibar', '--project', 'all', '--mode', 'exact', '--json')
        ).json(),
      ).toMatchObject({ hits: [] });
      for (const text of crystals(stage)) expect(text).not.toContain('Zanzibar');
    }
    for (const name of readdirSync(folder)) {
      const other = setStage();
      await other.type('import', join(folder, name));
      expect(await texts(other)).not.toContain('Zanzibar');
    }
    expect(await texts(two)).toContain('Fridays');
  });
});
