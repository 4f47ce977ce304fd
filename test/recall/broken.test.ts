/** A guard compares without the database what `broken` compares in it: the two say the same. */
import { expect, test } from 'vitest';
import { breaksCommand, breaksPath } from '../../src/recall/moments/guard.js';
import { tempStore } from '../stage.js';

const STEPS = [
  ...[
    'npm',
    'npm ci',
    '/usr/bin/npm ci',
    'npm -n',
    'npm view x',
    'npm --help',
    'npm run test:unit',
    'npm test -- --ci',
    'pnpm i',
  ],
  ...[
    'git push',
    'git push -n',
    'git push origin HEAD:main',
    'git push --force origin main',
    'git -C x push',
    'git stash pop',
  ],
  ...[
    'git stash',
    'git commit -n',
    'git commit --amend -m help',
    'make -n all',
    'gmake -n',
    'make all',
    'uv run pytest a',
  ],
  ...[
    'pytest a',
    'rsync -n a b',
    'git add -n x',
    'git --version',
    './run.sh --dry-run',
    './run.sh x',
    'run.sh log',
  ],
].map((text) => text.split(' '));
const COMMANDS = [
  ...[
    'npm',
    'npm ci',
    'npm test',
    'git push',
    'git push --force',
    'git push main',
    'git push -f',
    'git stash',
    'pytest',
  ],
  ...[
    'git commit',
    'git commit --amend',
    'make',
    'rsync',
    './run.sh',
    '/opt/run.sh',
    'git',
    'git add',
  ],
];
const INSTEADS = [null, 'pnpm', 'uv run pytest', 'npm run'];
const FILES = [
  'src/generated/a.ts',
  'src/generated.ts',
  'web/README.md',
  'README.md',
  'a.lock',
  'x/a.lock',
  'x/y/z.gen.ts',
  'x/z.ts',
];
const PATHS = [
  'src/generated',
  'README.md',
  '*.lock',
  'x/*.gen.ts',
  'x/*',
  '*.gen.*',
  'x/*/z',
  'generated',
  'a+b.ts',
  '**/z.ts',
];

test('of commands and of paths', async () => {
  const { store } = await tempStore();
  const lists = {
    steps: JSON.stringify(STEPS),
    commands: COMMANDS,
    insteads: JSON.stringify(INSTEADS),
  };
  const inSql = await store.read((db) =>
    db.all<{
      words: string[];
      shown: boolean;
      command: string;
      instead: string | null;
      breaks: boolean;
    }>(
      `SELECT *, coalesce(does_work(words, shown) AND breaks_command(words, command, instead), false) AS breaks
       FROM (SELECT unnest(from_json($steps::VARCHAR, '[["VARCHAR"]]')) AS words),
         (SELECT unnest([true, false]) AS shown), (SELECT unnest($commands::VARCHAR[]) AS command),
         (SELECT unnest(from_json($insteads::VARCHAR, '["VARCHAR"]')) AS instead)`,
      lists,
    ),
  );
  expect(inSql.length).toBe(STEPS.length * 2 * COMMANDS.length * INSTEADS.length);
  expect(inSql.filter(({ breaks }) => breaks).length).toBeGreaterThan(50);
  const differs = inSql.filter(
    ({ command, instead, breaks, ...step }) =>
      breaksCommand(step, command, instead ?? '') !== breaks,
  );
  expect(differs).toEqual([]);
  const paths = await store.read((db) =>
    db.all<{ file: string; path: string; breaks: boolean }>(
      `SELECT *, breaks_path(file, path) AS breaks
       FROM (SELECT unnest($files::VARCHAR[]) AS file), (SELECT unnest($paths::VARCHAR[]) AS path)`,
      { files: FILES, paths: PATHS },
    ),
  );
  expect(paths.filter(({ breaks }) => breaks).length).toBeGreaterThan(10);
  expect(paths.filter(({ file, path, breaks }) => breaksPath(file, path) !== breaks)).toEqual([]);
});
