/** Commands that write while a daemon runs: each is done once, whatever ends in between. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageVersion } from '../../../src/config.js';
import { planAdd } from '../../../src/lessons/index.js';
import { createBackground } from '../../../src/jobs/daemon-work.js';
import type { Answer, Request } from '../../../src/jobs/requests.js';
import { carryOut } from '../../../src/work.js';
import { says } from '../../jobs/made-log.js';
import { daemonApp, setStage, startDaemon, type Stage } from '../../stage.js';

const CWD = '/home/ann/kettle';
const DIES = new URL('../../faults/children/die-at-answer.mjs', import.meta.url).href;

function sessionAt(n: number): string {
  return `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`;
}

/** A home with a project that is read. */
async function kettle(): Promise<Stage> {
  const stage = setStage({ isLive: true });
  stage.log({ session: sessionAt(0), cwd: CWD, day: '2026-11-20' }, [says('Brew the tea.')]);
  expect((await stage.type('run')).err).toBe('');
  return stage;
}

function add(text: string): string[] {
  return ['lessons', 'add', text, '--global'];
}

function times(stage: Stage, text: string): Promise<{ n: number }[]> {
  return stage.ask((db) =>
    db.all('SELECT count(*)::INTEGER AS n FROM own.edits WHERE text = $text', { text }),
  );
}

test('a daemon that is killed before its answer costs nothing: the command asks again with the same id, and nothing is done twice', async () => {
  const stage = await kettle();
  const first = await startDaemon(stage, { preload: DIES });
  expect(await stage.type(...add('Kettles are steel'))).toMatchObject({ code: 0, err: '' });
  expect((await first.ended).signal).toBe('SIGKILL');
  expect(await times(stage, 'Kettles are steel')).toEqual([{ n: 1 }]);
  await startDaemon(stage, { preload: DIES });
  const who = { provider: 'p', model: 'm', purpose: 'test', agent: null, session: null } as const;
  const call = {
    ...who,
    ...{ time: '2026-11-20T12:00:00.000Z', tokens_in: 3, tokens_out: 4, ms: 5, error: null },
    outcome: 'ok' as const,
  };
  await carryOut(stage.io(), { kind: 'ledger', call });
  expect(await stage.ask((db) => db.all('SELECT model FROM own.llm_calls'))).toEqual([
    { model: 'm' },
  ]);
});

test('a daemon that is stopped costs one clear error after the deadline, and does nothing of it later', async () => {
  const stage = await kettle();
  const { child } = await startDaemon(stage);
  child.kill('SIGSTOP');
  onTestFinished(() => void child.kill('SIGCONT'));
  const said = await stage.typeAs(['run'], { silentMs: 400 });
  expect([said.code, said.out]).toEqual([11, '']);
  expect(said.err).toBe(
    `dripstone: the daemon, process ${child.pid}, gave no answer for 0.4 s\n  next: nothing was changed; ` +
      'resume it if it is stopped, or end it: the command then does the work itself\n',
  );
  const edit = planAdd(null, 'fact', 'Kettles are tin', '2026-11-20T12:00:00.000Z');
  const asked = carryOut({ ...stage.io(), silentMs: 400 }, { kind: 'edit', edit, owner: null });
  await expect(asked).rejects.toMatchObject({ code: 'DAEMON_SILENT' });
  child.kill('SIGCONT');
  const both = await Promise.all(['copper', 'steel'].map((of) => stage.start(add(of)).ended));
  expect(both.map(({ code, err }) => [code, err])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  const texts = (await stage.lessons('--project', 'all')).map(({ text }) => text);
  expect(texts.sort()).toEqual(['copper', 'steel']);
});

test('a daemon that is stopped while a command waits for its run ends', async () => {
  const stage = await kettle();
  const { child, ended } = await startDaemon(stage);
  const { socket } = JSON.parse(stage.read('daemon.json')) as { socket: string };
  const request: Request = { kind: 'run', only: null, rebuild: true };
  const asked = { version: 1, ask: 'work', program: packageVersion(), id: '1', request };
  const waiting = connect(socket, () => waiting.write(`${JSON.stringify(asked)}\n`));
  waiting.on('error', () => {}).once('data', () => child.kill('SIGTERM'));
  expect((await ended).code).toBe(0);
});

test('requests to run are passes; one whose command left before it began is not done', async () => {
  const stage = await kettle();
  await using app = await daemonApp(stage, 'once');
  const background = createBackground(app);
  const run: Request = { kind: 'run', only: ['ingest'], rebuild: false };
  const purge = { match: 'Brew', session: null, project: null, before: null, notes: false };
  const left = { kind: 'purge', purge, by: 'person' };
  void background.take('0', left, () => false);
  const [one, two] = await Promise.all(
    ['1', '2'].map((id) => background.take(id, run, () => true)),
  );
  expect(one).toMatchObject({ kind: 'run', summary: { entries: 1 } });
  expect(two).toMatchObject({ kind: 'run', summary: { entries: 1 } });
  expect(await background.take('3', { kind: 'run' }, () => true)).toMatchObject({
    kind: 'failed',
  } satisfies Partial<Answer>);
  await background.close();
});

test('a home that can have no socket has one in the folder for temporary files; without any, `status` and the command say why', async () => {
  const root = setStage().root;
  const stage = setStage({ isLive: true, root, stone: join(root, 'deep'.repeat(30)) });
  const { child, ended } = await startDaemon(stage);
  expect(await stage.type(...add('Kettles are steel'))).toMatchObject({ code: 0, err: '' });
  const { socket } = JSON.parse(stage.read('daemon.json')) as { socket: string };
  expect(dirname(socket)).toMatch(/dripstone-\d+$/);
  child.kill('SIGTERM');
  await ended;
  // Something of the person's has the name.
  mkdirSync(socket);
  onTestFinished(() => rmSync(socket, { recursive: true, force: true }));
  writeFileSync(join(socket, 'theirs'), '');
  await startDaemon(stage);
  const said = await stage.type(...add('Kettles are tin'));
  expect([said.code, said.err]).toEqual([
    11,
    expect.stringMatching(/cannot be asked: .*too long.*exists and is not a socket/),
  ]);
  expect((await stage.degraded()).map(({ code }) => code)).toContain('NO_SOCKET');
});
