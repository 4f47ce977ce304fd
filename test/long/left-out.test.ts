/**
 * What the page leaves out: what the repository's own files say, and what names something that its
 * tree holds no more.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type Stage, begunStage } from '../stage.js';
import { calls, says, shell, type Turn } from '../jobs/made-log.js';

const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  for (const [n, day] of ['2026-11-17', '2026-11-18'].entries()) {
    const session = `${n + 1}1111111-1111-4111-8111-111111111111`;
    stage.log({ session, cwd: join(stage.home, 'shop'), day }, [
      says('please test it'),
      shell('npm run spec', '12 passed', 0),
      shell('npm run spec', '12 passed', 0),
      shell('npm run spec', '12 passed', 0),
      shell('cargo build', 'Finished', 0),
      shell('scripts/smoke.sh --fast', 'ok', 0),
      says('Remember: reset the shop with `scripts/reset.sh --all` before a demo.'),
      says('Remember: write prices as `cents`, never as floats.'),
    ]);
  }
  file(stage, 'scripts/smoke.sh', 'exec ./run "$@" # --fast');
  file(stage, 'scripts/reset.sh', 'case $1 in --all) rm -rf data ;; esac');
  file(stage, 'package.json', '{"scripts": {}}');
  git(stage, '2026-11-01', 'init', '-q');
  commit(stage, '2026-11-01', 'first');
  await stage.type('run');
});

function file(stage: Stage, path: string, text: string): void {
  stage.put(join('shop', path), text);
}

function git(stage: Stage, day: string, ...args: string[]): string {
  const time = `${day}T12:00:00Z`;
  const who = [
    '-c',
    'user.name=Ann',
    '-c',
    'user.email=ann@example.com',
    '-c',
    'commit.gpgsign=false',
  ];
  const env = { ...process.env, GIT_AUTHOR_DATE: time, GIT_COMMITTER_DATE: time };
  return execFileSync('git', ['-C', join(stage.home, 'shop'), ...who, ...args], {
    env,
    encoding: 'utf8',
  }).trim();
}

/** @returns its short hash */
function commit(stage: Stage, day: string, subject: string): string {
  git(stage, day, 'add', '-A');
  git(stage, day, 'commit', '-qm', subject);
  return git(stage, day, 'log', '-1', '--format=%h');
}

async function published(stage: Stage): Promise<{ page: string; detail: string }> {
  await stage.type('run', '--only', 'context');
  const page = (await stage.type('context', '--project', 'shop')).out;
  const { path } = (await stage.type('context', '--project', 'shop', '--json')).json<{
    path: string;
  }>();
  const detail = ['commands', 'preferences'].map((name) =>
    stage.read(join(dirname(path), 'detail', `${name}.md`).slice(stage.stone.length + 1)),
  );
  return { page, detail: detail.join('\n') };
}

test('what files of the repository say is left out of the page, stays in detail/, and `lessons why` tells it; the pinned stays', async () => {
  const stage = await begun();
  const [cents, reset, built] = ['cents', 'reset.sh', 'Build: `cargo build`'];
  const files = {
    '.cursor/rules/money.mdc': [
      '---\nglobs: src\n---\nWrite prices as `cents`, never as floats.',
      cents,
    ],
    'README.md': ['Reset the shop with `scripts/reset.sh --all` before a demo.', reset],
    '.github/workflows/ci.yml': ['      - run: cargo build\n', built],
  };
  for (const [name, [text]] of Object.entries(files)) file(stage, name, text!);
  const { page, detail } = await published(stage);
  expect(page).toMatch(/^\* /m);
  for (const [name, [, said]] of Object.entries(files)) {
    expect(page, name).not.toContain(said);
    expect(detail, name).toContain(said);
  }
  for (const name of Object.keys(files)) file(stage, name, '');
  const again = await published(stage);
  for (const said of [cents, built]) expect(again.page).toContain(said);
  // A script that ran is in a manifest.
  expect([again.page, again.detail].map((text) => text.includes('npm run spec'))).toEqual([
    false,
    true,
  ]);
  file(
    stage,
    'AGENTS.md',
    'Write prices as `cents`, never as floats. `scripts/reset.sh --all`: reset the shop before a demo.',
  );
  const { id } = (await stage.lessons('--project', 'shop')).find(({ text }) =>
    text.includes(cents),
  )!;
  await published(stage);
  expect((await stage.type('lessons', 'why', id)).out).toContain(
    "not in context.md: the project's own files say it",
  );
  await stage.type('lessons', 'pin', id);
  expect((await published(stage)).page).toContain(cents);
});

test('a command that a session read in a file of instructions is left out, wherever that file is', async () => {
  const stage = await begun();
  const learn = async (n: number, day: string, turns: Turn[]): Promise<string> => {
    const session = `${n}1111111-1111-4111-8111-111111111111`;
    stage.log({ session, cwd: join(stage.home, 'shop'), day }, turns);
    await stage.type('run', '--only', 'ingest,extract');
    return (await published(stage)).page;
  };
  await learn(3, '2026-11-18', [says('lint it'), shell('ruff check .', 'All checks passed!', 0)]);
  expect(
    await learn(4, '2026-11-19', [
      says('and again'),
      shell('ruff check .', 'All checks passed!', 0),
    ]),
  ).toContain('ruff check');
  const read = calls('Read', { file_path: '/elsewhere/shop/AGENTS.md' }, 'Run ruff check . first');
  expect(await learn(5, '2026-11-19', [says('look around'), read])).not.toContain('ruff check');
  expect((await published(stage)).detail).toContain('ruff check');
});

test('a file that git removed is named in detail/ with the commit, and its lesson is off the page; back again it is on it', async () => {
  const stage = await begun();
  expect((await published(stage)).page).toContain('reset.sh');
  rmSync(join(stage.home, 'shop/scripts/reset.sh'));
  const hash = commit(stage, '2026-11-19', 'no reset');
  const gone = await published(stage);
  expect(gone.page).not.toContain('reset.sh');
  expect(gone.detail).toContain(
    `  - off the page: the tree has no \`scripts/reset.sh\` any more (removed by ${hash}, 2026-11-19)`,
  );
  file(stage, 'scripts/reset.sh', '--all');
  const back = await published(stage);
  expect([back.page.includes('reset.sh'), back.detail.includes('reset.sh` any more')]).toEqual([
    true,
    false,
  ]);
});

test('a flag that its script takes no more, and a script that the manifest names no more, are gone in the same way', async () => {
  const stage = await begun();
  file(stage, 'scripts/reset.sh', 'rm -rf data');
  const hash = commit(stage, '2026-11-19', 'no flags');
  const { page, detail } = await published(stage);
  expect(page).not.toContain('reset.sh');
  expect(detail).toContain(`the tree has no \`--all\` any more (removed by ${hash}, 2026-11-19)`);
  // No commit took it out: a run proved that it was there.
  expect(page).not.toContain('npm run spec');
  expect(detail).toContain('the tree has no `spec` any more');
});

test('a lesson that is longer than a line of the page says so when it is added, and `lessons why` gives that as the reason', async () => {
  const stage = await begun();
  const words = `Orders are never shipped ${'before the warehouse has counted them '.repeat(9)}twice`;
  const said =
    'longer than a line of the page (320 characters): detail/, search and recall have it, the page does not';
  const added = await stage.type('lessons', 'add', words, '--project', 'shop');
  expect(added.out).toMatch(/^added: Orders are never shipped /);
  expect(added.out.split('\n')[1]).toBe(`  ${said}`);
  const { page, detail } = await published(stage);
  expect(page).not.toContain('Orders are never shipped');
  expect(detail).toContain(words);
  expect((await stage.type('search', 'warehouse counted', '--kind', 'lesson')).out).toContain(
    'warehouse',
  );
  expect((await stage.type('recall', 'when are orders shipped by the warehouse')).out).toContain(
    'Orders are never shipped',
  );
  expect((await stage.type('lessons', 'why', 'Orders are never shipped')).out).toContain(
    `not in context.md: ${said}`,
  );
  const short = await stage.type(
    'lessons',
    'add',
    'Orders are counted twice',
    '--project',
    'shop',
    '--json',
  );
  expect(short.json()).toMatchObject({ note: null });
});
