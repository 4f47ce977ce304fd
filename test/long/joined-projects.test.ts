/**
 * Folders that are joined by the config or known from another machine keep what was learnt in
 * them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Stage, setStage, type ListedLesson } from '../stage.js';
import { says, shell, type Turn } from '../jobs/made-log.js';

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
  return stage.log({ session: idOf(digit), cwd: join(stage.home, folder), day }, turns);
}

function slugs(all: readonly ListedLesson[]): string[] {
  return [...new Set(all.flatMap(({ project }) => project ?? []))];
}

test('folders joined by the config are one project at the next run, with every lesson and edit, and nothing becomes global', async () => {
  const stage = setStage();
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
  const before = await stage.lessons('--project', 'all');
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
  change('crystal.json', 'count the drawers twice"', 'count the drawers at nine only"');
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
  const after = await stage.lessons('--project', 'all');
  expect(slugs(after)).toHaveLength(1);
  const texts = after.map(({ text }) => text).join('\n');
  expect(texts).toMatch(/pnpm/);
  expect(texts).toMatch(/make lint/);
  expect(texts).toMatch(/Tills are open/);
  expect(texts).not.toMatch(/push to main|drawers twice/);
  for (const own of ['ount the drawers at nine only', 'The till stands in the hall'])
    expect(texts).toContain(own);
  // Said in two folders it counted for the person everywhere; in one project it is a wish for that
  // project.
  expect(before.filter(({ scope }) => scope === 'global')).toHaveLength(1);
  expect(after.filter(({ scope }) => scope === 'global')).toEqual([]);
  // The name in the config is the name, and the old one leads there.
  for (const name of ['store', till])
    expect((await stage.type('context', '--project', name, '--json')).json()).toMatchObject({
      project: slugs(after)[0],
      text: expect.stringContaining('The till stands in the hall') as string,
    });
  expect(
    (await stage.type('sql', 'SELECT count(DISTINCT project) AS n FROM entries')).out,
  ).toContain('"n":1');
  expect((await stage.type('crystallize')).code).toBe(0);
  expect(await stage.lessons('--project', 'all')).toEqual(after);
});
