/**
 * Folders that the person joins and later parts again: what they decided meanwhile, and before,
 * goes along.
 */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Stage, setStage, type ListedLesson } from '../stage.js';
import { says, shell, type Turn } from '../jobs/made-log.js';

function textsOf(lessons: readonly ListedLesson[]): string[] {
  return lessons.map(({ text }) => text).sort();
}

/** Two clones, each with its own remote and sessions. */
function worked(): Stage {
  const stage = setStage();
  for (const folder of ['shop', 'till']) {
    stage.put(`${folder}/.git/HEAD`, 'ref: refs/heads/main\n');
    stage.put(
      `${folder}/.git/config`,
      `[remote "origin"]\n\turl = https://github.com/ana/${folder}.git\n`,
    );
  }
  const put = (digit: number, folder: string, turns: Turn[]): void => {
    const session = `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;
    stage.log({ session, cwd: join(stage.home, folder), day: '2026-11-12' }, turns);
  };
  for (const digit of [1, 4])
    put(digit, 'shop', [
      says('Remember: Always use pnpm instead of npm in this repository.'),
      says('Remember: Always keep the receipts for a year.'),
      shell('pnpm test', 'ok', 0),
    ]);
  for (const digit of [2, 3])
    put(digit, 'till', [
      says('Remember: Never push to main directly.'),
      says('Remember: Always count the drawers before a commit.'),
      shell('make lint', 'ok', 0),
    ]);
  return stage;
}

// Which of the two keeps the id of the joined project depends on their paths: each is asked about.
const RULES = { shop: 'Always use pnpm instead of npm', till: 'Never push to main' };

test('joined, the first keeps name, slug and page and both pages say what both know; apart again each is the project that it was, with what was forgotten or reworded', async () => {
  const stage = worked();
  await stage.type('run');
  const slugsOf = async (): Promise<(string | null)[]> => {
    const slugs: (string | null)[] = [];
    for (const name of ['shop', 'till'])
      slugs.push((await stage.lessons('--project', join(stage.home, name)))[0]!.project);
    return slugs;
  };
  const before = await slugsOf();
  for (const [name, rule] of Object.entries(RULES))
    await stage.type('lessons', 'forget', rule, '--project', name);
  // In neither order of their paths.
  expect(await stage.type('projects', 'join', 'till', 'shop')).toMatchObject({ code: 0, err: '' });
  await stage.type('run');
  const pages = (): string[] => before.map((slug) => stage.read(`projects/${slug!}/context.md`));
  expect(pages()[0]).toBe(pages()[1]);
  expect(pages()[0]).toMatch(/receipts[^]*drawers|drawers[^]*receipts/);
  expect((await stage.type('projects', '--json')).json()).toMatchObject({
    projects: [{ slug: before[1], name: 'till' }],
  });
  for (const rule of ['count the drawers', 'keep the receipts'])
    expect(
      await stage.type('lessons', 'edit', rule, `By hand: ${rule}`, '--project', 'till'),
    ).toMatchObject({ code: 0 });
  expect(await stage.type('projects', 'split', 'till')).toMatchObject({ code: 0, err: '' });
  expect(await stage.type('run')).toMatchObject({ code: 0, err: '' });
  // Agents are led to the slug by their instruction files.
  expect(await slugsOf()).toEqual(before);
  for (const [at, name] of ['shop', 'till'].entries())
    expect((await stage.lessons('--project', name))[0]!.project).toBe(before[at]);
  expect(pages()[0]).not.toContain('make lint');
  expect(pages()[1]).not.toContain('pnpm test');
  const kept = { shop: 'By hand: keep the receipts', till: 'By hand: count the drawers' };
  for (const after of ['crystallize', 'run --rebuild']) {
    expect((await stage.type(...after.split(' '))).code).toBe(0);
    for (const [name, text] of Object.entries(kept)) {
      const texts = textsOf(await stage.lessons('--project', join(stage.home, name)));
      expect(texts, `${name} after ${after}`).toContain(text);
      expect(texts.join('\n'), `${name} after ${after}`).not.toMatch(
        /pnpm instead|push to main|Always/,
      );
    }
  }
});
