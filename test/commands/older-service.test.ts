/**
 * The package was updated, the service was not yet: its store stays as it can read it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { packageVersion } from '../../src/config.js';
import { openDatabase } from '../../src/store/duckdb.js';
import { STORE_VERSION } from '../../src/store/index.js';
import { says } from '../jobs/made-log.js';
import { type Stage, begunStage } from '../stage.js';

const OLDER = STORE_VERSION - 1;
const begun = begunStage({}, async (first) => {
  const session = '11111111-1111-4111-8111-111111111111';

  first.log({ session, cwd: '/home/ann/kettle', day: '2026-11-20' }, [
    says('Remember: always use tabs, never spaces.'),
  ]);
  await first.type('run', '--only', 'ingest');
  await setVersion(first, OLDER);
});
let stage: Stage;
beforeEach(async () => {
  stage = await begun();
});

async function withMeta<T>(
  { stone }: Stage,
  act: (all: (sql: string) => Promise<T[]>) => Promise<T[]>,
): Promise<T[]> {
  const database = await openDatabase(join(stone, 'memory.duckdb'));
  try {
    const db = await database.connect();
    return await act((sql) => db.all(sql) as Promise<T[]>);
  } finally {
    database.close();
  }
}
const setVersion = (on: Stage, version: number) =>
  withMeta(on, (all) =>
    all(`UPDATE main.meta SET value = '${version}' WHERE key = 'store_version' RETURNING value`),
  );
const versionOf = async () =>
  (
    await withMeta<{ value: string }>(stage, (all) =>
      all(`SELECT value FROM main.meta WHERE key = 'store_version'`),
    )
  )[0]!.value;

function install(version: string, store: number): void {
  const id = `${version}-0a1b2c3d`;
  const folder = join(stage.home, '.local/share/dripstone/program');
  mkdirSync(join(folder, id), { recursive: true });
  writeFileSync(join(folder, 'current.json'), JSON.stringify({ version: 1, id }));
  writeFileSync(join(folder, id, 'installed.json'), JSON.stringify({ version: 1, id, store }));
}

test('while the service of an older version is installed, the store stays and each command says what to type', async () => {
  install('0.0.9', OLDER);
  for (const words of [['search', 'tabs', '--json'], ['run'], ['lessons']]) {
    const said = await stage.type(...words);
    expect(said.code).toBe(11);
    expect(said.err).toContain(
      `the service runs 0.0.9, this program is ${packageVersion()}: \`dripstone service install\` updates it`,
    );
  }
  expect(await versionOf()).toBe(String(OLDER));
});

test('beside a daemon that was started by hand nothing is migrated, and each says what to type', async () => {
  const at = stage.now.toISOString();
  writeFileSync(
    join(stage.stone, 'daemon.json'),
    JSON.stringify({ version: '0.0.9', pid: process.pid, started: at, heartbeat: at }),
  );
  for (const words of [['search', 'tabs'], ['sql', 'FROM sessions'], ['lessons']]) {
    const said = await stage.type(...words);
    expect(said.code).toBe(11);
    expect(said.err).toMatch(
      /stays as it is\n.*next: the daemon, process \d+, is of version 0\.0\.9, .*end it, then/,
    );
  }
  const degraded = await stage.degraded();
  expect(degraded.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['STORE_BUSY', 'DAEMON_OTHER']),
  );
  expect(await versionOf()).toBe(String(OLDER));
});

test('a daemon of an older build that names the same version keeps its store, too', async () => {
  const at = stage.now.toISOString();
  const daemon = { version: packageVersion(), pid: process.ppid, started: at, heartbeat: at };
  writeFileSync(join(stage.stone, 'daemon.json'), JSON.stringify(daemon));
  const said = await stage.type('lessons');
  expect(said.code).toBe(11);
  expect(said.err).toMatch(
    /stays as it is\n.*next: the daemon, process \d+, is of an older build: end it, then/,
  );
  expect((await stage.type('status', '--check')).out).toMatch(
    /FAIL store busy: .* stays as it is; .*\n.*cure: the daemon, process \d+, is of an older build: end it, then/,
  );
  expect(await versionOf()).toBe(String(OLDER));
});

test('a service of another version that knows the store as it is: this program works, and status names the update', async () => {
  await setVersion(stage, STORE_VERSION);
  install('0.0.9', STORE_VERSION);
  expect((await stage.type('search', 'tabs')).code).toBe(0);
  const text = `the service runs 0.0.9, this program is ${packageVersion()}: \`dripstone service install\` updates it`;
  expect((await stage.type('status')).out).toContain(text);
  expect((await stage.type('status', '--check')).out).toContain(text);
});
