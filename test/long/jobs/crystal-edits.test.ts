/** A person edits crystal.json of a real home; detail/*.md is output. */
import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../../src/app.js';
import { learnProjects } from '../../../src/jobs/learning/learn.js';
import { writeCrystals } from '../../../src/jobs/publishing/write-crystal.js';
import { loadProjects } from '../../../src/store/index.js';
import { type Stage, begunStage } from '../../stage.js';
import { seeded, TOKENS } from '../../redact/made-up.js';
import { claudeLog, says, shell } from '../../jobs/made-log.js';
import { holding } from '../../folder.js';

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
function detail(stage: Stage, file: string): string {
  return join(stage.folder(), 'detail', `${file}.md`);
}
/** Saved at noon of the stage's day. */
function change(path: string, how: (text: string) => string): void {
  writeFileSync(path, how(readFileSync(path, 'utf8')));
  utimesSync(path, NOON, NOON);
}
interface CrystalFile {
  lessons: { kind: string; text: string; id?: string }[];
}
function changeCrystal(path: string, how: (file: CrystalFile) => CrystalFile): void {
  change(path, (text) => JSON.stringify(how(JSON.parse(text) as CrystalFile)));
}
const TOKEN = TOKENS.find(({ name }) => name === 'github-pat')!.secret(seeded(3));

test('a lesson of the person under an id that is none counts under its own; one that is too long is refused, and nothing stops', async () => {
  const stage = await begun();
  const crystal = join(stage.folder(), 'crystal.json');
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
  const texts = (await stage.lessons('--project', 'all', '--all')).map(({ text }) => text);
  expect(texts.filter((text) => text.includes('warm') || text.length > 2000)).toEqual([
    'The cache must be warm',
  ]);
  expect(readFileSync(crystal, 'utf8')).not.toMatch(/__proto__|x{2001}/);
  expect(readFileSync(`${crystal}.bad`, 'utf8')).toMatch(/x{2001}/);
});

test('a changed, a removed and an added lesson are read before the next write; they outlive the database', async () => {
  const stage = await begun();
  const crystal = join(stage.folder(), 'crystal.json');
  expect((await stage.type('crystallize')).code).toBe(0);
  changeCrystal(crystal, (file) => ({
    ...file,
    lessons: [
      ...file.lessons.flatMap((lesson) =>
        lesson.text.includes('with npm')
          ? []
          : [{ ...lesson, text: lesson.text.replace('tabs', 'two spaces') }],
      ),
      { kind: 'fact', text: 'The kettle holds two litres' },
      { kind: 'fact', text: `The pump asks for ${TOKEN}` },
    ],
  }));
  expect((await stage.type('run')).err).toBe('');
  const look = async () => {
    const all = await stage.lessons('--project', 'all', '--all');
    const said = (text: unknown) =>
      expect.objectContaining({ text, said_by: 'user', status: 'live' }) as object;
    expect(all).toContainEqual(said(expect.stringMatching(/^The pump asks for \[REDACTED:/)));
    expect(all).toContainEqual(said(expect.stringMatching(/two spaces for the recipes/)));
    expect(all).toContainEqual(said('The kettle holds two litres'));
    expect(holding(stage.stone, TOKEN)).toEqual([]);
    expect(all.find(({ text }) => text.includes('with npm'))?.status ?? 'forgotten').toBe(
      'forgotten',
    );
  };
  await look();
  expect(readFileSync(detail(stage, 'preferences'), 'utf8')).toContain('two spaces');
  expect((await stage.type('crystallize')).code).toBe(0);
  for (const name of readdirSync(stage.stone))
    if (name.startsWith('memory.duckdb')) rmSync(join(stage.stone, name));
  expect((await stage.type('run')).err).toBe('');
  await look();
});

test('a crystal that is saved while it is rendered is not written over, and read the next time', async () => {
  const stage = await begun();
  const crystal = join(stage.folder(), 'crystal.json');
  expect((await stage.type('crystallize')).code).toBe(0);
  {
    await using app = await createApp({ ...stage.io(), access: 'write' });
    const project = (await app.store.read((db) => loadProjects(db)))[0]!;
    await learnProjects(app, [project]);
    changeCrystal(crystal, (file) => ({
      ...file,
      lessons: [...file.lessons, { kind: 'fact', text: 'The kettle holds three litres' }],
    }));
    expect(await writeCrystals(app, [project])).toEqual([false]);
  }
  expect(readFileSync(crystal, 'utf8')).toContain('three litres');
  expect((await stage.type('run')).err).toBe('');
  expect(
    (await stage.lessons('--project', 'all', '--all'))
      .filter(({ status }) => status === 'live')
      .map(({ text }) => text),
  ).toContain('The kettle holds three litres');
});

test('detail files are output: whatever was written into one is written over', async () => {
  const stage = await begun();
  const before = await stage.lessons('--project', 'all', '--all');
  const facts = detail(stage, 'facts');
  const bytes = readFileSync(facts, 'utf8');
  change(facts, (text) => `${text}- The kettle holds two litres\n`);
  change(detail(stage, 'preferences'), () => 'all my own now');
  expect((await stage.type('run', '--rebuild')).code).toBe(0);
  expect(readFileSync(facts, 'utf8')).toBe(bytes);
  expect(readFileSync(detail(stage, 'preferences'), 'utf8')).toContain('tabs for the recipes');
  expect(await stage.lessons('--project', 'all', '--all')).toEqual(before);
});
