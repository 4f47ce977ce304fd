/**
 * Tiers are what a lost database is made of again: looked after at night, and never trusted unread.
 */
import { copyFileSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Stage, begunStage, setStage } from '../stage.js';
import { answers, type claudeLog, says, shell } from '../jobs/made-log.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const YOUNG = '33333333-3333-4333-8333-333333333333';
function put(
  stage: Stage,
  session: string,
  day: string,
  turns: Parameters<typeof claudeLog>[1],
): string {
  return stage.log({ session, cwd: '/home/ann/kettle', day }, turns);
}
function archive(stage: Stage): string {
  return join(stage.folder(), 'archive', '2026-W41');
}
async function row(stage: Stage, sql: string): Promise<Record<string, unknown>> {
  return JSON.parse((await stage.type('sql', sql)).out) as Record<string, unknown>;
}
const TEXTS = `SELECT (SELECT count(nullif(text, '')) FROM entries) AS texts, (SELECT count(nullif(text, '')) FROM archive_entries) AS archived`;

/** Two sessions of October in the archive and one of this week, their logs deleted by the agent. */
const archived = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  put(stage, SESSION, '2026-10-08', [
    says('Remember: Always use pnpm instead of npm.'),
    answers('Fine.'),
    shell('pnpm test', 'marker quokka', 0),
  ]);
  put(stage, OTHER, '2026-10-09', [says('Remember: Never commit directly to main.')]);
  put(stage, YOUNG, '2026-11-18', [says('hello again')]);
  expect((await stage.type('run')).err).toBe('');
  rmSync(join(stage.home, '.claude/projects'), { recursive: true });
});

describe('a tier that is not as it was written', () => {
  test.each([
    ['removed', (path: string) => rmSync(path)],
    ['cut', (path: string) => truncateSync(path, 60)],
    // Set aside by the first question to the archive.
    ['of no byte', (path: string) => truncateSync(path, 0)],
  ])('%s is rebuilt at night', async (_, damage) => {
    const stage = await archived();
    const [first] = readdirSync(archive(stage)).map((name) => join(archive(stage), name)) as [
      string,
    ];
    const whole = readFileSync(first);
    damage(first);
    // The archive is asked before the night has seen it.
    expect((await stage.type('search', 'quokka', '--project', 'all')).code).toBe(0);
    expect((await stage.type('sql', 'SELECT count(*) AS n FROM archive_entries')).code).toBe(0);
    expect((await stage.type('crystallize')).code).toBe(0);
    expect(readFileSync(first)).toEqual(whole);
    expect(await row(stage, TEXTS)).toEqual({ texts: 6, archived: 5 });
  });
});

test('a row that an older copy of the database lacks comes back from the tier that has it', async () => {
  const stage = await archived();
  const path = join(stage.stone, 'memory.duckdb');
  copyFileSync(path, join(stage.home, 'old.duckdb'));
  stage.log({ session: SESSION, cwd: '/home/ann/kettle', day: '2026-10-08', from: 20 }, [
    says('a late line'),
  ]);
  expect((await stage.type('run', '--only', 'ingest,rollup')).code).toBe(0);
  const late = await row(stage, TEXTS);
  copyFileSync(join(stage.home, 'old.duckdb'), path);
  rmSync(`${path}.wal`, { force: true });
  rmSync(join(stage.home, '.claude/projects'), { recursive: true });
  expect(await row(stage, TEXTS)).not.toEqual(late);
  expect((await stage.type('crystallize')).code).toBe(0);
  expect(await row(stage, TEXTS)).toEqual(late);
});

test('an older copy of the database does not bring a forgotten lesson back', async () => {
  const stage = setStage();
  put(stage, SESSION, '2026-11-18', [
    says('Remember: Always use pnpm instead of npm.'),
    says('Remember: Never commit directly to main.'),
  ]);
  await stage.type('run');
  const path = join(stage.stone, 'memory.duckdb');
  copyFileSync(path, join(stage.home, 'old.duckdb'));
  const lesson = (await stage.lessons('--project', 'all')).find(({ text }) =>
    text.includes('pnpm'),
  )!;
  expect((await stage.type('lessons', 'forget', lesson.id)).code).toBe(0);
  copyFileSync(join(stage.home, 'old.duckdb'), path);
  rmSync(`${path}.wal`, { force: true });
  expect((await stage.type('run')).code).toBe(0);
  const page = stage.read(`projects/${stage.slug()}/context.md`);
  expect(page).not.toContain('pnpm');
  expect(page).toContain('directly to main');
});
