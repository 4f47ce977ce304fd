/**
 * Folders that are renamed, joined by the config, or known from another machine keep what was
 * learnt in them.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askRenamed, type Side } from '../../src/jobs/upkeep/renamed-projects.js';
import type { Stage } from '../commands/stage.js';
import { testStage } from '../commands/test-stage.js';
import { claudeLog, says, shell, type Turn } from './made-log.js';

function idOf(digit: number): string {
  return `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;
}
function work(
  stage: Stage,
  digit: number,
  folder: string,
  turns: Turn[],
  day = '2026-11-12',
): string {
  return stage.put(
    `.claude/projects/-p/${idOf(digit)}.jsonl`,
    claudeLog({ session: idOf(digit), cwd: join(stage.home, folder), day }, turns),
  );
}

interface Shown {
  id: string;
  text: string;
  scope: string;
  project: string | null;
}
async function lessons(stage: Stage): Promise<Shown[]> {
  return (await stage.type('lessons', 'list', '--project', 'all', '--json')).json<{
    lessons: Shown[];
  }>().lessons;
}
function slugs(all: readonly Shown[]): string[] {
  return [...new Set(all.flatMap(({ project }) => project ?? []))];
}

test('folders joined by the config are one project at the next run, with every lesson and edit, and nothing becomes global', async () => {
  const stage = testStage();
  for (const digit of [1, 2])
    work(stage, digit, 'shop', [
      says('Remember: always use pnpm instead of npm'),
      shell('pnpm test', 'ok', 0),
    ]);
  for (const digit of [3, 4])
    work(stage, digit, 'till', [
      says('Remember: never push to main directly'),
      says('Remember: count the drawers twice'),
      says('Remember: always use pnpm instead of npm'),
      shell('make lint', 'ok', 0),
    ]);
  expect(await stage.type('run')).toMatchObject({ code: 0 });
  const before = await lessons(stage);
  const till = slugs(before).find((slug) => slug.startsWith('till'))!;
  await stage.type(
    'lessons',
    'add',
    'Tills are open until nine',
    '--kind',
    'fact',
    '--project',
    till,
  );
  await stage.type(
    'lessons',
    'forget',
    before.find(({ text }) => text.includes('push to main'))!.id,
  );
  // What the person changes in the files of the second folder is taken in before it becomes part of
  // another.
  const change = (name: string, from: string, to: string): void => {
    const file = join(stage.stone, 'projects', till, name);
    expect(readFileSync(file, 'utf8')).toContain(from);
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
  };
  change('detail/preferences.md', 'count the drawers twice', 'Count the drawers at nine only');
  change('detail/facts.md', '<!--', '- The till holds four drawers\n\n<!--');
  change(
    'crystal.json',
    '"lessons": [',
    '"lessons": [{"kind": "fact", "text": "The till stands in the hall"},',
  );

  writeFileSync(
    join(stage.stone, 'config.yaml'),
    `embed: {enabled: false}\nprojects: {store: ["${stage.home}/shop", "${stage.home}/till"]}\n`,
  );
  expect(await stage.type('run')).toMatchObject({ code: 0, err: '' });
  const after = await lessons(stage);
  expect(slugs(after)).toHaveLength(1);
  const texts = after.map(({ text }) => text).join('\n');
  expect(texts).toMatch(/pnpm/);
  expect(texts).toMatch(/make lint/);
  expect(texts).toMatch(/Tills are open/);
  expect(texts).not.toMatch(/push to main|drawers twice/);
  for (const own of [
    'Count the drawers at nine only',
    'The till holds four drawers',
    'The till stands in the hall',
  ])
    expect(texts).toContain(own);
  // Said in two folders it counted for the person everywhere; in one project it is a wish for that
  // project.
  expect(before.filter(({ scope }) => scope === 'global')).toHaveLength(1);
  expect(after.filter(({ scope }) => scope === 'global')).toEqual([]);
  // The name in the config is the name, and the old one leads there.
  for (const name of ['store', till])
    expect((await stage.type('context', '--project', name, '--json')).json()).toMatchObject({
      project: slugs(after)[0],
      text: expect.stringContaining('make lint') as string,
    });
  expect(
    (await stage.type('sql', 'SELECT count(DISTINCT project) AS n FROM entries')).out,
  ).toContain('"n":1');
  expect((await stage.type('crystallize')).code).toBe(0);
  expect(await lessons(stage)).toEqual(after);
});

/** A repository as git leaves it after its first commit. */
function repository(stage: Stage, folder: string, first: string, config = ''): void {
  stage.put(`${folder}/.git/HEAD`, 'ref: refs/heads/main\n');
  stage.put(`${folder}/.git/config`, config);
  stage.put(
    `${folder}/.git/logs/HEAD`,
    `${'0'.repeat(40)} ${first.repeat(40)} Ana <ana@example.org> 1790000000 +0200\tcommit (initial): first\n`,
  );
}

/** Edits of files by absolute path. */
function edits(stage: Stage, folder: string, ...files: string[]): Turn[] {
  return files.map((file): Turn => ({
    records: [
      {
        type: 'assistant',
        message: {
          role: 'assistant',
          content: [
            {
              type: 'tool_use',
              id: `toolu_${folder}${file}`,
              name: 'Edit',
              input: {
                file_path: join(stage.home, folder, file),
                old_string: 'a',
                new_string: 'b',
              },
            },
          ],
        },
      },
    ],
  }));
}

const FILES = ['README.md', 'src/pot.ts', 'src/lid.ts', 'src/spout.ts'];

/**
 * A repository of which no log of HEAD is left and one with its history, worked in and then
 * renamed; a third one holds a file of the same name.
 */
async function renamed(stage: Stage): Promise<void> {
  for (const file of FILES) stage.put(`work/old/${file}`, 'x');
  stage.put('work/other/README.md', 'x');
  for (const folder of ['work/old', 'work/other'])
    stage.put(`${folder}/.git/HEAD`, 'ref: refs/heads/main\n');
  work(stage, 1, 'work/old', [
    says('Remember: Always run the kettle tests with `make brew` here.'),
    ...edits(stage, 'work/old', ...FILES),
  ]);
  work(stage, 2, 'work/other', [says('Remember: Never format the tables by hand.')], '2026-11-19');
  repository(stage, 'work/pot', 'a');
  work(stage, 4, 'work/pot', [
    says('Remember: Always warm the pot with `make warm` here.'),
    shell('make warm', 'ok', 0),
  ]);
  await stage.type('run');
  for (const [from, to] of [
    ['old', 'new'],
    ['pot', 'can'],
  ] as const)
    renameSync(join(stage.home, 'work', from), join(stage.home, 'work', to));
  work(
    stage,
    3,
    'work/new',
    [says('Remember: Kettles are descaled on Mondays, always.')],
    '2026-11-18',
  );
  work(stage, 5, 'work/can', [says('Remember: Cans are rinsed on Mondays, always.')], '2026-11-18');
  await stage.type('run');
}
async function asked(stage: Stage): Promise<string[]> {
  return (await stage.type('status', '--check', '--json'))
    .json<{ checks: { name: string; ok: boolean; details: string[] }[] }>()
    .checks.filter(({ name, ok }) => name === 'projects' && ok)
    .flatMap(({ details }) => details);
}

test('a renamed repository is known by its history; without one it is asked about, with the line of the config that joins it', async () => {
  const stage = testStage();
  await renamed(stage);
  const known = async (name = 'new'): Promise<string> =>
    (await stage.type('context', '--project', join(stage.home, 'work', name))).out;
  expect(await known('can')).toContain('make warm');
  expect(await known()).not.toContain('make brew');
  const [question, ...more] = await asked(stage);
  expect(more).toEqual([]);
  expect(question).toMatch(
    /^old-\w+ \(.*work\/old, gone\) and new-\w+ \(.*work\/new, 3 of its 4 files\): one repository, renamed\? /,
  );
  mkdirSync(join(stage.home, 'work/old'));
  expect(await asked(stage)).toEqual([]);
  rmSync(join(stage.home, 'work/old'), { recursive: true });
  const line = /`(projects: .*)` in config\.yaml/.exec(question!)![1]!;
  writeFileSync(join(stage.stone, 'config.yaml'), `embed: {enabled: false}\n${line}\n`);
  await stage.type('run');
  expect(await known()).toContain('make brew');
  expect(await asked(stage)).toEqual([]);
});

describe('nothing is asked', () => {
  const side = (id: string, first: string, last: string, born: string[] = []): Side => ({
    project: { id, slug: id, name: id, remote: null, folders: [], aliases: [] },
    folder: `/w/${id}`,
    born,
    first,
    last,
  });
  const gone = side('gone', '2026-11-02', '2026-11-12');
  const later = side('later', '2026-11-13', '2026-11-18');
  const ask = (
    other: Side,
    held: readonly string[],
    before = gone,
    ...more: Side[]
  ): number | undefined =>
    askRenamed(before, FILES, [other, ...more], (folder, file) =>
      (folder === other.folder ? held : FILES.slice(0, 2)).includes(file),
    )?.found;

  test('of few files, of a share under a half, or of files that several repositories hold', () => {
    expect(ask(later, FILES)).toBe(4);
    expect(ask(later, FILES.slice(0, 2))).toBeUndefined();
    expect(
      askRenamed(gone, [...FILES, 'a', 'b', 'c', 'd'], [later], (_folder, file) =>
        FILES.slice(1).includes(file),
      ),
    ).toBeNull();
    expect(ask(later, FILES, gone, side('other', '2026-11-14', '2026-11-15'))).toBeUndefined();
  });
  test('of what was worked in before the folder was left, or has another history', () => {
    expect(ask(side('later', '2026-11-11', '2026-11-18'), FILES)).toBeUndefined();
    expect(ask({ ...later, born: ['b'] }, FILES)).toBe(4);
    expect(ask({ ...later, born: ['b'] }, FILES, { ...gone, born: ['a'] })).toBeUndefined();
  });
});

test('a shell that landed in the home: no line says how to get from there to the repository', async () => {
  const stage = testStage();
  repository(stage, 'Work/team/repo', 'a');
  mkdirSync(join(stage.home, 'Work/team/repo/web'), { recursive: true });
  for (const digit of [1, 2]) {
    const inRepo = claudeLog(
      { session: idOf(digit), cwd: join(stage.home, 'Work/team/repo'), day: '2026-11-12' },
      [says('Look into it.'), shell('cd web && npm run build', 'ok', 0)],
    );
    const inHome = claudeLog(
      { session: idOf(digit), cwd: stage.home, day: '2026-11-12', from: 20 },
      [shell('cd Work/team/repo && make lint', 'ok', 0), shell('make everything', 'ok', 0)],
    );
    stage.put(`.claude/projects/-p/${idOf(digit)}.jsonl`, inRepo + inHome);
  }
  await stage.type('run');
  const known = (await lessons(stage)).map(({ text }) => text).join('\n');
  expect(known).toContain('make lint');
  expect(known).toContain('cd web && npm run build');
  expect(known).not.toContain('cd Work');
  expect(known).not.toContain('make everything');
});
