/**
 * What must not get slower or larger, each beside its yardstick in the same run: a busy machine slows both.
 *   npx tsx bench/ratios.ts   after `node bundle.js`; Linux only, since it reads /proc
 * reading: `run --only ingest` against JSON.parse of the same bytes; the start of a command against `node -e 0`; idle and memory: processor
 * time and private memory of the daemon while nothing happens, against a bare node that looks at a file each second; disk: the home against
 * the logs. Ends with 1 when one is worse than in ratios.json by more than `ROOM`.
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

/** Room for noise. */
const ROOM = 1.25;
/**
 * As long as the daemon waits between two looks at all places, so that one is in it wherever it
 * begins.
 */
const IDLE_MS = 30_000;
/** So many looks while the daemon takes more than it may. */
const MOST_WINDOWS = 6;
const ROUNDS = 3;
/**
 * So often while something is worse: a neighbour that fills the caches for a minute slows a program
 * more than its yardstick, and is gone later. What got slower is slow each time.
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

/**
 * Processor seconds of children that were waited for, in the kernel's hundredths: user and system.
 */
function ofChildren(): number {
  const text = readFileSync('/proc/self/stat', 'utf8');
  const afterName = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return afterName.slice(13, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
}

/**
 * Processor seconds of a running program since it began, read from its threads' nanoseconds
 * (proc(5), schedstat). The hundredths in `stat` are samples: half a minute of idling has three of
 * them, or six, for the same 35 ms. A thread that ended keeps what it had.
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

/**
 * Mean processor seconds of one run. The kernel counts in hundredths, so short programs run several
 * times.
 */
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

/** What waking up once a second costs here: on one machine it was five times as dear in some hours. */
const AWAKE = `setInterval(() => require('node:fs').statSync('.'), 1000)`;

/**
 * What the daemon takes over what was read and learnt before, as times of {@link AWAKE} beside it,
 * while `work` goes on. Measured again above `most`.
 */
async function idleTimes(
  env: NodeJS.ProcessEnv,
  most: number,
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
    // A start leaves bursts for some looks: what a daemon at rest costs is in every window.
    let least = await share(IDLE_MS, work);
    for (let window = 1; window < MOST_WINDOWS && least > most; window++)
      least = Math.min(least, await share(IDLE_MS, () => {}));
    return { idle: least, memory: privateKb(daemon.pid!) / privateKb(awake.pid!) };
  } finally {
    awake.kill();
    daemon.kill();
    await once(daemon, 'exit');
  }
}

/** Memory of a process that is not a mapped file (proc(5), status). */
const privateKb = (pid: number): number =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);

const bytesBelow = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);

/**
 * The best round of each, yardsticks and programs in turns: what a busy machine adds is in the
 * others.
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
  // Of its own: what a command writes into a daemon's memory is work for the daemon.
  cpSync(join(folder, 'learnt'), join(folder, 'daemon'), { recursive: true });
  const measured: Record<string, number> = {};
  const isWorse = (name: string, ratio: number): boolean => !(ratio <= reference[name]! * ROOM);
  measured['disk'] = bytesBelow(join(folder, 'learnt')) / bytesBelow(join(home, '.claude'));
  const rest = await idleTimes(
    envOf('daemon'),
    reference['idle']! * ROOM,
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
