/** Editing where people look: detail/*.md on a real home. */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type App, createApp } from '../../src/app.js';
import { learnProjects } from '../../src/jobs/learning/learn.js';
import { publishProjects } from '../../src/jobs/publishing/context.js';
import { loadProjects } from '../../src/store/index.js';
import { begunStage } from '../commands/begun-stage.js';
import type { Stage } from '../commands/stage.js';
import { seeded, TOKENS } from '../redact/made-up.js';
import { claudeLog, says, shell } from './made-log.js';

const NOON = Date.parse('2026-11-20T12:00:00Z') / 1000;
const LOG = '.claude/projects/-home-ann-kettle/11111111-1111-4111-8111-111111111111.jsonl';
const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  stage.put(
    LOG,
    claudeLog(
      {
        session: '11111111-1111-4111-8111-111111111111',
        cwd: '/home/ann/kettle',
        day: '2026-11-10',
      },
      [
        says('Remember: Always run the kettle tests with `make brew` here, never with npm.'),
        shell('make brew', 'ok, 12 passed', 0),
        says('Remember: Always use tabs for the recipes, never spaces'),
      ],
    ),
  );
  expect((await stage.type('run')).err).toBe('');
});
function folderOf(stage: Stage): string {
  return join(
    stage.stone,
    'projects',
    readdirSync(join(stage.stone, 'projects')).find((name) => !name.startsWith('.'))!,
  );
}
function detail(stage: Stage, file: string): string {
  return join(folderOf(stage), 'detail', `${file}.md`);
}
/** Saved at noon of the stage's day. */
function change(path: string, how: (text: string) => string): void {
  writeFileSync(path, how(readFileSync(path, 'utf8')));
  utimesSync(path, NOON, NOON);
}
const TOKEN = TOKENS.find(({ name }) => name === 'github-pat')!.secret(seeded(3));
/** Files of the home that hold a text; nobody has the database open now. */
function holding(stage: Stage, text: string): string[] {
  return readdirSync(stage.stone, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      statSync(join(stage.stone, name)).isFile() &&
      readFileSync(join(stage.stone, name)).includes(text),
  );
}
async function listed(
  stage: Stage,
): Promise<{ text: string; kind: string; said_by: string; status: string }[]> {
  return (await stage.type('lessons', 'list', '--project', 'all', '--all', '--json')).json<{
    lessons: { text: string; kind: string; said_by: string; status: string }[];
  }>().lessons;
}

test('a lesson of the person under an id that is none counts under its own; one that is too long is refused, and nothing stops', async () => {
  const stage = await begun();
  const crystal = join(folderOf(stage), 'crystal.json');
  change(crystal, (text) => {
    const file = JSON.parse(text) as { lessons: object[]; written: object };
    file.lessons.push(
      { id: '__proto__', kind: 'fact', text: 'The cache must be warm' },
      { kind: 'fact', text: 'x'.repeat(2001) },
    );
    return JSON.stringify(file);
  });
  for (const text of ['`'.repeat(40_000), 'T'.repeat(60_000)]) {
    const refused = await stage.type('lessons', 'add', `Use ${text}`, '--project', 'kettle');
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('at most 2000 characters') as string,
    ]);
  }
  expect((await stage.type('run')).code).toBe(0);
  const texts = (await listed(stage)).map(({ text }) => text);
  expect(texts.filter((text) => text.includes('warm') || text.length > 2000)).toEqual([
    'The cache must be warm',
  ]);
  expect(readFileSync(crystal, 'utf8')).not.toMatch(/__proto__|x{2001}/);
  expect(readFileSync(`${crystal}.bad`, 'utf8')).toMatch(/x{2001}/);
});

test('a changed, a removed and an added bullet are taken in before the next write, and outlive the database; undo takes the newest back', async () => {
  const stage = await begun();
  const preferences = detail(stage, 'preferences');
  expect(readFileSync(preferences, 'utf8')).toContain('tabs for the recipes');
  change(preferences, (text) =>
    text
      .replace(
        'Always use tabs for the recipes, never spaces',
        'Always use two spaces for the recipes',
      )
      .replace(/- Always run[^\n]*\n(?: {2}- [^\n]*\n)*/, ''),
  );
  change(detail(stage, 'facts'), (text) =>
    text.replace('<!--', `- The kettle holds two litres\n- The pump asks for ${TOKEN}\n\n<!--`),
  );
  expect((await stage.type('run')).err).toBe('');
  const look = async () => {
    const all = await listed(stage);
    expect(all).toContainEqual(
      expect.objectContaining({
        text: expect.stringMatching(/^The pump asks for \[REDACTED:/) as string,
        status: 'live',
      }),
    );
    expect(holding(stage, TOKEN)).toEqual([]);
    expect(all).toContainEqual(
      expect.objectContaining({
        text: 'Always use two spaces for the recipes',
        said_by: 'user',
        status: 'live',
      }),
    );
    expect(all).toContainEqual(
      expect.objectContaining({
        text: 'The kettle holds two litres',
        kind: 'fact',
        said_by: 'user',
        status: 'live',
      }),
    );
    expect(
      all.filter(({ text, status }) => text.includes('with npm') && status !== 'forgotten'),
    ).toEqual([]);
  };
  await look();
  expect(readFileSync(preferences, 'utf8')).toContain('two spaces for the recipes');
  for (const name of readdirSync(stage.stone))
    if (name.startsWith('memory.duckdb')) rmSync(join(stage.stone, name));
  expect((await stage.type('run')).err).toBe('');
  await look();
  const bytes = readFileSync(preferences, 'utf8');
  await stage.type('run');
  expect(readFileSync(preferences, 'utf8')).toBe(bytes);

  stage.now = new Date('2026-11-20T12:05:00Z');
  await stage.type('lessons', 'add', 'Kettles are steel', '--kind', 'fact', '--project', 'kettle');
  expect((await listed(stage)).map(({ text }) => text)).toContain('Kettles are steel');
  expect((await stage.type('lessons', 'undo')).code).toBe(0);
  expect((await listed(stage)).map(({ text }) => text)).not.toContain('Kettles are steel');
  await look();
});

test('the file and the crystal changed alike: what was saved last stands', async () => {
  const stage = await begun();
  const crystal = join(folderOf(stage), 'crystal.json');
  expect((await stage.type('crystallize')).code).toBe(0);
  change(crystal, (text) =>
    text.replace(
      'Always use tabs for the recipes, never spaces"',
      'Crystal words for the recipes"',
    ),
  );
  change(detail(stage, 'preferences'), (text) =>
    text.replace('Always use tabs for the recipes, never spaces', 'Detail words for the recipes'),
  );
  utimesSync(detail(stage, 'preferences'), NOON + 1, NOON + 1);
  expect((await stage.type('run')).err).toBe('');
  const texts = (await listed(stage)).map(({ text }) => text);
  expect(texts).toContain('Detail words for the recipes');
  expect(texts).not.toContain('Crystal words for the recipes');
});

test('what is no bullet is kept beside the file and named by status; nothing is overwritten unseen', async () => {
  const stage = await begun();
  const facts = detail(stage, 'facts');
  appendFileSync(facts, '\nA thought of mine.\n');
  expect((await stage.type('run')).code).toBe(0);
  expect(readFileSync(`${facts}.bad`, 'utf8')).toContain('A thought of mine.');
  expect(readFileSync(facts, 'utf8')).not.toContain('A thought of mine.');
  writeFileSync(facts, 'all my own now');
  expect((await stage.type('run')).code).toBe(0);
  expect(readFileSync(`${facts}.bad-2`, 'utf8')).toBe('all my own now');
  const { degraded } = (await stage.type('status', '--json')).json<{
    degraded: { code: string; text: string }[];
  }>();
  expect(degraded.map(({ code }) => code).filter((code) => code.startsWith('DETAIL'))).toEqual([
    'DETAIL_UNREADABLE',
    'DETAIL_UNREADABLE',
  ]);
  expect(degraded[0]!.text).toContain('facts.md.bad');
  // A kept version that the person took away leaves a gap, and the next one overwrites none of the
  // others.
  rmSync(`${facts}.bad`);
  writeFileSync(facts, 'three of my own');
  expect((await stage.type('run')).code).toBe(0);
  expect(['.bad', '.bad-2'].map((end) => readFileSync(facts + end, 'utf8'))).toEqual([
    'three of my own',
    'all my own now',
  ]);
});

/**
 * A folder in which nothing can be made: for root, whom no mode stops, a mount of its own. @returns
 * what makes it writable again
 */
function lockFolder(folder: string): (() => void) | null {
  if (process.getuid?.() !== 0) {
    chmodSync(folder, 0o500);
    return () => chmodSync(folder, 0o700);
  }
  const mount = (...args: string[]): boolean => spawnSync('mount', args).status === 0;
  if (!mount('--bind', folder, folder)) return null;
  const unlock = (): void => void spawnSync('umount', [folder]);
  if (mount('-o', 'remount,bind,ro', folder)) return unlock;
  unlock();
  return null;
}

test('a detail file that cannot be kept aside stays as the person left it, is taken in later, and keeps no other project from being learnt', async (test) => {
  const stage = await begun();
  const facts = detail(stage, 'facts');
  writeFileSync(facts, 'all my own now');
  const other = '22222222-2222-4222-8222-222222222222';
  stage.put(
    `.claude/projects/-home-ann-pot/${other}.jsonl`,
    claudeLog({ session: other, cwd: '/home/ann/pot', day: '2026-11-11' }, [
      says('Remember: Always warm the pot before the tests run here.'),
    ]),
  );
  const unlock = lockFolder(join(folderOf(stage), 'detail'));
  test.skip(unlock === null, 'nothing may be mounted here');
  try {
    await stage.type('run');
    expect(readFileSync(facts, 'utf8')).toBe('all my own now');
    expect((await listed(stage)).map(({ text }) => text).join()).toContain('warm the pot');
  } finally {
    unlock!();
  }
  expect((await stage.type('run')).code).toBe(0);
  expect(readFileSync(`${facts}.bad`, 'utf8')).toBe('all my own now');
  expect(readFileSync(facts, 'utf8')).not.toBe('all my own now');
});

test('a bullet that is saved while the files are made is not overwritten, and taken in the next time', async () => {
  const stage = await begun();
  const facts = detail(stage, 'facts');
  change(facts, (text) => text.replace('<!--', '- The kettle holds two litres\n\n<!--'));
  let renders = 0;
  {
    await using app = await createApp({ ...stage.io(), access: 'write' });
    const project = (await app.store.read((db) => loadProjects(db)))[0]!;
    await learnProjects(app, [project]);
    const run: App['compute']['run'] = (task, ...material) => {
      if (task === 'render' && renders++ === 0)
        change(facts, (text) => text.replace('two litres', 'three litres'));
      return app.compute.run(task, ...material);
    };
    await publishProjects({ ...app, compute: { ...app.compute, run } }, [project]);
    expect(renders).toBe(1);
  }
  expect(readFileSync(facts, 'utf8')).toContain('three litres');
  expect((await stage.type('run')).err).toBe('');
  expect(
    (await listed(stage)).filter(({ status }) => status === 'live').map(({ text }) => text),
  ).toContain('The kettle holds three litres');
});

test('a bullet that is taken away alone is forgotten; its lines of counts are no words of the person', async () => {
  const stage = await begun();
  const path = detail(stage, 'preferences');
  const bullets = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- '));
  expect(bullets.length).toBeGreaterThan(1);
  change(path, (text) => text.replace(`${bullets.at(-1)}\n`, ''));
  expect(await stage.type('run')).toMatchObject({ code: 0, err: '' });
  expect(
    readdirSync(join(folderOf(stage), 'detail')).filter((name) => name.includes('.bad')),
  ).toEqual([]);
  expect((await listed(stage)).filter(({ status }) => status === 'forgotten')).toHaveLength(1);
  expect(readFileSync(path, 'utf8')).not.toContain(bullets.at(-1));
});
