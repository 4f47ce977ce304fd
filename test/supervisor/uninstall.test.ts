import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../src/commands/main.js';
import { pathsOf } from '../../src/config.js';
import type { Io } from '../../src/io.js';
import { type Stage, setStage } from '../stage.js';

/** What else lies in a home after a crash, or was written by an earlier version. */
const OTHERS = [
  ...['synced.txt', 'ui.sock', 'ui-open.html', 'config.lock.duckdb.wal', 'memory.duckdb.wal'],
  ...['memory.duckdb.damaged-20261120T041709Z', '.links.json.42.0a1b2c3d.tmp', 'daemon.sock'],
  ...['nudges', 'reviewed.txt', 'dataset.lock.duckdb', 'config.last.yaml', 'uses.jsonl.42'],
];

test('`service uninstall --purge` asks first, and leaves no file', async () => {
  const stage = setStage();
  // A query of the person's own is theirs.
  const { home, ...paths } = pathsOf(stage.stone);
  for (const path of [...Object.values(paths), ...OTHERS.map((name) => join(home, name))])
    if (!existsSync(path)) writeFileSync(path, 'x');
  const before = readdirSync(home);
  expect((await stage.type('service', 'uninstall', '--purge')).err).toContain('add --yes');
  const answered = async (answer: string): Promise<number> => {
    stage.stdin = [answer];
    return main(['service', 'uninstall', '--purge'], { ...stage.io(), terminal: true });
  };
  expect([await answered('n'), readdirSync(home)]).toEqual([2, before]);
  expect([await answered('y'), existsSync(home)]).toEqual([0, false]);

  mkdirSync(join(home, 'facts'), { recursive: true });
  expect((await stage.type('service', 'uninstall', '--purge', '--yes')).out).toContain(
    'other files',
  );
  expect(readdirSync(home)).toEqual(['facts']);
});

const noSystem = (stage: Stage): Partial<Io> => ({ env: { ...stage.io().env, PATH: '/nowhere' } });

test('an installation at a terminal offers the link and the hooks, one question each, and an uninstallation takes all away', async () => {
  const stage = setStage();
  stage.put('.claude/settings.json', '{}\n');
  stage.put('shop/.git/HEAD', 'ref: refs/heads/main\n');
  stage.put('shop/CLAUDE.local.md', 'Mine.\n');
  stage.cwd = join(stage.home, 'shop');
  const asked: string[] = [];
  const person = (answer: string): Partial<Io> => ({
    ...noSystem(stage),
    terminal: true,
    outIsTerminal: true,
    ask: (question) => {
      asked.push(question);
      return Promise.resolve(answer);
    },
  });
  const [settings, line] = [
    join(stage.home, '.claude/settings.json'),
    join(stage.home, 'shop/CLAUDE.local.md'),
  ];
  const read = (): string[] => [settings, line].map((path) => readFileSync(path, 'utf8'));
  expect((await stage.typeAs(['service', 'install'], noSystem(stage))).code).toBe(0);
  expect((await stage.typeAs(['service', 'install'], person(''))).code).toBe(0);
  expect(asked).toEqual([
    expect.stringMatching(/instruction files of ~\/shop, .*\[y\/N\] $/),
    expect.stringMatching(/hooks to the settings of Claude Code, .*\[y\/N\] $/),
  ]);
  expect(read()).toEqual(['{}\n', 'Mine.\n']);
  await stage.typeAs(['service', 'install'], person('y'));
  expect(read()[0]).toContain('hook.cjs');
  expect(read()[1]).toContain('context.md');
  await stage.typeAs(['service', 'install'], person('y'));
  expect(asked).toHaveLength(4);

  const agent: Partial<Io> = { caller: () => ({ kind: 'agent', name: 'codex' }) };
  expect((await stage.typeAs(['service', 'uninstall'], agent)).code).toBe(1);
  stage.put('.dripstone/config.yaml', '');
  stage.stdin = ['n'];
  const said = await stage.typeAs(['service', 'uninstall'], person('y'));
  expect(said.err).toContain('Delete the whole memory');
  expect(said.out).toContain('stays in');
  expect(read()).toEqual(['{}\n', 'Mine.\n']);
});
