/**
 * Install, crash, update and uninstall with the real program, and a stand-in for systemd that keeps
 * the unit's promises.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Stage, setStage } from '../stage.js';
import { says } from '../jobs/made-log.js';
import { callsIn, putProgram, SYSTEMCTL } from '../supervisor/stand-in.js';

let stage: Stage;
let programs: string;
function home(path: string): string {
  return join(stage.home, path);
}
const UNIT = '.config/systemd/user/dripstone.service';

/** The commands run here; what the stand-in starts is the real program. */
function type(...argv: string[]) {
  const clock = { now: () => new Date(), mono: () => performance.now() };
  return stage.typeAs(argv, { clock, env: { PATH: `${programs}:/usr/bin:/bin` } });
}
async function status() {
  return JSON.parse((await type('service', 'status', '--json')).out) as {
    state: string;
    pid: number | null;
    exit_code: number | null;
    why: string | null;
    installed: boolean;
  };
}
function install() {
  return type('service', 'install', '--bin', home('.local/bin'));
}
function uninstall(...more: string[]) {
  return type('service', 'uninstall', '--bin', home('.local/bin'), ...more);
}
function pidOfDaemon(): number | null {
  return stage.has('daemon.json')
    ? (JSON.parse(stage.read('daemon.json')) as { pid: number }).pid
    : null;
}

beforeEach(() => {
  stage = setStage();
  programs = home('programs');
  putProgram(programs, 'systemctl', SYSTEMCTL);
  putProgram(programs, 'loginctl', 'echo no');
});
afterEach(() => {
  spawnSync(join(programs, 'systemctl'), ['--user', 'disable', '--now', 'x'], {
    env: { HOME: stage.home, PATH: '/usr/bin:/bin' },
  });
});

test('install, twice; a crash is cured by the supervisor; uninstall leaves what was remembered, purge nothing', async () => {
  const log = stage.log(
    { session: '11111111-1111-4111-8111-111111111111', cwd: '/home/ann/kettle', day: '2026-11-20' },
    [says('Always use tabs, never spaces.')],
  );
  const first = await install();
  expect([first.code, first.err]).toEqual([0, '']);
  expect(first.out).toMatch(/runs as process \d+/);
  expect(first.out).toContain('loginctl enable-linger');
  expect(first.out).toContain('not on your PATH');
  expect(statSync(home('.local/bin/dripstone')).mode & 0o777).toBe(0o755);
  expect(
    spawnSync(home('.local/bin/dripstone'), ['--version'], { encoding: 'utf8', env: {} }).stdout,
  ).toMatch(/^\d+\.\d+/);
  const before = await status();
  expect(before).toMatchObject({ state: 'running', why: null, installed: true });
  const files = () =>
    [UNIT, '.local/bin/dripstone'].map((path) => readFileSync(home(path), 'utf8'));
  const written = files();
  expect((await install()).code).toBe(0);
  expect(files()).toEqual(written);
  const second = await status();
  expect(second.state).toBe('running');
  expect(second.pid).not.toBe(before.pid);

  process.kill(second.pid!, 'SIGKILL');
  await expect
    .poll(() => pidOfDaemon() !== second.pid && pidOfDaemon() !== null, { interval: 100 })
    .toBe(true);
  expect(await status()).toMatchObject({ state: 'running', pid: pidOfDaemon() });
  await expect
    .poll(async () => (await type('search', 'tabs', '--mode', 'exact', '--json')).out, {
      interval: 300,
    })
    .toContain('never spaces');

  mkdirSync(home('kettle'));
  // The daemon has its first night to do: on a slow machine it holds the store longer than a
  // command waits (exit 11).
  await expect
    .poll(async () => (await type('link', home('kettle'), '--only', 'codex')).code, {
      interval: 300,
    })
    .toBe(0);
  const gone = await uninstall();
  expect([gone.code, gone.err]).toEqual([0, '']);
  expect([
    existsSync(home(UNIT)),
    existsSync(home('.local/bin/dripstone')),
    existsSync(home('kettle/AGENTS.md')),
  ]).toEqual([false, false, false]);
  expect(stage.has('memory.duckdb')).toBe(true);
  expect(stage.has('daemon.json')).toBe(false);
  expect((await uninstall()).code).toBe(0);
  writeFileSync(join(stage.stone, 'mine.txt'), 'x');
  writeFileSync(join(stage.stone, 'vectors.bin'), 'x');
  expect((await uninstall('--purge', '--yes')).out).toContain('other files are left');
  const left = ['memory.duckdb', 'vectors.bin', 'config.yaml', 'mine.txt'].filter((name) =>
    stage.has(name),
  );
  expect(left).toEqual(['mine.txt']);
  expect(existsSync(log)).toBe(true);
  expect(callsIn(programs)).toContain('systemctl --user disable --now dripstone.service');
  // Four starts of the real program, on a slow machine at ten seconds each.
});

test('a store of a newer version stops the service with 13, and status says why; the store is untouched', async () => {
  expect((await type('run')).code).toBe(0);
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const db = await DuckDBInstance.create(join(stage.stone, 'memory.duckdb'));
  const connection = await db.connect();
  await connection.run("UPDATE main.meta SET value = '999' WHERE key = 'store_version'");
  connection.closeSync();
  db.closeSync();
  const size = statSync(join(stage.stone, 'memory.duckdb')).size;
  expect((await type('start')).code).toBe(13);
  const said = await install();
  expect(said.code).toBe(1);
  expect(said.err).toContain('newer version');
  expect(await status()).toMatchObject({
    state: 'failing',
    exit_code: 13,
    why: expect.stringContaining('newer version') as string,
  });
  expect(callsIn(programs).filter((call) => call.includes(' restart '))).toHaveLength(1);
  expect(statSync(join(stage.stone, 'memory.duckdb')).size).toBe(size);
});

test('a wrong config is refused before anything is installed; a file on PATH that is not ours stays', async () => {
  writeFileSync(join(stage.stone, 'config.yaml'), 'embed: {enbled: false}\n');
  const refused = await install();
  expect(refused.code).toBe(13);
  expect(existsSync(home(UNIT))).toBe(false);
  writeFileSync(join(stage.stone, 'config.yaml'), 'embed: {enabled: false}\n');
  mkdirSync(home('.local/bin'), { recursive: true });
  writeFileSync(home('.local/bin/dripstone'), 'mine');
  expect(await install()).toMatchObject({
    code: 1,
    err: expect.stringContaining('not made by dripstone') as string,
  });
  expect((await uninstall()).code).toBe(0);
  expect(readFileSync(home('.local/bin/dripstone'), 'utf8')).toBe('mine');
});

test('without a service manager it says that nothing runs, and the one line that starts it at once', async () => {
  putProgram(programs, 'systemctl', 'echo "Failed to connect to bus" >&2; exit 1');
  const said = await install();
  expect(said.code).toBe(0);
  expect(said.out).toContain('not running now');
  expect(said.out).toContain('@reboot');
  const line = /start it at once: (.*)/.exec(said.out)![1]!;
  expect(line).toContain(
    `DRIPSTONE_HOME='${stage.stone}' nohup '${process.execPath}' '${home('.local/share/dripstone/program')}/`,
  );
  expect(await status()).toMatchObject({ state: 'not installed', installed: false });
  expect(existsSync(home(UNIT))).toBe(false);

  spawnSync('sh', ['-c', line], {
    env: { HOME: stage.home, PATH: '/usr/bin:/bin' },
    cwd: stage.home,
  });
  await expect.poll(() => pidOfDaemon(), { interval: 100 }).not.toBeNull();
  const pid = pidOfDaemon()!;
  expect((await install()).out).toContain(`process ${pid} runs`);
  process.kill(pid, 'SIGTERM');
  await expect.poll(() => pidOfDaemon(), { interval: 100 }).toBeNull();
  expect((await uninstall()).out).toContain(`removed ${home('.local/share/dripstone/program')}`);
  expect([
    existsSync(home('.local/share/dripstone')),
    existsSync(home('.local/bin/dripstone')),
  ]).toEqual([false, false]);
});
