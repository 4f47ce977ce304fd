/** Entire's checkpoints of a repository: real git, invented logs. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createReading } from '../../src/jobs/reading/reader.js';
import { lookForLogs } from '../../src/jobs/reading/look.js';
import { prompt, testHome, type TestHome } from './ingest-home.js';

const fixtures = join(import.meta.dirname, '../fixtures');
const IDENTITY = ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', '-c', 'commit.gpgsign=false'];

interface Repository {
  path: string;
  git(...args: string[]): string;
  /** Commits files on a branch or ref; other files of it stay. */
  checkpoint(ref: string, files: Record<string, string>): void;
}

function repository({ home }: TestHome, name = 'src/shop'): Repository {
  const path = join(home, name);
  mkdirSync(path, { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', path, ...IDENTITY, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  git('init', '-q');
  return {
    path,
    git,
    checkpoint(ref, files) {
      const index = join(path, '.git', 'made-index');
      const env = { ...process.env, GIT_INDEX_FILE: index };
      const made = (...args: string[]): string =>
        execFileSync('git', ['-C', path, ...IDENTITY, ...args], {
          encoding: 'utf8',
          env,
          stdio: ['ignore', 'pipe', 'ignore'],
        }).trim();
      made('read-tree', '--empty');
      try {
        made('read-tree', ref);
      } catch {
        // the first one
      }
      for (const [file, text] of Object.entries(files)) {
        const blob = execFileSync('git', ['-C', path, 'hash-object', '-w', '--stdin'], { input: text, encoding: 'utf8' }).trim();
        made('update-index', '--add', '--cacheinfo', `100644,${blob},${file}`);
      }
      made('update-ref', ref, made('commit-tree', made('write-tree'), '-m', 'checkpoint'));
    },
  };
}

const BRANCH = 'refs/heads/entire/checkpoints/v1';
const SESSION = '11111111-1111-4111-8111-111111111111';
const facts = (agent: string, session = SESSION, created = '2026-08-01T10:00:00Z'): string =>
  JSON.stringify({ agent, session_id: session, created_at: created, branch: 'main' });

interface Row {
  agent: string;
  session: string;
  role: string;
  origin: string;
  text: string;
  path: string;
}
const rowsOf = ({ store }: TestHome): Promise<Row[]> =>
  store.read((db) => db.all<Row>('SELECT agent, session, role, origin, text, path FROM main.entries ORDER BY agent, path, line'));

const said = (text: string, id: number): string => {
  const uuid = `00000000-0000-4000-8000-0000000${String(90_000 + id)}`;
  return prompt(text, { uuid, cwd: '/Users/bea/shop' });
};

test('checkpoints are read when the config names the repository, as nobody typed them here, each object once', async () => {
  const home = await testHome();
  const repo = repository(home);
  const first = said('use tabs', 1) + said('run the tests', 2);
  repo.checkpoint(BRANCH, {
    'ab/c123456789/metadata.json': '{"checkpoint_id":"abc123456789"}',
    'ab/c123456789/0/metadata.json': facts('Claude Code', `2026-08-01-${SESSION}`),
    'ab/c123456789/0/full.jsonl': first,
    'ab/c123456789/0/transcript.jsonl': said('the same, compact', 3),
    'README.md': 'no log',
  });
  expect(await home.run()).toEqual({ done: 0 });
  home.config.agents.checkpoints = ['~/src/shop'];
  expect(await home.run()).toMatchObject({ done: 1, counts: { entries: 2 } });
  expect((await rowsOf(home)).map(({ agent, session, origin, text }) => [agent, session, origin, text])).toEqual([
    ['claude-code', SESSION, 'external', 'use tabs'],
    ['claude-code', SESSION, 'external', 'run the tests'],
  ]);
  expect((await rowsOf(home))[0]!.path).toBe(`${repo.path}#entire/checkpoints/v1:ab/c123456789/0/full.jsonl`);
  expect(await home.run()).toEqual({ done: 0 });

  repo.checkpoint(BRANCH, {
    'de/f123456789/0/metadata.json': facts('Claude Code', SESSION, '2026-08-02T10:00:00Z'),
    'de/f123456789/0/full.jsonl': first + said('now the docs', 4),
    // The very bytes of another checkpoint are one log.
    'fe/f123456789/0/metadata.json': facts('Claude Code', SESSION, '2026-08-02T10:00:00Z'),
    'fe/f123456789/0/full.jsonl': first,
  });
  repo.git('update-ref', 'refs/remotes/origin/entire/checkpoints/v1', BRANCH);
  expect(await home.run()).toMatchObject({ done: 1, counts: { entries: 1, known: 2 } });
  expect((await rowsOf(home)).map(({ text }) => text)).toEqual(['use tabs', 'run the tests', 'now the docs']);
  const project = await home.store.read((db) => db.all<{ cwd: string }>('SELECT DISTINCT cwd FROM own.entries'));
  expect(project).toEqual([{ cwd: repo.path }]);
});

test('where the config says so they are the person’s own words, also when it says so later', async () => {
  const home = await testHome();
  const { path } = repository(home);
  mkdirSync(join(path, '.specstory/history'), { recursive: true });
  writeFileSync(join(path, '.specstory/history/a.md'), '<!-- Claude Code Session s1 (x) -->\n\n_**User**_\n\nuse pnpm\n\n---\n');
  repository(home).checkpoint(BRANCH, {
    'ab/c123456789/0/metadata.json': facts('Claude Code'),
    'ab/c123456789/0/full.jsonl': said('use tabs', 1),
  });
  Object.assign(home.config.agents, { checkpoints: ['~/src/shop'], roots: { specstory: ['~/src/shop'] } });
  for (const [mine, origin] of [
    [[], 'external'],
    [['~/src/*'], 'user'],
  ] as const) {
    home.config.agents.mine = [...mine];
    await home.run();
    const rows = (await rowsOf(home)).filter(({ role }) => role === 'user');
    expect(rows.map((row) => [row.agent, row.origin])).toEqual([
      ['claude-code', origin],
      ['specstory', origin],
    ]);
    expect(await home.run()).toEqual({ done: 0 });
  }
});

test('a session that stands in its own log and in a checkpoint is stored once, as its own log tells it, in either order', async () => {
  for (const isCheckpointFirst of [true, false]) {
    const home = await testHome();
    const repo = repository(home);
    const masked = said('put KEY=REDACTED into .env', 1);
    const own = said('put KEY=nightly-build-41 into .env', 1);
    const inRepository = (): void => {
      repo.checkpoint(BRANCH, { 'ab/c123456789/0/metadata.json': facts('Claude Code'), 'ab/c123456789/0/full.jsonl': masked });
      home.config.agents.checkpoints = [repo.path];
    };
    const native = (): void => void home.log(`shop/${SESSION}.jsonl`, own);
    for (const add of isCheckpointFirst ? [inRepository, native] : [native, inRepository]) {
      add();
      await home.run();
    }
    const rows = await rowsOf(home);
    expect(rows.map(({ origin, text }) => [origin, text])).toEqual([['user', 'put KEY=nightly-build-41 into .env']]);
  }
});

test('a ref for each checkpoint, logs in parts, of subagents, of several agents, under a wrong label', async () => {
  const home = await testHome();
  const repo = repository(home);
  const gemini = readFileSync(join(fixtures, 'opencode/named/session.json'), 'utf8');
  repo.checkpoint('refs/entire/checkpoints/ab/c123456789', {
    'metadata.json': '{}',
    '0/metadata.json': facts('Gemini CLI'),
    '0/full.jsonl': said('in two parts', 1).trimEnd(),
    '0/full.jsonl.001': said('the second', 2),
    '1/metadata.json': facts('OpenCode', 'ses_x'),
    '1/full.jsonl': gemini,
    'tasks/toolu_1/agent-a1.jsonl': said('look for prices', 3).replace('"isSidechain":false', '"isSidechain":true'),
    'tasks/toolu_1/task.json': '{}',
  });
  repo.checkpoint('refs/entire/checkpoints/de/01JZZZZZZZZZZZZZZZZZZZZZZZ', {
    'metadata.json': facts('Claude Code', 'broken'),
    'full.jsonl': 'no log at all\n',
  });
  home.config.agents.checkpoints = [repo.path];
  await home.run();
  const rows = await rowsOf(home);
  expect(rows.filter(({ agent }) => agent === 'claude-code').map(({ session, text }) => [session, text])).toEqual([
    [SESSION, 'in two parts'],
    [SESSION, 'the second'],
    ['agent-a1', 'look for prices'],
  ]);
  expect(rows.filter(({ agent }) => agent === 'opencode').length).toBeGreaterThan(0);
  expect((await home.bad()).map(({ path, reason }) => [path.split(':').at(-1), reason])).toEqual([['full.jsonl', 'not JSON']]);
  expect(await home.run()).toEqual({ done: 0 });
});

test('nothing that a repository brings is run, and one that is none is named', async () => {
  const home = await testHome();
  const repo = repository(home);
  repo.checkpoint(BRANCH, { 'ab/c123456789/0/full.jsonl': said('use tabs', 1), '.gitattributes': '* filter=bad diff=bad\n' });
  const marker = join(home.home, 'it-ran');
  const script = join(repo.path, 'run.sh');
  writeFileSync(script, `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
  const program = `"${script}"`;
  for (const key of ['core.fsmonitor', 'core.sshCommand', 'core.pager', 'filter.bad.smudge', 'diff.bad.textconv', 'core.editor'])
    repo.git('config', key, script);
  appendFileSync(join(repo.path, '.git/config'), `[alias]\n cat-file = !${program}\n for-each-ref = !${program}\n`);
  for (const hook of ['post-checkout', 'reference-transaction', 'pre-auto-gc'])
    writeFileSync(join(repo.path, '.git/hooks', hook), readFileSync(script), { mode: 0o755 });
  const none = join(home.home, 'none');
  mkdirSync(join(home.home, 'none/inside'), { recursive: true });
  home.config.agents.checkpoints = [repo.path, none, '~/gone'];
  expect(await home.run()).toMatchObject({ done: 1, counts: { entries: 1 } });
  expect(existsSync(marker)).toBe(false);
  const { odd } = await lookForLogs({ config: home.config, env: {}, userHome: home.home });
  expect(odd.map(({ path, reason }) => [path, /not a git repository|cannot change to/.test(reason)])).toEqual([
    [none, true],
    [join(home.home, 'gone'), true],
  ]);
});

test('an unchanged repository costs one call of git; without git it is named', async () => {
  const home = await testHome();
  const repo = repository(home);
  repo.checkpoint(BRANCH, { 'ab/c123456789/0/full.jsonl': said('use tabs', 1) });
  home.config.agents.checkpoints = [repo.path];
  const bin = join(home.home, 'bin/git');
  const calls = join(home.home, 'calls');
  mkdirSync(dirname(bin));
  writeFileSync(
    bin,
    `#!/bin/sh\necho "$*" >> '${calls}'\nexec '${execFileSync('which', ['git'], { encoding: 'utf8' }).trim()}' "$@"\n`,
    { mode: 0o755 },
  );
  const from = {
    config: home.config,
    env: { PATH: `${dirname(bin)}:/usr/bin:/bin` },
    userHome: home.home,
    reading: createReading(),
  };
  const first = await lookForLogs(from);
  const before = readFileSync(calls, 'utf8').split('\n').length;
  expect(await lookForLogs(from)).toEqual(first);
  expect(readFileSync(calls, 'utf8').split('\n').length).toBe(before + 1);
  const { odd } = await lookForLogs({ ...from, env: { PATH: join(home.home, 'empty') } });
  expect(odd.map(({ reason }) => reason)).toEqual(['checkpoints need git, which is not on PATH']);
});
