/** Sentences of docs/cli.md and README.md that no other test proves, over the shipped samples. */
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { defaultConfig } from '../../src/config.js';
import { unpackHome } from '../../src/jobs/sharing/bundle.js';
import { type Stage, samplesRun, samplesStage, type ListedLesson } from '../stage.js';

const root = join(import.meta.dirname, '../..');
const manual = readFileSync(join(root, 'docs/cli.md'), 'utf8').replaceAll(/\s+/g, ' ');
const SLUG = 'lanternfish-37f8';
const FOLDER = '/home/mira/code/lanternfish';

let stage: Stage;
beforeEach(async () => {
  stage = await samplesStage();
});

const search = async (...words: string[]) =>
  (await stage.type('search', '--json', ...words)).json<{
    mode: string;
    hits: Record<string, string | number | null>[];
  }>();

test('the README shows what the samples give', async () => {
  const shown = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^ {4}(.*)$|^$/gm)].map(
    ([, line]) => line ?? '',
  );
  const after = (command: string): number =>
    shown.findIndex((line) => line.startsWith(command)) + 1;
  const [ran, head, fixed] = [
    after('$ make run'),
    after('$ head -16 '),
    after('$ npm test 2>&1 | dripstone fix | head -2'),
  ];
  const plain = (line: string): string =>
    line.replace(/[\d.]+ s$/, 'N s').replace(/`node \S*dist\/cli\.js /, '`node dist/cli.js ');
  const out = samplesRun()
    .replaceAll(`${stage.stone}/`, '~/.dripstone/')
    .trimEnd()
    .split('\n')
    .map(plain);
  expect(shown.slice(ran, ran + out.length).map(plain)).toEqual(out);
  expect(shown.slice(head, head + 16)).toEqual(
    stage.read(`projects/${SLUG}/context.md`).split('\n').slice(0, 16),
  );
  stage.stdin = ['FAIL test/invoices.test.ts', 'Error: connect ECONNREFUSED 127.0.0.1:5432'];
  stage.cwd = FOLDER;
  expect((await stage.type('fix')).out.split('\n').slice(0, 2)).toEqual(
    shown.slice(fixed, fixed! + 2),
  );
});

describe('everywhere', () => {
  test('--project takes a folder, slug, name or all; without it the project of the folder, outside all of them', async () => {
    const texts = (list: readonly ListedLesson[]): string[] => list.map(({ text }) => text).sort();
    const own = texts(await stage.lessons('--project', SLUG));
    const all = texts(await stage.lessons('--project', 'all'));
    expect(all.length).toBeGreaterThan(own.length);
    for (const named of [FOLDER, `${FOLDER}/src`, 'lanternfish'])
      expect(texts(await stage.lessons('--project', named)), named).toEqual(own);
    expect(texts(await stage.lessons())).toEqual(all);
    stage.cwd = FOLDER;
    expect(texts(await stage.lessons())).toEqual(own);
  });

  test('a second run says so in one line, and changes no file but the database', async () => {
    const files = (): string[][] =>
      readdirSync(stage.stone, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile() && !file.name.startsWith('memory.duckdb'))
        .map((file) => join(file.parentPath, file.name))
        .map((path) => [path, statSync(path).mtime.toISOString(), readFileSync(path, 'utf8')]);
    const before = files();
    expect((await stage.type('run')).out).toMatch(
      /^nothing new in 12 logs · 10 lessons · [\d.]+ s\n$/,
    );
    expect(files()).toEqual(before);
  });

  test.each([
    ['totals are off by one cent on invoices', 'no_rule'],
    ['cent by one off are totals', 'no_rule'],
    ['Prefer short subjects', 'automated'],
  ])('why “%s” is no lesson: %s', async (words, why) => {
    const said = await stage.type('lessons', 'why', words, '--json');
    expect(said.json()).toMatchObject({ sentence: { role: 'user' }, why, reason: null });
    expect((await stage.type('lessons', 'why', words)).out).toMatch(
      /^no lesson: [\s\S]*\nwhy: [\s\S]*\nnext: .*lessons add/,
    );
  });

  test('a sentence that nobody said has no reason', async () =>
    expect((await stage.type('lessons', 'why', 'zeppelins never land twice')).code).toBe(2));

  test('an agent is refused what is the person’s, with exit 1', async () => {
    const { id } = (await stage.lessons())[0]!;
    stage.caller = { kind: 'agent', name: 'codex' };
    for (const words of [
      ['lessons', 'pin', id],
      ['lessons', 'forget', id],
      ['purge', '--match', 'lanternfish', '--yes'],
      ['import', 'x.json.gz'],
      ['model', 'use', 'claude'],
      ['projects', 'join', 'lanternfish', 'tidepool'],
      ['projects', 'rename', 'lanternfish', 'x'],
    ]) {
      const said = await stage.type(...words);
      expect([said.code, said.out], words.join(' ')).toEqual([1, '']);
      expect(said.err).toMatch(/terminal of your own|person/);
    }
    expect((await stage.type('projects')).code).toBe(0);
  });

  test('no agent changes an option, as the manual says', async () => {
    expect(manual).toContain('No agent may change an option');
    stage.caller = { kind: 'agent', name: 'codex' };
    for (const [group, value] of Object.entries(defaultConfig())) {
      const [name, inner] =
        typeof value === 'object' && !Array.isArray(value)
          ? (Object.entries(value)[0] ?? ['x', ''])
          : [null, value];
      const typed = typeof inner === 'string' ? inner || 'x' : JSON.stringify(inner);
      const key = name === null ? group : `${group}.${name}`;
      expect((await stage.type('config', 'set', key, typed)).code, key).toBe(1);
    }
  });
});

describe('reading', () => {
  test('show takes any unique beginning of three characters: an entry with its neighbours, a lesson, a session', async () => {
    const entry = (await search('openapi', '--kind', 'entry')).hits[0]!;
    const id = entry['id'] as string;
    const counted = async (...more: string[]): Promise<number> =>
      (await stage.type('show', id.slice(0, 16), '--json', ...more)).json<{
        neighbours: unknown[];
      }>().neighbours.length;
    expect(await counted('--around', '1')).toBeLessThan(await counted());
    const kind = async (of: string): Promise<string> =>
      (await stage.type('show', of, '--json')).json<{ type: string }>().type;
    expect([
      await kind((await stage.lessons())[0]!.id),
      await kind(entry['session'] as string),
    ]).toEqual(['lesson', 'session']);
    expect((await stage.type('show', id.slice(0, 2))).code).toBe(2);
  });

  test('context prints the page of the folder, outside any project the global notes; --path and --ids', async () => {
    expect((await stage.type('context')).out).toBe(stage.read('global/context.md'));
    stage.cwd = FOLDER;
    expect((await stage.type('context')).out).toBe(stage.read(`projects/${SLUG}/context.md`));
    expect((await stage.type('context', '--path')).out).toBe(
      `${join(stage.stone, 'projects', SLUG, 'context.md')}\n`,
    );
    const [, short] = /use pnpm, not npm.*\^([0-9a-z]{3,})/.exec(
      (await stage.type('context', '--ids')).out,
    )!;
    expect((await stage.type('lessons', 'show', short!)).out).toContain('use pnpm, not npm');
  });

  test('lessons list shows live ones; --withheld with the reason; --all the rest too', async () => {
    await stage.type('lessons', 'forget', (await stage.lessons())[0]!.id);
    const [usual, withheld, all] = [
      await stage.lessons(),
      await stage.lessons('--withheld'),
      await stage.lessons('--all'),
    ];
    expect([...new Set(usual.map(({ status }) => status))]).toEqual(['live']);
    expect(usual.every(({ reason }) => reason === null)).toBe(true);
    expect(withheld.map(({ status }) => status)).toContain('withheld');
    expect(withheld.every(({ status, reason }) => status === 'withheld' && reason !== null)).toBe(
      true,
    );
    expect(all.length).toBeGreaterThan(usual.length);
  });

  test('config shows what is set, --all every option, get one, path the file; projects lists folders', async () => {
    expect((await stage.type('config')).out).toBe(
      `${stage.stone}/config.yaml\n  embed.enabled  false\n`,
    );
    const all = (await stage.type('config', 'list', '--all')).out;
    for (const group of ['context.budget_tokens', 'schedule.nightly_at', 'usage.prices', 'exclude'])
      expect(all).toContain(`  ${group} `);
    expect((await stage.type('config', 'get', 'schedule.nightly_at')).out).toBe('04:17\n');
    expect((await stage.type('config', 'path')).out).toBe(`${stage.stone}/config.yaml\n`);
    expect((await stage.type('projects')).out).toMatch(
      /^lanternfish-37f8 {2}8 sessions · \d+ lessons .*\n {2}\/home\/mira\/code\/lanternfish\n/,
    );
  });
});

describe('changing', () => {
  test('an export holds crystals, notes, receipts and hashes; an import adds new lines of notes at the end', async () => {
    const notes = join(stage.stone, `projects/${SLUG}/notes.md`);
    writeFileSync(notes, '# Notes\n\nOurs.\n');
    const file = join(stage.home, 'memory.json.gz');
    await stage.type('export', file);
    const names = [...unpackHome(file, readFileSync(file)).keys()];
    expect(names).toEqual(
      expect.arrayContaining([`projects/${SLUG}/crystal.json`, `projects/${SLUG}/notes.md`]),
    );
    expect(
      names.filter(
        (name) => !/^(?:purged\.txt|receipts\.jsonl|.*\/(?:crystal\.json|notes\.md))$/.test(name),
      ),
    ).toEqual([]);
    writeFileSync(notes, '# Notes\n\nTheirs.\n');
    await stage.type('import', file);
    expect(readFileSync(notes, 'utf8')).toBe('# Notes\n\nTheirs.\n\nOurs.\n');
  });
});
