/**
 * Once per run: builds dist/ (workers and the CLI run as compiled JS) and gives every test a home
 * that is not the person's.
 */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Less room than this in memory, and the homes of the tests lie on the disk. */
const MEMORY_BYTES = 2 * 2 ** 30;
const NAME = 'dripstone-tests-';

/**
 * Where the tests of one run keep all they make: in memory when there is room, since syncing costs
 * nothing there.
 */
function makeRoot(): string {
  const memory = '/dev/shm';
  const hasRoom = (): boolean => {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= MEMORY_BYTES;
  };
  const base = existsSync(memory) && hasRoom() ? memory : tmpdir();
  // What a killed run left would hold memory until the machine stops.
  for (const left of readdirSync(base).filter((name) => name.startsWith(NAME)))
    if (!isAlive(Number(left.slice(NAME.length).split('-')[0])))
      rmSync(join(base, left), { recursive: true, force: true });
  const root = mkdtempSync(join(base, `${NAME}${process.pid}-`));
  return root;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** What dist/ is made of, by size and time. */
function sourcesOf(root: string): string {
  const below = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) =>
    join('src', name),
  );
  const names = [
    ...below.sort(),
    'bundle.js',
    'config/default.yaml',
    'package.json',
    'package-lock.json',
  ];
  return names
    .map((name) =>
      [name, statSync(join(root, name)).mtimeMs, statSync(join(root, name)).size].join(' '),
    )
    .join('\n');
}

/**
 * Not when it is of these sources already: a build writes over and removes files, and a second
 * `vitest run` beside this one would take them from the commands that the first one has started.
 */
function build(root: string): void {
  const [stamp, sources] = [join(root, 'dist/.tested'), sourcesOf(root)];
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources) return;
  const { status } = spawnSync(process.execPath, ['bundle.js'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0)
    throw new Error('dist/ could not be built: the tests would run an older program');
  writeFileSync(stamp, sources);
}

export default function setup(): () => void {
  build(fileURLToPath(new URL('..', import.meta.url)));
  const temp = makeRoot();
  // `tmpdir()` of every worker answers with it.
  process.env['TMPDIR'] = temp;
  process.env['DRIPSTONE_TEST_HOME'] = join(temp, 'home');
  mkdirSync(process.env['DRIPSTONE_TEST_HOME'], { mode: 0o700 });
  return () => rmSync(temp, { recursive: true, force: true });
}
