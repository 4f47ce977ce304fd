/** Purging from a real home: nothing of it is left in any byte, and it does not come back. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { loadPassed, savePassed, saveHomeState } from '../../src/store/index.js';
import { type Stage, begunStage, setStage } from '../stage.js';
import { answers, claudeLog, says, shell, type Turn } from '../jobs/made-log.js';
import { holding as holdingAny } from '../folder.js';

const [ONE, TWO, THREE] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
] as const;
const SECRET = 'plover "sapphire" 41';
function logOf(folder: string, session: string): string {
  return `.claude/projects/-home-ann-${folder}/${session}.jsonl`;
}

function put(stage: Stage, folder: string, session: string, day: string, turns: Turn[]): string {
  return stage.log({ session, cwd: `/home/ann/${folder}`, day: `2026-11-${day}` }, turns);
}

/** Two projects, three sessions; the secret in a sentence, a command, its output and a lesson. */
const begun = begunStage({ now: '2026-11-20T12:00:00Z' }, async (stage) => {
  put(stage, 'kettle', ONE, '10', [
    says(`Remember: Always start the pump with the phrase ${SECRET}, never without it.`),
    shell(`pump --phrase '${SECRET}' && pump fill`, `ok ${SECRET}`, 0),
    answers('The pump needs its phrase.'),
    says('Remember: Always indent the recipes with tabs, never with spaces.'),
  ]);
  put(stage, 'kettle', TWO, '12', [
    says('Remember: Always run the kettle tests with `make brew` here, never with npm.'),
    shell('make brew', 'ok, 12 passed', 0),
  ]);
  put(stage, 'orchard', THREE, '19', [
    says('Remember: Always prune the orchard branches in winter, never in spring.'),
    shell('make prune', 'ok', 0),
  ]);
  expect((await stage.type('run')).err).toBe('');
});

/** Files of the home that hold a text in any form; nobody has the database open now. */
function holding(stage: Stage, text: string): string[] {
  const forms = [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text),
    Buffer.from(text).toString('base64').slice(0, -4),
  ];
  return holdingAny(stage.stone, ...forms);
}
async function lessons(stage: Stage): Promise<string[]> {
  return (await stage.lessons('--project', 'all', '--all')).map(({ text }) => text).sort();
}
interface Report {
  entries: number;
  own: { path: string; line: number }[];
  files: string[];
  proof: {
    clean: boolean;
    hits: string[];
    rows: string[];
    files: number;
    bytes: number;
    looked_for: number;
  };
}

describe('--match', () => {
  test('the secret is in no byte afterwards, the rest is, and logs that are read again, under another name or without the database, bring nothing back', async () => {
    const stage = await begun();
    const before = await lessons(stage);
    expect(holding(stage, SECRET).length).toBeGreaterThan(3);
    expect(before.join()).toContain('plover');
    const dry = (
      await stage.type('purge', '--match', SECRET, '--dry-run', '--json')
    ).json<Report>();
    expect(dry).toMatchObject({ dry_run: true, entries: 3, sessions: 1, projects: [], own: [] });
    expect(holding(stage, SECRET).length).toBeGreaterThan(3);

    const said = await stage.type('purge', '--match', SECRET, '--yes', '--json');
    expect(said.json<Report>().proof).toMatchObject({ clean: true, hits: [], rows: [] });
    expect(said.code).toBe(0);
    expect(holding(stage, SECRET)).toEqual([]);
    const after = await lessons(stage);
    expect(after.join()).not.toContain('plover');
    const others = (texts: string[]) => texts.filter((text) => /tabs|brew|prune/.test(text));
    expect(others(after)).toEqual(others(before));
    expect(await stage.rows(`SELECT count(*)::INT AS n FROM entries`)).toEqual([{ n: 8 }]);

    // Read again: grown, copied under another name, and with the database lost.
    appendFileSync(
      join(stage.home, logOf('kettle', ONE)),
      claudeLog({ session: ONE, cwd: '/home/ann/kettle', day: '2026-11-19', from: 30 }, [
        says('And one more line.'),
      ]),
    );
    copyFileSync(
      join(stage.home, logOf('kettle', ONE)),
      join(stage.home, logOf('kettle', '44444444-4444-4444-8444-444444444444')),
    );
    expect((await stage.type('run')).code).toBe(0);
    expect(holding(stage, SECRET)).toEqual([]);
    expect(
      (await stage.type('search', 'one more line', '--project', 'all', '--json')).out,
    ).toContain('one more line');
    for (const name of readdirSync(stage.stone))
      if (name.startsWith('memory.duckdb')) rmSync(join(stage.stone, name));
    expect((await stage.type('run')).code).toBe(0);
    expect(holding(stage, SECRET)).toEqual([]);
    expect(
      await stage.rows(`SELECT count(*)::INT AS n FROM entries WHERE contains(text, 'plover')`),
    ).toEqual([{ n: 0 }]);
    expect(
      (await stage.type('purge', '--match', SECRET, '--yes', '--json')).json<Report>(),
    ).toMatchObject({ entries: 0, proof: { clean: true } });
  });

  test('quarantined files, logs, the inbox and uses go too; notes and config are named by line and stay until told', async () => {
    const stage = await begun();
    const folder = stage.folder('kettle');
    writeFileSync(
      join(stage.stone, 'memory.duckdb.damaged-20261101T000000Z'),
      'an old file that nobody can read',
    );
    writeFileSync(join(folder, 'crystal.json.bad'), `{"text": ${JSON.stringify(SECRET)}`);
    mkdirSync(join(folder, 'archive', '2026-W40'), { recursive: true });
    writeFileSync(
      join(folder, 'archive', '2026-W40', '2026-10-01-0a0a0a0a.jsonl.gz.bad'),
      gzipSync('torn').subarray(0, 10),
    );
    mkdirSync(join(stage.stone, 'logs'), { recursive: true });
    writeFileSync(
      join(stage.stone, 'logs', 'dripstone.log.1'),
      `a line\n${JSON.stringify({ msg: SECRET })}\nanother\n`,
    );
    writeFileSync(
      join(stage.stone, 'inbox', 'tool.jsonl'),
      `${JSON.stringify({ agent: 'tool', session: 's', role: 'user', text: `say ${SECRET}`, at: '2026-11-19T10:00:00Z', cwd: '/home/ann/kettle' })}\n${JSON.stringify({ agent: 'tool', session: 's', role: 'user', text: 'say nothing', at: '2026-11-19T10:01:00Z', cwd: '/home/ann/kettle' })}\n`,
    );
    appendFileSync(join(folder, 'notes.md'), `a note\nthe phrase is ${SECRET}\n`);
    expect((await stage.type('run')).code).toBe(0);
    const first = await stage.type('purge', '--match', SECRET, '--yes', '--json');
    expect(first.code).toBe(3);
    expect(first.json<Report>()).toMatchObject({
      proof: { clean: true },
      own: [{ path: join(folder, 'notes.md'), line: 5 }],
    });
    expect(first.json<Report>().files.sort()).toEqual([
      '2026-10-01-0a0a0a0a.jsonl.gz.bad',
      'crystal.json.bad',
      'memory.duckdb.damaged-20261101T000000Z',
    ]);
    expect(holding(stage, SECRET)).toEqual([join(folder, 'notes.md')]);
    expect(stage.read('logs/dripstone.log.1')).toBe('a line\nanother\n');
    expect(stage.read('inbox/tool.jsonl')).toMatch(/^\{.*say nothing.*\}\n$/);
    expect((await stage.type('purge', '--match', SECRET, '--yes', '--notes')).code).toBe(0);
    expect(readFileSync(join(folder, 'notes.md'), 'utf8')).toMatch(/a note\n$/);
    expect((await stage.type('run')).code).toBe(0);
    expect(holding(stage, SECRET)).toEqual([]);
  });
});

test('with --notes too, when the project goes whole: its own notes go with its folder, those of others lose their lines', async () => {
  const stage = await begun();
  appendFileSync(join(stage.folder('orchard'), 'notes.md'), 'orchard: buy a ladder\n');
  appendFileSync(join(stage.stone, 'global', 'notes.md'), 'call ann\nthe orchard needs water\n');
  const said = await stage.type('purge', '--match', 'orchard', '--yes', '--notes', '--json');
  expect([said.code, said.err]).toEqual([0, '']);
  expect(stage.slug('orchard')).toBeUndefined();
  expect(stage.read('global/notes.md')).toContain('call ann');
  expect(holding(stage, 'orchard')).toEqual([]);
});

describe('what jobs noted of it goes too', () => {
  /** As a night and an extraction leave it. */
  const noted = async (stage: Stage, text: string): Promise<void> => {
    await using app = await createApp({ ...stage.io(), access: 'write' });
    await app.store.write(async (db) => {
      const since = '2026-11-19T04:17:00.000Z';
      for (const each of [
        { kind: 'session', agent: 'claude-code', name: ONE, error: 'cannot read it' },
        { kind: 'project', agent: '', name: 'calm-1a2b', error: 'nothing of it' },
        { kind: 'project', agent: '', name: 'other-1a2b', error: `near "${text}"` },
      ] as const)
        await savePassed(db, { ...each, since });
      await saveHomeState(db, { embed_fault: `of ${text}`, embed_fault_since: since });
      await db.run(
        `INSERT INTO own.job_runs (id, job, attempt, started, outcome, counts, error) VALUES (9000, 'extract', 1, now()::TIMESTAMP, 'failed', '{}', $error)`,
        { error: `in ${ONE}: ${text}` },
      );
    });
  };
  const passed = (stage: Stage): Promise<unknown> => stage.ask(async (db) => await loadPassed(db));

  test.each([
    ['by its words', ['--match', SECRET], SECRET],
    [
      'by its session',
      ['--session', ONE],
      `Remember: Always start the pump with the phrase ${SECRET}, never without it.`,
    ],
  ])('%s', async (_, how, text) => {
    const stage = await begun();
    await noted(stage, text);
    const daysOf = (): string[][] =>
      ['global', join('projects', stage.slug('kettle'))].map(
        (folder) =>
          (JSON.parse(stage.read(join(folder, 'crystal.json'))) as { active_days: string[] })
            .active_days,
      );
    expect(daysOf()).toEqual([
      ['2026-11-10', '2026-11-12', '2026-11-19'],
      ['2026-11-10', '2026-11-12'],
    ]);
    expect(holding(stage, text)).toContain(join(stage.stone, 'memory.duckdb'));
    const said = await stage.type('purge', ...how, '--yes', '--json');
    expect([said.code, said.json<Report>().proof]).toMatchObject([
      0,
      { clean: true, hits: [], rows: [] },
    ]);
    expect(holding(stage, text)).toEqual([]);
    expect(await passed(stage)).toEqual([expect.objectContaining({ name: 'calm-1a2b' })]);
    // The first session keeps another line of its day, or nothing.
    expect(daysOf()).toEqual(
      how[0] === '--match'
        ? [
            ['2026-11-10', '2026-11-12', '2026-11-19'],
            ['2026-11-10', '2026-11-12'],
          ]
        : [['2026-11-12', '2026-11-19'], ['2026-11-12']],
    );
    if (how[0] === '--session') expect(holding(stage, ONE)).toEqual([]);
  });
});

test('copies in repositories lose the text; a project that goes takes its copy, and the instruction files that name it are told', async () => {
  const stage = setStage();
  const repo = join(stage.home, 'src', 'teapot');
  stage.put('src/teapot/.git/HEAD', 'ref: refs/heads/main\n');
  stage.put(
    logOf('teapot', ONE),
    claudeLog({ session: ONE, cwd: repo, day: '2026-11-19' }, [
      says(`Remember: Always begin with ${SECRET}, never without it.`),
      says('Remember: Always use the blue lid, never the red one.'),
    ]),
  );
  expect((await stage.type('run')).code).toBe(0);
  // A copy is what an earlier version made; it is kept up to date until `unlink`.
  expect((await stage.type('link', repo, '--only', 'claude-code')).code).toBe(0);
  const links = stage.read('links.json');
  writeFileSync(join(stage.stone, 'links.json'), links.replace('"copy": false', '"copy": true'));
  stage.put('src/teapot/.dripstone/.gitignore', '*\n');
  stage.put('src/teapot/CLAUDE.local.md', '@./.dripstone/context.md <!-- dripstone -->\n');
  expect((await stage.type('run', '--rebuild')).code).toBe(0);
  const copy = join(repo, '.dripstone', 'context.md');
  expect(readFileSync(copy, 'utf8')).toContain('plover');
  expect((await stage.type('purge', '--match', SECRET, '--yes')).code).toBe(0);
  expect(readFileSync(copy, 'utf8')).toMatch(/blue lid/);
  expect(readFileSync(copy, 'utf8')).not.toContain('plover');
  const said = await stage.type('purge', '--project', 'teapot', '--yes', '--json');
  expect(said.code).toBe(3);
  expect(said.json<Report>()).toMatchObject({
    proof: { clean: true },
    own: [{ path: join(repo, 'CLAUDE.local.md'), line: 1 }],
  });
  expect(existsSync(copy)).toBe(false);
  expect(stage.read('links.json')).not.toContain('teapot');
});

describe('--session, --project, --before', () => {
  test('what is older than a day goes, then a session with what only it taught, then a project with its folder', async () => {
    const stage = await begun();
    expect((await stage.type('purge', '--before', '2026-11-12', '--yes')).code).toBe(0);
    expect((await stage.type('run')).code).toBe(0);
    expect(await stage.rows('SELECT DISTINCT session FROM entries ORDER BY 1')).toEqual([
      { session: TWO },
      { session: THREE },
    ]);
    expect(holding(stage, SECRET)).toEqual([]);

    const said = await stage.type('purge', '--session', TWO.slice(0, 8), '--yes', '--json');
    expect(said.code).toBe(0);
    expect(said.json<Report>().proof.looked_for).toBeGreaterThan(0);
    expect((await lessons(stage)).join()).not.toContain('brew');
    expect((await stage.type('run')).code).toBe(0);
    expect(await stage.rows('SELECT DISTINCT session FROM sessions')).toEqual([{ session: THREE }]);

    put(stage, 'kettle', '55555555-5555-4555-8555-555555555555', '19', [
      says('Remember: Always polish the kettle on Fridays.'),
    ]);
    expect((await stage.type('run')).code).toBe(0);
    const kettle = join('projects', stage.slug('kettle'), 'context.md');
    const before = stage.read(kettle);
    expect(before).toContain('polish');
    expect((await stage.type('purge', '--project', 'orchard', '--yes')).code).toBe(0);
    expect(stage.slug('orchard')).toBeUndefined();
    expect(stage.read(kettle)).toBe(before);
    expect((await stage.type('run')).code).toBe(0);
    expect(stage.slug('orchard')).toBeUndefined();
  });
});

describe('an export from before the purge brings nothing back', () => {
  /** Edits of all kinds, one of them a person's own words in place of what was learnt. */
  const exported = async (stage: Stage): Promise<string> => {
    for (const text of ['Kettles of this house are copper', `The pump drinks ${SECRET}`])
      await stage.type('lessons', 'add', text, '--kind', 'fact', '--project', 'kettle');
    const all = await stage.lessons('--project', 'kettle');
    const idOf = (word: string): string => all.find(({ text }) => text.includes(word))!.id;
    await stage.type(
      'lessons',
      'edit',
      idOf('make brew'),
      'Test the kettle with `make brew`, and rinse it',
    );
    await stage.type('lessons', 'pin', idOf('tabs'));
    const file = join(stage.home, 'old.json.gz');
    expect((await stage.type('export', file)).code).toBe(0);
    return file;
  };
  const daysOf = (stage: Stage): string[] =>
    (JSON.parse(stage.read('global/crystal.json')) as { active_days: string[] }).active_days;

  test.each([
    ['--project', 'kettle', /plover|tabs|brew|copper|rinse/, false],
    ['--session', ONE, /start the pump|tabs/, true],
    ['--before', '2026-11-12', /start the pump|tabs/, true],
    ['--match', SECRET, /plover/, true],
  ])('%s', async (how, what, gone, stays) => {
    const stage = await begun();
    const file = await exported(stage);
    const before = await lessons(stage);
    expect(before.join('\n')).toMatch(gone);
    expect((await stage.type('purge', how, what, '--yes')).code).toBe(0);
    const [after, days] = [await lessons(stage), daysOf(stage)];
    expect(after.join('\n')).not.toMatch(gone);

    expect((await stage.type('import', file)).err).toBe('');
    expect(await lessons(stage)).toEqual(after);
    expect(daysOf(stage)).toEqual(days);
    expect(stage.slug('kettle') !== undefined).toBe(stays);
    if (how === '--match') expect(holding(stage, SECRET)).toEqual([]);
    expect((await stage.type('crystallize')).code).toBe(0);
    expect(await lessons(stage)).toEqual(after);

    // The same word said again is new.
    expect(
      (await stage.type('lessons', 'add', 'Kettles of this house are copper', '--global')).code,
    ).toBe(0);
    expect((await lessons(stage)).join('\n')).toContain('copper');
  });
});

test('nothing is purged without a yes, and a wrong question is refused', async () => {
  const stage = await begun();
  for (const argv of [
    ['--match', SECRET],
    ['--match', 'abc', '--yes'],
    ['--match', SECRET, '--session', ONE, '--yes'],
    ['--before', '2026-02-30', '--yes'],
    ['--session', 'nobody', '--yes'],
    [],
  ]) {
    expect((await stage.type('purge', ...argv)).code).toBe(2);
  }
  expect(existsSync(join(stage.stone, 'purged.txt'))).toBe(false);
  expect(holding(stage, SECRET).length).toBeGreaterThan(3);
});
