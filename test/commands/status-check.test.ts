/** Every check is broken once, and its sentence read. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/app.js';
import { createEmbedder, leaseEmbedder } from '../../src/embed/embedder.js';
import { gatherStatus, runChecks } from '../../src/jobs/upkeep/status.js';
import { hintOf, writeDaemonNote } from '../../src/jobs/upkeep/daemon-note.js';
import { packageVersion, pathsOf } from '../../src/config.js';
import { mountVolume } from '../faults/volume.js';
import { claudeLog, says } from '../jobs/made-log.js';
import { type Stage, begunStage, setStage } from '../stage.js';

const SESSION = '11111111-1111-4111-8111-111111111111';
const LOG = `.claude/projects/-home-ann-kettle/${SESSION}.jsonl`;
const about = { session: SESSION, cwd: '/home/ann/kettle', day: '2026-11-20' };
const NOW = '2026-11-20T12:00:00Z';
function days(count: number): number {
  return Date.parse(NOW) / 1000 + count * 86_400;
}

interface Check {
  name: string;
  ok: boolean;
  text: string;
  cure: string | null;
  details: string[];
}

let stage: Stage;
beforeEach(() => {
  stage = setStage({ now: NOW });
});

/** One log of this day, read and learnt from. */
const learnt = begunStage({ now: NOW }, async (first) => {
  stage = first;
  stage.put('kettle/.git/HEAD', 'ref: refs/heads/main\n');
  putLog(
    0,
    claudeLog({ ...about, cwd: join(stage.home, 'kettle') }, [
      says('Remember: always use tabs, never spaces.'),
    ]),
  );
  expect((await stage.type('run')).code).toBe(0);
});
async function begin(): Promise<void> {
  stage = await learnt();
}

/** A log that changed `age` days from now. */
function putLog(
  age: number,
  text = claudeLog(about, [says('Remember: always use tabs, never spaces.')]),
  path = LOG,
): string {
  const file = stage.put(path, text);
  utimesSync(file, days(age), days(age));
  return file;
}
async function checks(...argv: string[]) {
  return (await stage.type('status', '--check', '--json', ...argv)).json<{
    ok: boolean;
    checks: Check[];
    fixed: string[];
  }>();
}
async function failed(): Promise<Check[]> {
  const said = await stage.type('status', '--check', '--json');
  expect(said.code).toBe(1);
  return said.json<{ checks: Check[] }>().checks.filter((check) => !check.ok);
}

/** Both doors tell it, and `status --check` names a cure. */
async function told(code: string): Promise<string> {
  const found = (await stage.degraded()).find((each) => each.code === code);
  const check = (await failed()).find(
    ({ name }) => name === code.toLowerCase().replaceAll('_', ' '),
  );
  expect(check?.text).toBe(found?.text);
  expect(check?.cure).toMatch(/\w/);
  return found!.text;
}

test('a database that another program holds is one failing check among all', async () => {
  await begin();
  stage.lockWaitMs = 0;
  const hold = fileURLToPath(new URL('../faults/children/hold.mjs', import.meta.url));
  const holder = spawn(process.execPath, [hold, join(stage.stone, 'memory.duckdb'), 'read-write'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  const found = await failed();
  expect(found).toMatchObject([
    { name: 'store busy', cure: expect.stringContaining('close that program') as string },
  ]);
  expect((await checks()).checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['home', 'config', 'logs', 'readable']),
  );
});

describe('a healthy home', () => {
  test('has nothing to complain of, and says where it looked and what it found', async () => {
    await begin();
    const said = await stage.type('status', '--check');
    expect([said.code, said.out.split('\n').filter((line) => line.startsWith('FAIL'))]).toEqual([
      0,
      [],
    ]);
    const facts = (await stage.type('status', '--json')).json<{
      agents: {
        agent: string;
        places: { path: string; exists: boolean; readable: boolean }[];
        logs: number;
        newest: string;
        deletes_after_days: number;
      }[];
      degraded: [];
    }>();
    expect(facts.degraded).toEqual([]);
    expect(facts.agents.find(({ agent }) => agent === 'claude-code')).toMatchObject({
      logs: 1,
      newest: '2026-11-20T12:00:00.000Z',
      deletes_after_days: 30,
    });
    expect(facts.agents.find(({ agent }) => agent === 'claude-code')!.places[0]).toEqual({
      path: `${stage.home}/.claude/projects`,
      exists: true,
      readable: true,
    });
    const status = (await stage.type('status')).out;
    expect(status).toMatch(
      /claude-code +1 log in .*\.claude\/projects · newest 2026-11-2\d \d\d:00 \S+ · deletes its logs after 30 days/,
    );
    expect(status).toMatch(/not found +codex, opencode, .*; `status --json` has where was looked/);
  });

  test('lines that were skipped stand with file and line; unknown records with their type', async () => {
    await begin();
    const other = LOG.replace(SESSION, SESSION.replaceAll('1', '2'));
    putLog(
      0,
      `${claudeLog({ ...about, session: SESSION.replaceAll('1', '2') }, [says('hello')])}{broken\n{"type":"moon-phase","sessionId":"${SESSION}","version":"9.9.9","uuid":"00000000-0000-4000-8000-000000000099"}\n`,
      other,
    );
    await stage.type('run');
    const { out } = await stage.type('status');
    expect(out).toMatch(/unknown record types: moon-phase \(1\)/);
    expect(out).toContain(`${other}:2 (byte `);
  });
});

describe('what is broken is told', () => {
  test('logs changed and nobody reads them', async () => {
    await begin();
    putLog(
      0.5,
      claudeLog({ ...about, session: SESSION.replaceAll('1', '2') }, [says('hello')]),
      LOG.replace(SESSION, SESSION.replaceAll('1', '2')),
    );
    stage.now = new Date(days(2) * 1000);
    expect(await told('LOGS_UNREAD')).toMatch(
      /^1 log changed more than a day ago and was not read$/,
    );
  });

  test('an agent is about to delete what was not read', async () => {
    await begin();
    stage.put('.claude/settings.json', '{"cleanupPeriodDays": 10}');
    putLog(
      1,
      claudeLog({ ...about, session: SESSION.replaceAll('1', '2') }, [says('hello')]),
      LOG.replace(SESSION, SESSION.replaceAll('1', '2')),
    );
    stage.now = new Date(days(6) * 1000);
    expect(await told('LOGS_UNREAD')).toMatch(
      /claude-code deletes 1 unread log within 7 days \(cleanupPeriodDays, 10 days/,
    );
  });

  test('sessions are read and none is learnt from for three days', async () => {
    putLog(0);
    expect((await stage.type('run', '--only', 'ingest')).code).toBe(0);
    expect(await stage.degraded()).toEqual([]);
    stage.now = new Date(days(4) * 1000);
    expect(await told('UNLEARNT')).toMatch(
      /^1 session was read and dripstone learnt nothing for 3 days/,
    );
    await stage.type('run');
    expect(await stage.degraded()).toEqual([]);
  });

  test('the daemon died, or is silent', async () => {
    await begin();
    writeFileSync(
      join(stage.stone, 'daemon.json'),
      JSON.stringify({ version: '0', pid: 2 ** 22 + 1, started: NOW, heartbeat: NOW }),
    );
    expect(await told('DAEMON_DEAD')).toContain('ended unexpectedly');
    // Another process has the number since.
    writeFileSync(
      join(stage.stone, 'daemon.json'),
      JSON.stringify({
        version: '0',
        pid: process.pid,
        born: 'boot 7',
        started: NOW,
        heartbeat: NOW,
      }),
    );
    expect(await told('DAEMON_DEAD')).toContain('ended unexpectedly');
    writeFileSync(
      join(stage.stone, 'daemon.json'),
      JSON.stringify({ version: '0', pid: process.pid, started: NOW, heartbeat: NOW }),
    );
    expect(await told('DAEMON_OTHER')).toMatch(/is of version 0, this program is .*: end it/);
    expect(hintOf('update dripstone', { pid: 7, version: '0' }, '1')).toMatch(
      /process 7, is of version 0.*start it again/,
    );
    expect(hintOf('free some space', { pid: 7, version: '1' }, '1')).toBe('free some space');
    stage.now = new Date(Date.parse(NOW) + 300_000);
    expect(await told('DAEMON_SILENT')).toContain('gave no sign of life');
  });

  test.each([
    ['WATCH_ENOSPC', 'the system has no inotify watches left', 'sysctl'],
    ['CONFIG_REFUSED', 'config.yaml: line 3: unknown key', 'config check'],
    ['CLOCK_JUMPED', 'the clock was set back by 60 seconds', 'clock'],
  ])('what the daemon met: %s', async (code, text, cure) => {
    await begin();
    const note = writeDaemonNote(pathsOf(stage.stone), {
      version: packageVersion(),
      pid: process.pid,
      clock: stage.io().clock,
      failed: () => {},
    });
    note.report(code, text);
    await note.beat();
    expect(await told(code)).toBe(text);
    expect((await failed())[0]!.cure).toContain(cure);
    note.clear(code);
    await note.beat();
    expect(await stage.degraded()).toEqual([]);
    await note.remove();
  });

  test('the model is missing', async () => {
    await begin();
    rmSync(join(stage.stone, 'config.yaml'));
    const limits = { threads: 1, memoryCapBytes: 6e8, recycleTexts: 100, idleMs: 1000 };
    const model = { ...limits, folder: '/nowhere/model', dimensions: 384, textTimeoutMs: 1000 };
    const embedder = leaseEmbedder(
      () => createEmbedder({ ...model, runtime: import.meta.filename }),
      null,
      () => 0,
    );
    await using app = await createApp({
      ...stage.io(),
      access: 'read',
      storeOptional: true,
      embedder,
    });
    const text =
      'search uses words alone; everything else works: cannot read the embedding model file';
    expect((await gatherStatus(app)).degraded).toContainEqual(
      expect.objectContaining({ code: 'NO_MODEL', text: expect.stringContaining(text) as string }),
    );
    expect((await runChecks(app)).find(({ name }) => name === 'no model')).toMatchObject({
      ok: false,
      text: expect.stringContaining(text) as string,
      cure: expect.stringContaining('config set embed.enabled false') as string,
    });
  });

  test('the disk runs low', async ({ skip }) => {
    const volume = mountVolume(96);
    if (volume === null) return skip('nothing may be mounted');
    onTestFinished(() => volume.remove());
    const io = { ...stage.io(), env: { HOME: stage.home, DRIPSTONE_HOME: volume.path } };
    await using app = await createApp({ ...io, access: 'read', storeOptional: true });
    expect((await runChecks(app)).find(({ name }) => name === 'disk full')).toMatchObject({
      ok: false,
      text: expect.stringMatching(/only \d+ MB free.*at 64 MB reading stops/) as string,
    });
  });

  test('switched off, a quarantined database, edits that could not be read', async () => {
    putLog(0);
    const kept = [
      join(stage.stone, 'projects', 'kettle-0123', 'crystal.json.bad'),
      join(stage.stone, 'memory.duckdb.damaged-20261101T000000Z'),
    ];
    for (const path of kept) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'x');
    }
    writeFileSync(join(stage.stone, 'config.yaml'), 'enabled: false\nembed: {enabled: false}\n');
    const [told, checked] = [await stage.degraded(), await failed()];
    const sentences = {
      SWITCHED_OFF: 'nothing is read',
      CRYSTAL_UNREADABLE: kept[0]!,
      STORE_SET_ASIDE: 'was damaged and is quarantined',
    };
    for (const [code, words] of Object.entries(sentences)) {
      expect(told.find((each) => each.code === code)?.text, code).toContain(words);
      expect(
        checked.find(({ name }) => name === code.toLowerCase().replaceAll('_', ' '))?.cure,
        code,
      ).not.toBe('see `dripstone status`');
    }
  });

  test('a store that cannot be read', async () => {
    putLog(0);
    writeFileSync(join(stage.stone, 'memory.duckdb'), 'no database at all '.repeat(1000));
    expect(await stage.degraded()).toContainEqual(
      expect.objectContaining({
        code: 'STORE_UNREADABLE',
        text: expect.stringContaining('the counts from the database are missing') as string,
      }),
    );
    expect((await failed()).find(({ name }) => name === 'store unreadable')?.cure).toContain(
      'quarantined and rebuilt',
    );
  });

  test('no log at all; the home or parts of it open to others', async () => {
    expect((await failed()).map(({ name }) => name)).toEqual(['logs']);
    await begin();
    chmodSync(stage.stone, 0o755);
    chmodSync(join(stage.stone, 'memory.duckdb'), 0o644);
    expect(await failed()).toMatchObject([
      { name: 'modes', details: [stage.stone, join(stage.stone, 'memory.duckdb')] },
    ]);
  });
});

describe('status --check --fix', () => {
  test('cures what is safe, says so, and has nothing to do the second time', async () => {
    await begin();
    chmodSync(stage.stone, 0o755);
    chmodSync(join(stage.stone, 'memory.duckdb'), 0o644);
    writeFileSync(
      join(stage.stone, 'daemon.json'),
      JSON.stringify({ version: '0', pid: 2 ** 22 + 1, started: NOW, heartbeat: NOW }),
    );
    const { ok, fixed } = await checks('--fix');
    expect(ok).toBe(true);
    expect(fixed.join('\n')).toMatch(
      /yours alone now[^]*memory\.duckdb is yours alone[^]*daemon\.json/,
    );
    expect(statSync(stage.stone).mode & 0o777).toBe(0o700);
    expect((await checks('--fix')).fixed).toEqual([]);
  });
});
