/**
 * Measures how long reading takes, against only reading and parsing the same bytes; all stages in
 * one run, in turns.
 *   npx tsx bench/ingest.ts <folder laid out like a home> [--rounds 3] [--big MB]
 * Prints for each stage its processor time as a multiple of reading + JSON.parse, the peak memory,
 * and the longest turn of the main thread during storing. `--big` repeats the largest log until it
 * has that size, in a temporary home, and measures that log instead.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { adapters } from '../src/agents/index.js';
import { defaultConfig, pathsOf } from '../src/config.js';
import { collectSooner } from '../src/jobs/processor-time.js';
import { Fold } from '../src/jobs/reading/reader-fold.js';
import { ingestJob } from '../src/jobs/reading/ingest.js';
import { createComputePool } from '../src/jobs/compute-pool.js';
import type { JobContext } from '../src/jobs/job.js';
import { readLog } from '../src/jobs/reading/reader-log.js';
import { createPreparer } from '../src/jobs/reading/read-part.js';
import { bootStore } from '../src/store/index.js';
import { discoverLogs, type FoundLog } from '../src/watchers/discover.js';
import { openLog } from '../src/watchers/log-file.js';
import { parseLine } from '../src/watchers/records.js';
import { tailLog } from '../src/watchers/tail.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '3' },
    big: { type: 'string' },
    stage: { type: 'string' },
  },
});
const [given] = positionals;
if (given === undefined) throw new Error('name a folder that is laid out like a home');

const clock = { now: () => new Date(), mono: () => performance.now() };
function task(log: FoundLog) {
  return {
    agent: log.agent,
    path: log.path,
    relative: log.relative,
    saved: null,
    now: clock.now().toISOString(),
  };
}
function adapterOf(log: FoundLog) {
  return adapters.find((each) => each.agent === log.agent)!;
}

/** Only reads and parses JSON. */
function plain(logs: readonly FoundLog[]): number {
  let records = 0;
  const buffer = Buffer.alloc(1024 * 1024);
  for (const log of logs) {
    const fd = openSync(log.path, 'r');
    let rest: Buffer = Buffer.alloc(0);
    for (let count = readSync(fd, buffer); count > 0; count = readSync(fd, buffer)) {
      const bytes =
        rest.length > 0
          ? Buffer.concat([rest, buffer.subarray(0, count)])
          : buffer.subarray(0, count);
      let from = 0;
      for (let stop = bytes.indexOf(10); stop >= 0; stop = bytes.indexOf(10, from)) {
        try {
          JSON.parse(bytes.toString('utf8', from, stop));
          records += 1;
        } catch {
          // counted by the reader
        }
        from = stop + 1;
      }
      rest = Buffer.from(bytes.subarray(from));
    }
    closeSync(fd);
  }
  return records;
}

function lines(logs: readonly FoundLog[], fold: boolean): number {
  let records = 0;
  for (const log of logs) {
    const open = openLog(log.path);
    const folding = new Fold(
      { adapter: adapterOf(log), name: log, path: log.path, foreign: false },
      null,
      () => false,
    );
    for (const piece of tailLog(open, null).pieces) {
      for (const line of piece.lines) {
        const parsed = parseLine(line);
        records += parsed.values.length;
        if (fold)
          folding.take(parsed, {
            line: line.line,
            offset: line.offset,
            bytes: line.end - line.offset,
          });
        if (folding.isFull()) folding.cut();
      }
    }
    open.close();
  }
  return records;
}

const options = { redactKey: 'bench', emails: true, exclude: [], userHome: given, zone: 'UTC' };

async function prepared(logs: readonly FoundLog[]): Promise<number> {
  const preparer = createPreparer(options);
  let entries = 0;
  for (const log of logs) {
    for await (const batch of readLog(task(log), {
      adapter: adapterOf(log),
      open: openLog,
      preparer,
      isExcluded: () => false,
    }))
      entries += batch.entries.length;
  }
  return entries;
}

async function stored(home: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'dripstone-bench-'));
  const path = join(folder, 'memory.duckdb');
  const { store } = await bootStore({ path, clock, lockWaitMs: 1000 });
  const context = {
    config: defaultConfig(),
    paths: pathsOf(folder),
    clock,
    store,
    compute: createComputePool(),
    excludedLogs: new Map(),
    env: {},
    userHome: home,
    redactKey: 'bench',
    mode: 'once',
    signal: new AbortController().signal,
    progress: () => {},
    turn: () => Promise.resolve(true),
    log: { warn: console.warn, info: () => {}, error: console.error },
  } as unknown as JobContext;
  const done = await ingestJob.run(context, { job: 'ingest' });
  await store.close();
  rmSync(folder, { recursive: true });
  return done.counts!['entries']!;
}

interface Stalls {
  /** Longest time without a turn of the event loop, and longest processor time of one turn. */
  wall: number;
  cpu: number;
}

/**
 * This thread's processor time and its wait for a processor in milliseconds; zero outside Linux.
 */
function scheduled(): [number, number] {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8')
      .split(' ')
      .map((ns) => Number(ns) / 1e6);
    return [ran, waited];
  } catch {
    return [0, 0];
  }
}

/** Watches the event loop while `work` runs, without the time that other programs take. */
async function watchStalls(work: () => Promise<number>): Promise<Stalls> {
  const longest: Stalls = { wall: 0, cpu: 0 };
  let last = [performance.now(), ...scheduled()] as [number, number, number];
  const timer = setInterval(() => {
    const now = [performance.now(), ...scheduled()] as [number, number, number];
    longest.wall = Math.max(longest.wall, now[0] - last[0] - 1 - (now[2] - last[2]));
    longest.cpu = Math.max(longest.cpu, now[1] - last[1]);
    last = now;
  }, 1);
  await work();
  clearInterval(timer);
  return longest;
}

/** Joins a log with itself. Ids repeat, but this does not change the number of bytes. */
function enlarge(home: string, logs: readonly FoundLog[], megabytes: number): string {
  const big = mkdtempSync(join(tmpdir(), 'dripstone-big-'));
  const log = [...logs].sort((a, b) => b.size - a.size)[0]!;
  const path = join(big, log.path.slice(home.length));
  mkdirSync(dirname(path), { recursive: true });
  cpSync(log.path, path);
  const text = readFileSync(log.path);
  const fd = openSync(path, 'a');
  for (let size = log.size, copy = 1; size < megabytes * 1e6; size += text.length, copy++) {
    writeSync(fd, text.toString('utf8').replace(/("(?:uuid|call_id|turn_id)":")/g, `$1${copy}-`));
  }
  closeSync(fd);
  return big;
}

/** Processor time of all threads, and wall time, which means little on a shared machine. */
async function timed(
  work: () => number | Promise<number>,
): Promise<{ ms: number; wall: number; count: number }> {
  const [begun, used] = [performance.now(), process.cpuUsage()];
  const count = await work();
  const { user, system } = process.cpuUsage(used);
  return { ms: (user + system) / 1000, wall: performance.now() - begun, count };
}

function stages(
  home: string,
  logs: readonly FoundLog[],
): Record<string, () => number | Promise<number>> {
  return {
    'read + JSON.parse': () => plain(logs),
    'lines + parse': () => lines(logs, false),
    'lines + parse + fold': () => lines(logs, true),
    '… + redact + index': () => prepared(logs),
    'whole ingest, stored': () => stored(home),
  };
}

/** Peak memory of one stage in its own process. */
function peakOf(home: string, stage: string): number {
  const child = spawnSync(
    process.execPath,
    [...process.execArgv, fileURLToPath(import.meta.url), home, '--stage', stage],
    { encoding: 'utf8' },
  );
  return Number(/peak (\d+)/.exec(child.stdout)?.[1] ?? NaN);
}

const { logs: found } = await discoverLogs(adapters, { home: given, env: {} });
if (values.stage !== undefined) {
  collectSooner(); // as the program does when it starts
  await stages(given, found)[values.stage]!();
  console.log(`peak ${Math.round(process.resourceUsage().maxRSS / 1024)}`);
} else {
  const home = values.big === undefined ? given : enlarge(given, found, Number(values.big));
  const { logs } = await discoverLogs(adapters, { home, env: {} });
  const bytes = logs.reduce((sum, log) => sum + log.size, 0);
  console.log(`${logs.length} logs, ${(bytes / 1e6).toFixed(1)} MB`);
  const best = new Map<string, { ms: number; wall: number; count: number }>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [name, work] of Object.entries(stages(home, logs))) {
      const result = await timed(work);
      if (result.ms < (best.get(name)?.ms ?? Infinity)) best.set(name, result);
    }
  }
  const base = best.get('read + JSON.parse')!.ms;
  for (const [name, { ms, wall, count }] of best) {
    const peak =
      name.startsWith('whole') || name.startsWith('read') ? `, peak ${peakOf(home, name)} MB` : '';
    console.log(
      `${name.padEnd(22)} ${ms.toFixed(0).padStart(7)} ms cpu ${(ms / base).toFixed(2).padStart(6)}x ${wall.toFixed(0).padStart(7)} ms wall ${(bytes / 1e3 / ms).toFixed(0).padStart(5)} MB/s  ${count} records${peak}`,
    );
  }
  const { wall, cpu } = await watchStalls(() => stored(home));
  console.log(
    `longest turn of the main thread while storing: ${wall.toFixed(0)} ms, most processor time in one: ${cpu.toFixed(0)} ms`,
  );
  if (home !== given) rmSync(home, { recursive: true });
}
