/**
 * Measures the cost of a hook: the daemon's answer over an invented store, and the time of the hook
 * program beyond bare Node.
 * Usage: node bundle.js && tsx bench/hooks.ts [ENTRIES] (default 100000; KEEP=1 keeps the store and
 * prints its path)
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../src/app.js';
import { ask } from '../src/wire.js';
import { createAnswers } from '../src/hooks/answers.js';
import { serveMoments } from '../src/hooks/moments.js';
import { listen } from '../src/socket/server.js';
import { compiledFile } from '../src/place.js';
import { saveFolders, saveProjects } from '../src/store/index.js';
import { clock, fill, word } from './made-store.js';

const count = Number(process.argv[2] ?? 100_000);
const root = mkdtempSync(join(tmpdir(), 'dripstone-bench-'));
const env = { HOME: join(root, 'home'), DRIPSTONE_HOME: join(root, 'stone') };
mkdirSync(env.HOME);
mkdirSync(env.DRIPSTONE_HOME, { mode: 0o700 });
writeFileSync(
  join(env.DRIPSTONE_HOME, 'config.yaml'),
  'embed: {enabled: false}\nhooks: {moments: [failure, command]}\n',
);

function told(name: string, taken: number[]): void {
  taken.sort((a, b) => a - b);
  const at = (share: number): string => `${taken[Math.floor(taken.length * share)]!.toFixed(0)} ms`;
  console.log(`  ${name}: p50 ${at(0.5)}, p95 ${at(0.95)}, least ${at(0)} (${taken.length} times)`);
}

const stopped = new AbortController();
const app = await createApp({
  env,
  clock,
  signal: stopped.signal,
  access: 'write',
  lockAs: 'daemon',
  logTo: 'file',
  mode: 'daemon',
});
await fill(app.store, count, 'bench');
// Packed by term, as after a night.
await app.store.rebuild();
await app.store.write(async (db) => {
  await saveProjects(db, [
    { id: 'p1', slug: 'bench-0001', name: 'bench', remote: null, folders: [], aliases: [] },
  ]);
  await saveFolders(db, [{ cwd: '/w', project: 'p1', facts: {} }]);
});
// No request ends early, so that its whole time is measured.
const PATIENT_MS = 10_000;
const socket = join(root, 'bench.sock');
const recall = serveMoments(createAnswers(app));
const listening = await listen(socket, { recall }, console.error);
writeFileSync(join(env.DRIPSTONE_HOME, 'daemon.json'), JSON.stringify({ socket }));
console.log(`${count} entries`);

for (const type of ['failure', 'command'] as const) {
  const taken: number[] = [];
  let answered = 0;
  for (let n = 0; n < 60; n++) {
    const text = `${word()} ${word()} --${word()}`;
    const output = `Exit code 1\nerror: ${Array.from({ length: 40 }, word).join(' ')}`;
    const asked = {
      version: 1 as const,
      ask: 'recall' as const,
      type,
      text,
      cwd: '/w',
      session: `n${n}`,
      agent: 'claude-code',
    };
    const begun = performance.now();
    const heard = await ask(
      env.DRIPSTONE_HOME,
      { ...asked, output: type === 'failure' ? output : null },
      PATIENT_MS,
    );
    taken.push(performance.now() - begun);
    if (heard !== null) answered++;
    heard?.printed();
  }
  told(`${type} at the socket`, taken);
  console.log(
    `    within 150 ms: ${taken.filter((ms) => ms <= 150).length} of ${taken.length}; with something to tell: ${answered}`,
  );
}

const input = JSON.stringify({
  ...{
    session_id: 's',
    cwd: '/w',
    hook_event_name: 'PostToolUseFailure',
    tool_name: 'Bash',
    error: 'Exit code 1',
  },
  tool_input: { command: 'npm test' },
});
const runs: [string, string[]][] = [
  ['node -e 0', ['-e', '0']],
  ['the hook without a daemon', [compiledFile('hook.cjs'), 'claude-code', join(root, 'none')]],
];
const walls = new Map<string, number[]>();
for (let n = 0; n < 40; n++)
  for (const [name, argv] of runs) {
    const begun = performance.now();
    spawnSync(process.execPath, argv, { input });
    walls.set(name, [...(walls.get(name) ?? []), performance.now() - begun]);
  }
for (const [name, taken] of walls) told(name, taken);
await listening.close();
await app[Symbol.asyncDispose]();
if (process.env['KEEP'] === undefined) rmSync(root, { recursive: true });
else console.log(root);
