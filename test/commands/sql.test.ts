import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { sqlCommand } from '../../src/commands/sql.js';
import { type Stage, samples, setStage } from '../stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = setStage({ from: samples, config: '' });
  expect((await stage.type('run')).code).toBe(0);
});

function lines(out: string) {
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('one SELECT gives one JSON object a row; what a double cannot hold is a string', async () => {
  const sql =
    'SELECT count(*) > 100 AS many, 9007199254740993::BIGINT AS big, 3 AS small FROM entries';
  const row = { many: true, big: '9007199254740993', small: 3 };
  for (const words of [[sql], [sql, '--lines']]) {
    const { code, out } = await stage.type('sql', ...words);
    expect([code, lines(out)]).toEqual([0, [row]]);
  }
  const columns = ['many', 'big', 'small'];
  expect((await stage.type('sql', '--json', sql)).json()).toEqual({
    version: 1,
    columns,
    rows: [row],
  });
  expect((await stage.type('sql', '--json', `${sql} HAVING false`)).json()).toEqual({
    version: 1,
    columns,
    rows: [],
  });
});

test.each([
  ['COPY', `COPY (SELECT 1) TO '%'`],
  ['two statements', `SELECT 1; SELECT 2`],
  ['a change', `DELETE FROM own.entries`],
  ['a setting', `SET enable_external_access = true`],
  ['a file elsewhere', `SELECT * FROM read_text('/etc/hostname')`],
  ['the rest of the home', `SELECT * FROM read_text('%')`],
  ['another database', `ATTACH '%' AS other`],
  ['an extension', `INSTALL fts`],
  ['nonsense', `SELEKT 1`],
])('%s is refused, and nothing was written', async (_, statement) => {
  const target = join(stage.home, 'out.csv');
  const { code, out, err } = await stage.type(
    'sql',
    statement.replace(
      '%',
      statement.includes('read_text') ? join(stage.stone, 'config.yaml') : target,
    ),
  );
  expect(code).toBe(2);
  expect(out).toBe('');
  expect(err).toContain('next:');
  expect(existsSync(target)).toBe(false);
});

test('the examples of the help are answered', async () => {
  for (const example of sqlCommand.examples!) {
    const argv = [...example.slice('dripstone '.length).matchAll(/(\w+=)?"([^"]*)"|\S+/g)].map(
      (match) => (match[2] === undefined ? match[0] : `${match[1] ?? ''}${match[2]}`),
    );
    expect((await stage.type(...argv)).code, example).toBe(0);
  }
});

test('the vector of a text is bound by name and finds what means the same', async () => {
  const { code, out } = await stage.type(
    'sql',
    '--vector',
    'q=which package manager should be used',
    'SELECT text, array_cosine_similarity(vector, $q) AS near FROM vectors ORDER BY near DESC LIMIT 5',
  );
  expect(code).toBe(0);
  expect(
    lines(out)
      .map((row) => row.text)
      .join('\n'),
  ).toMatch(/pnpm/);
});

test('a paraphrase finds by meaning what no word of it names, and the answer tells its mode', async () => {
  const asked = 'which tool installs our dependencies';
  const hybrid = (await stage.type('search', asked, '--json', '--project', 'all')).json<{
    mode: string;
    hits: { text: string }[];
  }>();
  expect(hybrid.mode).toBe('hybrid');
  expect(hybrid.hits.map((hit) => hit.text).join('\n')).toMatch(/pnpm/);
  const keyword = (
    await stage.type('search', asked, '--json', '--project', 'all', '--mode', 'keyword')
  ).json<{ mode: string }>();
  expect(keyword.mode).toBe('keyword');
});

test('search, show and recall note the lessons that they showed', async () => {
  const noted = () =>
    existsSync(join(stage.stone, 'uses.jsonl'))
      ? lines(readFileSync(join(stage.stone, 'uses.jsonl'), 'utf8'))
      : [];
  const before = noted().length;
  const { hits } = (
    await stage.type(
      'search',
      'pnpm',
      '--json',
      '--project',
      'all',
      '--mode',
      'keyword',
      '--kind',
      'lesson',
    )
  ).json<{ hits: { id: string; text: string; project: string | null }[] }>();
  expect(hits.length).toBeGreaterThan(0);
  expect((await stage.type('show', hits[0]!.id)).code).toBe(0);
  // How to test is told on the page, not at a prompt.
  const own = hits.find(({ project, text }) => project !== null && !/^\w+: `/.test(text))!;
  await stage.type('recall', own.text, '--project', own.project!);
  const later = noted().slice(before);
  expect([...new Set(later.map(({ door }) => door))].sort()).toEqual(['recall', 'search', 'show']);
  expect((await stage.type('lessons', 'show', own.id)).out).toMatch(
    /· 1 session ·|· \d+ sessions ·/,
  );
  expect(noted().at(-1)).toMatchObject({ door: 'show', id: own.id, project: own.project });
  expect(later).toContainEqual(
    expect.objectContaining({ door: 'recall', type: 'lesson', id: own.id }),
  );
  expect(
    later.every(
      ({ door, type, id }) => (type === 'lesson' || door === 'recall') && typeof id === 'string',
    ),
  ).toBe(true);
  expect(
    later
      .filter(({ door }) => door === 'search')
      .map(({ id }) => id)
      .sort(),
  ).toEqual(hits.map(({ id }) => id).sort());
});
