/**
 * The installed program has a folder of its own: what becomes of it when the checkout goes, and
 * when a newer version is no good.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { STORE_VERSION } from '../../src/store/index.js';
import { copyVersion } from '../../src/supervisor/versions.js';
import { type Stage, setStage } from '../stage.js';
import { putProgram, SYSTEMCTL } from '../supervisor/stand-in.js';

let stage: Stage;
let checkout: string;
let programs: string;

beforeEach(() => {
  stage = setStage();
  programs = join(stage.home, 'programs');
  putProgram(programs, 'systemctl', SYSTEMCTL);
  putProgram(programs, 'loginctl', 'echo no');
  const root = mkdtempSync(join(tmpdir(), 'dripstone-checkout-'));
  checkout = dirname(
    dirname(copyVersion(fileURLToPath(new URL('../..', import.meta.url)), root, STORE_VERSION).cli),
  );
});
afterEach(() => {
  const env = { HOME: stage.home, PATH: '/usr/bin:/bin' };
  spawnSync(join(programs, 'systemctl'), ['--user', 'disable', '--now', 'x'], { env });
  rmSync(dirname(checkout), { recursive: true, force: true });
});

const env = () => ({
  HOME: stage.home,
  DRIPSTONE_HOME: stage.stone,
  PATH: `${programs}:/usr/bin:/bin`,
});
function run(program: string, ...args: string[]) {
  const done = spawnSync(program, args, { env: env(), encoding: 'utf8', cwd: stage.home });
  return { code: done.status, out: done.stdout, err: done.stderr };
}
function install() {
  return run(
    process.execPath,
    join(checkout, 'dist/cli.js'),
    'service',
    'install',
    '--bin',
    join(stage.home, 'bin'),
  );
}
function launched(...args: string[]) {
  return run(join(stage.home, 'bin/dripstone'), ...args);
}
function versions(): string[] {
  return readdirSync(join(stage.home, '.local/share/dripstone/program')).filter(
    (name) => name !== 'current.json',
  );
}
function edit(path: string, change: (text: string) => string): void {
  writeFileSync(join(checkout, path), change(readFileSync(join(checkout, path), 'utf8')));
}
const state = () =>
  (JSON.parse(launched('service', 'status', '--json').out) as { state: string }).state;

test('it outlives the checkout; an update replaces it; one that does not run leaves the store', () => {
  expect(install()).toMatchObject({ code: 0, err: '' });
  edit('package.json', (text) => text.replace('"version": "', '"version": "9.'));
  edit('dist/cli.js', (text) =>
    text.replace('try {', 'try {\n  if (process.argv[2] === "start") process.exit(14);'),
  );
  const broken = install();
  expect(broken).toMatchObject({ code: 1, out: '' });
  expect(broken.err).toContain('the service is installed and does not run');
  expect(state()).toBe('failing');

  edit('dist/cli.js', (text) => text.replace(/\n {2}if \(process.*/, ''));
  expect(install()).toMatchObject({ code: 0, err: '' });
  expect(versions()).toEqual([expect.stringMatching(/^9\./)]);
  rmSync(dirname(checkout), { recursive: true });
  expect(launched('--version').out).toMatch(/^9\./);
  expect([state(), launched('run').code]).toEqual(['running', 0]);
  expect(
    launched('service', 'uninstall', '--bin', join(stage.home, 'bin'), '--purge', '--yes'),
  ).toMatchObject({ code: 0, err: '' });
  expect(readdirSync(stage.home).sort()).toEqual(['bin', 'programs']);
  const left = readdirSync(stage.home, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.includes('dripstone'),
  );
  expect([left, existsSync(stage.stone)]).toEqual([[], false]);
});
