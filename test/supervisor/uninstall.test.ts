import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../src/commands/main.js';
import { pathsOf } from '../../src/config.js';
import { setStage } from '../stage.js';

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
