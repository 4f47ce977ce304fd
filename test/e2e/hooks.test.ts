/** The real daemon and the real hook program, with a script in the agent's place. */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { CURE, CWD, ERROR, cured, failedCommand } from '../hooks/home.js';
import { type Running, type Stage, setStage, startDaemon } from '../stage.js';
import { answers, claudeLog, shell, type Turn } from '../jobs/made-log.js';

const HOOK = fileURLToPath(new URL('../../dist/hook.cjs', import.meta.url));
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
let person: Stage;
let daemon: Running;
const logOf = (session: string, turns: Turn[]): string =>
  person.log({ session, cwd: CWD, day: '2026-11-19' }, turns);
beforeAll(async () => {
  person = setStage({ isLive: true });
  await person.type('config', 'set', 'hooks.moments', 'start', 'compaction', 'failure', 'end');
  person.log({ session: 'a1', cwd: CWD, day: '2026-11-18' }, cured);
  logOf('k1', cured);
  logOf('k2', [...cured, answers('Remember: start rabbit before the broker tests.')]);
  logOf('k3', [...cured, STOPPED]);
  await person.type('run');
  daemon = await startDaemon(person);
});

/** What an agent does at an event: starts the hook and gives it the JSON. */
function hook(input: string): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [HOOK, 'claude-code', person.stone],
    { input, encoding: 'utf8' },
  );
  return { status, out: stdout, err: stderr };
}

/** The same, as a plugin starts it. */
function pluginHook(input: string): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, 'hook', 'claude-code'], {
    ...{ input, encoding: 'utf8', env: { ...process.env, DRIPSTONE_HOME: person.stone } },
  });
  return { status, out: stdout, err: stderr };
}

const STOPPED: Turn = {
  records: [{ type: 'user', message: { role: 'user', content: '[Request interrupted by user]' } }],
};
const SILENCE = { status: 0, out: '', err: '' };

test('a command fails in a session, and its agent hears what helped before', async () => {
  const log = person.put('.claude/projects/-home-mira-code-kettle/b2.jsonl', '');
  appendFileSync(
    log,
    claudeLog({ session: 'b2', cwd: CWD, day: '2026-11-20' }, [
      shell('pnpm test:broker', ERROR, 1),
    ]),
  );
  const answers: string[] = [];
  // A daemon that is still starting is silent, too.
  await expect
    .poll(() => answers.push(hook(JSON.stringify(failedCommand('b2'))).out) && answers.at(-1))
    .not.toBe('');
  const { hookSpecificOutput } = JSON.parse(answers.at(-1)!) as {
    hookSpecificOutput: Record<string, string>;
  };
  expect(hookSpecificOutput['hookEventName']).toBe('PostToolUseFailure');
  expect(hookSpecificOutput['additionalContext']).toContain(CURE);
  expect(hook(JSON.stringify(failedCommand('b2')))).toEqual(SILENCE);
});

test('the hook of a plugin hears the same, in the home that the environment names, and each session once', async () => {
  const heard: string[] = [];
  await expect
    .poll(() => heard.push(pluginHook(JSON.stringify(failedCommand('e5'))).out) && heard.at(-1))
    .toContain(CURE);
  expect(hook(JSON.stringify(failedCommand('e5')))).toEqual(SILENCE);
  expect(pluginHook('{"hook_event_name":')).toEqual(SILENCE);
});

test.each([
  ['nothing', ''],
  ['half a JSON', '{"hook_event_name":'],
  ['another event', JSON.stringify({ ...failedCommand('c3'), hook_event_name: 'Later' })],
  ['fifty megabytes', JSON.stringify(failedCommand('c3', 'make', 'x'.repeat(50_000_000)))],
])('%s on stdin is silence', (_, input) => {
  expect(hook(input)).toEqual(SILENCE);
});

test('an agent is asked once for notes when its turn ends, not after a note or an interruption, and not in a loop', async () => {
  const stop = (session_id: string, stop_hook_active = false) => {
    const event = { hook_event_name: 'Stop', permission_mode: 'default', stop_hook_active };
    return hook(JSON.stringify({ session_id, cwd: CWD, ...event }));
  };
  const said: string[] = [];
  await expect.poll(() => said.push(stop('k1').out) && said.at(-1)).not.toBe('');
  const { decision, reason } = JSON.parse(said.at(-1)!) as Record<string, string>;
  expect([decision, reason]).toEqual(['block', expect.stringContaining('Remember: …')]);
  for (const [session, isLonger] of [
    ['k1', true],
    ['k1', false],
    ['k2', false],
    ['k3', false],
  ] as const)
    expect(stop(session, isLonger), session).toEqual(SILENCE);
  expect(hook(JSON.stringify({ cwd: CWD, hook_event_name: 'Stop' }))).toEqual(SILENCE);
});

test('stdin without an end is silence', async () => {
  const open = spawn(process.execPath, [HOOK, 'claude-code', person.stone], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  expect(await new Promise((resolve) => open.on('close', resolve))).toBe(0);
});

test('while somebody else holds the database a fact that the daemon holds is told, and no session twice', async () => {
  // What the daemon learnt since the last hook it does not hold yet, nor what a session has heard
  // that never asked before.
  const told = (n: number) => {
    hook(JSON.stringify(failedCommand(`d${n}`)));
    hook(JSON.stringify(failedCommand('d4', 'true', 'Exit code 1')));
    return person.ask(() => Promise.resolve(hook(JSON.stringify(failedCommand('d4'))).out));
  };
  let n = 5;
  await expect.poll(() => told(n++)).toContain('rabbit');
  expect(hook(JSON.stringify(failedCommand('d4')))).toEqual(SILENCE);
});

test('after the daemon is gone, killed or ended, hooks are silent', async () => {
  daemon.child.kill('SIGKILL');
  await daemon.ended;
  expect(existsSync(join(person.stone, 'daemon.sock'))).toBe(true);
  expect(hook(JSON.stringify(failedCommand('e5')))).toEqual(SILENCE);
  const next = await startDaemon(person);
  await expect.poll(() => hook(JSON.stringify(failedCommand('g7'))).out).toContain('rabbit');
  // Its session was told by the daemon before.
  expect(hook(JSON.stringify(failedCommand('e5')))).toEqual(SILENCE);
  next.child.kill('SIGTERM');
  expect((await next.ended).code).toBe(0);
  expect(existsSync(join(person.stone, 'daemon.sock'))).toBe(false);
  expect(hook(JSON.stringify(failedCommand('f6')))).toEqual(SILENCE);
  const stop = { session_id: 'a1', cwd: CWD, hook_event_name: 'Stop', stop_hook_active: false };
  expect(hook(JSON.stringify(stop))).toEqual(SILENCE);
});
