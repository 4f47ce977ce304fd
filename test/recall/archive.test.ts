import { writeFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { recallFrom } from '../../src/recall/recall.js';
import { search } from '../../src/recall/search.js';
import { setStage, type Stage } from '../commands/stage.js';

interface Hit {
  type: string;
  id: string;
  text: string;
  source: string;
  path: string;
  line: number;
  role: string;
  project: string | null;
  citation: string;
}

let stage: Stage;
function said(session: string, role: string, text: string, at: string) {
  return JSON.stringify({ agent: 'my-tool', session, role, text, at, cwd: '/work/mill' });
}

beforeAll(async () => {
  stage = setStage({ config: 'embed: {enabled: false}\nstore: {keep_text_days: 180}\n' });
  const inbox = join(stage.stone, 'inbox');
  mkdirSync(inbox, { recursive: true, mode: 0o700 });
  writeFileSync(
    join(inbox, 'old.jsonl'),
    `${[
      said(
        's-old',
        'user',
        'Why does the turbine governor overshoot when retries are policies of the grid?',
        '2026-02-01T10:00:00Z',
      ),
      said(
        's-old',
        'assistant',
        'The governor overshoots because its valve lags; café doors stay closed.',
        '2026-02-01T10:01:00Z',
      ),
      said('s-old', 'assistant', 'Nothing about engines in here, only bread.', '2026-02-01T10:02:00Z'),
    ].join('\n')}\n`,
  );
  writeFileSync(
    join(inbox, 'new.jsonl'),
    `${said('s-new', 'user', 'The governor of the pump is new and stays in the database.', '2026-11-19T10:00:00Z')}\n`,
  );
  // The first run writes tiers and moves them, a later night lets the texts go.
  expect((await stage.type('run')).code).toBe(0);
  stage.now = new Date('2026-11-21T12:00:00Z');
  expect((await stage.type('crystallize')).code).toBe(0);
});
afterAll(() => stage.remove());

async function find(...argv: string[]): Promise<Hit[]> {
  const { code, out, err } = await stage.type('search', ...argv, '--kind', 'entry', '--json', '--project', 'all');
  expect([code, err]).toEqual([0, '']);
  return (JSON.parse(out) as { hits: Hit[] }).hits;
}

test('a small archive is searched by itself, one with more entries only when it is asked for', async () => {
  expect((await find('overshoot')).map(({ source }) => source)).toEqual(['archive', 'archive']);
  await using app = await createApp({ ...stage.io(), access: 'read' });
  const options = {
    query: 'overshoot',
    project: null,
    limit: 10,
    mode: 'keyword',
    agent: null,
    kind: 'entry',
    role: null,
  } as const;
  const asked = { ...options, since: null, until: null, archivedAtOnce: 2 };
  expect(await search(recallFrom(app), asked)).toMatchObject({ hits: [], archive_only: 3 });
  expect(await search(recallFrom(app), { ...asked, archivedAtOnce: 60 })).toMatchObject({ hits: [{}, {}], archive_only: 0 });
  expect(await search(recallFrom(app), { ...asked, archive: true })).toMatchObject({ hits: [{}, {}], archive_only: 0 });
});

test('texts that left the database are found in the archive, with their place', async () => {
  expect(readdirSync(join(stage.stone, 'projects')).length).toBeGreaterThan(1);
  const hits = await find('overshoot', '--archive');
  expect(hits.map(({ source, line, role }) => [source, line, role])).toEqual(
    expect.arrayContaining([
      ['archive', 1, 'user'],
      ['archive', 2, 'assistant'],
    ]),
  );
  expect(hits).toHaveLength(2);
  for (const hit of hits) {
    expect(hit.path).toBe(join(stage.stone, 'inbox', 'old.jsonl'));
    expect(hit.citation).toContain(`old.jsonl:${hit.line}`);
    expect(hit.text).toContain('overshoot');
    expect(hit.project).not.toBeNull();
  }
});

test('a hit of the log is not doubled by the archive, and what holds more of the query comes first', async () => {
  const hits = await find('governor valve', '--archive');
  expect(hits.filter(({ source }) => source === 'log').map(({ text }) => text)).toEqual([expect.stringContaining('pump')]);
  expect(hits.filter(({ source }) => source === 'archive').map(({ line }) => line)).toEqual([2, 1]);
  expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length);
});

test('words match as terms: stems, accents, whole words; not parts of others', async () => {
  expect((await find('policy', '--archive')).map(({ line }) => line)).toEqual([1]);
  expect((await find('cafe', '--archive')).map(({ line }) => line)).toEqual([2]);
  expect(await find('shoot', '--archive')).toEqual([]);
  expect(await find('zeppelin', '--archive')).toEqual([]);
});

test('exact text, roles, days and projects hold in the archive too', async () => {
  expect((await find('valve lags; café', '--archive', '--mode', 'exact')).map(({ line }) => line)).toEqual([2]);
  expect(await find('Valve lags', '--archive', '--mode', 'exact')).toEqual([]);
  expect(
    (await find('governor', '--archive', '--role', 'user', '--until', '2026-10-01')).map(({ source, line }) => [source, line]),
  ).toEqual([['archive', 1]]);
  expect((await find('governor', '--archive', '--since', '2026-10-01')).map(({ source }) => source)).toEqual(['log']);
  expect(await find('governor', '--archive', '--agent', 'codex')).toEqual([]);
  const slug = (await find('overshoot', '--archive'))[0]!.project!;
  const inside = (await stage.type('search', 'overshoot', '--archive', '--json', '--project', slug)).json<{ hits: Hit[] }>().hits;
  expect(inside.filter(({ source }) => source === 'archive')).toHaveLength(2);
});

test('odd queries have an answer', async () => {
  for (const query of [
    "'",
    '";--',
    '%_\\',
    '()[]{}*?',
    'the of and',
    '修正 バグ',
    '🙂🙂',
    '\u0000x',
    'a'.repeat(10_000),
    'word '.repeat(2_000),
  ]) {
    for (const mode of ['hybrid', 'exact'])
      expect(Array.isArray(await find(query, '--archive', '--mode', mode)), `${query.slice(0, 20)} ${mode}`).toBe(true);
  }
});
