import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp, type App } from '../../src/app.js';
import { search } from '../../src/recall/search.js';
import { type Stage, setStage } from '../stage.js';
import { claudeLog, says } from '../jobs/made-log.js';

const DAY = '2026-11-19T10:00:00Z';
let stage: Stage;
let app: App;
beforeAll(async () => {
  stage = setStage();
  mkdirSync(join(stage.stone, 'inbox'), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(stage.stone, 'inbox', 'a.jsonl'),
    `${JSON.stringify({ agent: 'my-tool', session: 's', role: 'user', text: 'The mill turns.', at: DAY, cwd: '/work/mill' })}\n`,
  );
  expect((await stage.type('run')).code).toBe(0);
  expect(
    (await stage.type('lessons', 'add', 'Grease the millstone weekly', '--project', 'mill')).code,
  ).toBe(0);
  app = await createApp({ ...stage.io(), access: 'read' });
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
});

const OPTIONS = {
  project: null,
  limit: 10,
  mode: 'keyword',
  agent: null,
  kind: null,
  role: null,
  since: null,
  until: null,
} as const;

test('a process that answers many queries finds what a lesson says since the last one', async () => {
  const find = async (query: string) =>
    (await search(app, { ...OPTIONS, query })).hits.map(({ type, text }) => [type, text]);
  const add = async (text: string): Promise<void> => {
    // The writer waits until this reader gives the file back.
    await app.store.release();
    expect((await stage.type('lessons', 'add', text, '--project', 'mill')).code).toBe(0);
  };
  expect(await find('grease millstone')).toContainEqual(['lesson', 'Grease the millstone weekly']);
  for (const [text, query] of [
    ['Oil the waterwheel monthly', 'oil waterwheel'],
    ['Le sas naïf se ferme à minuit', 'naif'],
    ['水車は毎月油を差す', '毎月油'],
  ] as const) {
    expect(await find(query)).not.toContainEqual(['lesson', text]);
    await add(text);
    expect(await find(query)).toContainEqual(['lesson', text]);
  }
});

test('search finds history behind what holds, and names it; what was forgotten is not found', async () => {
  const own = setStage();
  own.put(
    `.claude/projects/-work-mill/${'7'.repeat(8)}-1111-4111-8111-111111111111.jsonl`,
    claudeLog(
      {
        session: `${'7'.repeat(8)}-1111-4111-8111-111111111111`,
        cwd: '/work/mill',
        day: '2026-11-19',
      },
      [says('Turn.')],
    ),
  );
  expect((await own.type('run')).code).toBe(0);
  for (const text of [
    'Oil the axle of the mill daily',
    'Oil the axle of the mill weekly',
    'Oil the axle of the mill never',
  ])
    expect((await own.type('lessons', 'add', text, '--project', 'mill')).code).toBe(0);
  expect((await own.type('lessons', 'forget', 'axle of the mill never')).code).toBe(0);
  const writer = await createApp({ ...own.io(), access: 'write' });
  await writer.store.write((db) =>
    db.run("UPDATE own.lessons SET status = 'superseded' WHERE text LIKE '%daily'"),
  );
  await writer[Symbol.asyncDispose]();
  const { hits } = (await own.type('search', 'oil the axle of the mill', '--json')).json<{
    hits: { type: string; text: string }[];
  }>();
  expect(hits.filter(({ type }) => type === 'lesson').map(({ text }) => text)).toEqual([
    'Oil the axle of the mill weekly',
    'Oil the axle of the mill daily',
  ]);
  expect((await own.type('search', 'oil the axle of the mill')).out).toMatch(
    /\[superseded lesson\][^\n]*\n[^[]*daily/,
  );
});
