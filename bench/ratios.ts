/**
 * Compares costs with a yardstick in the same run, because a busy machine slows both.
 *   npx tsx bench/ratios.ts   after `node bundle.js`; Linux only, since it reads /proc
 * reading: `run --only ingest` and JSON.parse of the same bytes; start: a command and `node -e 0`;
 * idle, memory: the idle daemon and a bare node that looks at a file each second; disk: the home and
 * the logs. Exits with 1 if a ratio exceeds ratios.json by more than `ROOM`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeHome } from './made-home.js';

/** Allowance for noise. */
const ROOM = 1.25;
/** As long as the daemon's interval between two scans, so that each window contains one scan. */
const IDLE_MS = 30_000;
/** Most windows while the daemon takes more than allowed. */
const MOST_WINDOWS = 6;
const ROUNDS = 3;
/**
 * Most rounds while something is worse. A busy neighbour slows a program for a while, but a real
 * slowdown is in each round.
 */
const MOST_ROUNDS = 9;
const PARSES = 25;
const COMMANDS: Record<string, string[]> = {
  version: ['--version'],
  context: ['context', '--project', 'made-1'],
  status: ['status'],
  search: ['search', 'parser'],
};
const PARSE = `const { readFileSync, readdirSync } = require('node:fs');
for (let i = 0; i < ${PARSES}; i++)
  for (const name of readdirSync('.', { recursive: true }).filter((each) => each.endsWith('.jsonl')))
    for (const line of readFileSync(name, 'utf8').split('\\n')) if (line !== '') JSON.parse(line);`;

const root = join(import.meta.dirname, '..');
const cli = join(root, 'dist/cli.js');
const folder = mkdtempSync(join(tmpdir(), 'dripstone-ratios-'));
const home = join(folder, 'home');

function envOf(name: string): NodeJS.ProcessEnv {
  const stone = join(folder, name);
  mkdirSync(stone, { recursive: true });
  writeFileSync(join(stone, 'config.yaml'), 'embed: {enabled: false}\n');
  return { PATH: process.env['PATH'] ?? '', HOME: home, DRIPSTONE_HOME: stone };
}

/** User and system time of finished children in seconds, from the kernel's hundredths. */
function ofChildren(): number {
  const text = readFileSync('/proc/self/stat', 'utf8');
  const afterName = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return afterName.slice(13, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
}

/**
 * Processor seconds of a running program since its start, from the nanoseconds of its threads
 * (proc(5), schedstat), because `stat` only samples. A thread that ended keeps its last value.
 */
function meterOf(pid: number): () => number {
  const byThread = new Map<string, number>();
  return () => {
    for (const id of readdirSync(`/proc/${pid}/task`)) {
      const path = `/proc/${pid}/task/${id}/schedstat`;
      if (existsSync(path))
        byThread.set(id, Number(readFileSync(path, 'utf8').split(' ')[0]) / 1e9);
    }
    return [...byThread.values()].reduce((sum, each) => sum + each, 0);
  };
}

/** Mean processor seconds of one run; short programs run several times, since the kernel rounds. */
function secondsOf(env: NodeJS.ProcessEnv, times: number, args: readonly string[]): number {
  const before = ofChildren();
  for (let i = 0; i < times; i++) {
    const { status, stderr } = spawnSync(process.execPath, args, {
      env,
      cwd: home,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (status !== 0)
      throw new Error(`${args.join(' ')} ended with ${status}: ${stderr.toString()}`);
  }
  return (ofChildren() - before) / times;
}

/** A bare wake-up once a second: its cost on this machine varies with the hour. */
const AWAKE = `setInterval(() => require('node:fs').statSync('.'), 1000)`;

/**
 * Processor time of the daemon after reading and learning, as a multiple of {@link AWAKE} beside
 * it, while `work` runs, and its memory. Measures again what is worse than before.
 */
async function idleTimes(
  env: NodeJS.ProcessEnv,
  isWorse: (name: string, ratio: number) => boolean,
  work: () => void,
): Promise<{ idle: number; memory: number }> {
  const daemon = spawn(process.execPath, [cli, 'start'], { env, cwd: home, stdio: 'ignore' });
  const awake = spawn(process.execPath, ['-e', AWAKE], { cwd: home, stdio: 'ignore' });
  const [spent, spentAwake] = [meterOf(daemon.pid!), meterOf(awake.pid!)];
  try {
    for (let quiet = 0, last = 0; quiet < 3;) {
      await sleep(1000);
      const now = spent();
      quiet = last > 0 && now - last < 0.02 ? quiet + 1 : 0;
      last = now;
    }
    const share = async (ms: number, beside: () => void): Promise<number> => {
      const [begun, before, beforeAwake] = [performance.now(), spent(), spentAwake()];
      beside();
      while (performance.now() - begun < ms) await sleep(1000).then(spent);
      return (spent() - before) / (spentAwake() - beforeAwake);
    };
    // After a start some windows have bursts, but the cost at rest is in every window.
    const memoryNow = (): number => privateKb(daemon.pid!) / privateKb(awake.pid!);
    let [idle, memory] = [await share(IDLE_MS, work), memoryNow()];
    // The model leaves memory a minute after it was used.
    const isRest = (): boolean => !isWorse('idle', idle) && !isWorse('memory', memory);
    for (let window = 1; window < MOST_WINDOWS && !isRest(); window++) {
      idle = Math.min(idle, await share(IDLE_MS, () => {}));
      memory = Math.min(memory, memoryNow());
    }
    return { idle, memory };
  } finally {
    awake.kill();
    daemon.kill();
    await once(daemon, 'exit');
  }
}

/** Memory of a process without mapped files (proc(5), status). */
const privateKb = (pid: number): number =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);

const bytesBelow = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

/**
 * The best of several rounds, programs and yardsticks in turns, against noise of other programs.
 */
function measure(
  learnt: NodeJS.ProcessEnv,
  isWorse: (name: string, ratio: number) => boolean,
): Record<string, number> {
  const best: Record<string, number> = {};
  const take = (name: string, seconds: number): void =>
    void (best[name] = Math.min(best[name] ?? Infinity, seconds));
  let ratios: Record<string, number> = {};
  const isFine = (): boolean =>
    Object.entries(ratios).every(([name, ratio]) => !isWorse(name, ratio));
  for (let round = 0; round < ROUNDS || (round < MOST_ROUNDS && !isFine()); round++) {
    take('node', secondsOf(learnt, 10, ['-e', '0']));
    take('parse', secondsOf(learnt, 1, ['-e', PARSE]));
    take('reading', secondsOf(envOf(`round-${round}`), 1, [cli, 'run', '--only', 'ingest']));
    for (const [name, args] of Object.entries(COMMANDS))
      take(name, secondsOf(learnt, 2, [cli, ...args]));
    ratios = ratiosOf(best);
  }
  return ratios;
}

function ratiosOf({
  node,
  parse,
  reading,
  ...commands
}: Record<string, number>): Record<string, number> {
  const starts = Object.entries(commands).map(([name, seconds]) => [name, seconds / node!]);
  return {
    reading: reading! / ((parse! - node!) / PARSES),
    ...(Object.fromEntries(starts) as Record<string, number>),
  };
}

if (process.platform !== 'linux') process.exit(0);
try {
  makeHome(home, { sessions: 40, projects: 4, days: 40, until: '2026-11-01', seed: 4, rounds: 20 });
  const reference = JSON.parse(
    readFileSync(join(import.meta.dirname, 'ratios.json'), 'utf8'),
  ) as Record<string, number>;
  const learnt = envOf('learnt');
  secondsOf(learnt, 1, [cli, 'run', '--only', 'ingest,extract,context']);
  // A separate home for the daemon, because commands that write into its home cause it work.
  cpSync(join(folder, 'learnt'), join(folder, 'daemon'), { recursive: true });
  const measured: Record<string, number> = {};
  const isWorse = (name: string, ratio: number): boolean => !(ratio <= reference[name]! * ROOM);
  measured['disk'] = bytesBelow(join(folder, 'learnt')) / bytesBelow(join(home, '.claude'));
  const rest = await idleTimes(
    envOf('daemon'),
    isWorse,
    () => void Object.assign(measured, measure(learnt, isWorse)),
  );
  Object.assign(measured, rest);
  for (const [name, ratio] of Object.entries(measured)) {
    const [most, isSlower] = [reference[name]! * ROOM, isWorse(name, ratio)];
    console.log(
      `${name.padEnd(8)} ${ratio.toFixed(2).padStart(6)}  at most ${most.toFixed(2)}${isSlower ? '  SLOWER' : ''}`,
    );
    if (isSlower) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
