/**
 * Reads an invented history of a given size into a new home, as a first `dripstone run` does, and tells the peak memory of the
 * program.
 *   npx tsx bench/history.ts [MiB = 2048] [--jobs ingest,extract,context,rollup]
 * Then looks again, with nothing new, three times: what a look costs over that many logs.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeHome } from './made-home.js';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
const { values, positionals } = parseArgs({ allowPositionals: true, options: { jobs: { type: 'string', default: 'ingest' } } });
const wanted = Number(positionals[0] ?? 2048) * 2 ** 20;
const root = mkdtempSync(join(tmpdir(), 'dripstone-history-'));
const env = { PATH: process.env['PATH'] ?? '', HOME: join(root, 'home'), DRIPSTONE_HOME: join(root, 'stone') };

/** Peak resident memory in MB since the process began. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function run(...args: string[]): Promise<{ seconds: number; peakMb: number; code: number | null; out: string }> {
  return new Promise((resolve) => {
    const begun = performance.now();
    const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let [peakMb, out] = [0, ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    const look = setInterval(() => (peakMb = Math.max(peakMb, peakOf(child.pid!))), 100);
    child.on('close', (code) => {
      clearInterval(look);
      resolve({ seconds: (performance.now() - begun) / 1000, peakMb, code, out });
    });
  });
}

try {
  mkdirSync(env.DRIPSTONE_HOME, { recursive: true });
  writeFileSync(join(env.DRIPSTONE_HOME, 'config.yaml'), 'embed: {enabled: false}\n');
  const size = (home: string): number =>
    readdirSync(home, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => sum + statSync(join(home, name)).size, 0);
  makeHome(join(root, 'probe'), { sessions: 4, projects: 4, days: 4, until: '2026-11-20', seed: 3, rounds: 130 });
  const sessions = Math.ceil(wanted / (size(join(root, 'probe')) / 4));
  makeHome(env.HOME, { sessions, projects: 20, days: 200, until: '2026-11-20', seed: 4, rounds: 130 });
  console.log(JSON.stringify({ sessions, mib: Math.round(size(env.HOME) / 2 ** 20) }));
  const first = await run('run', '--json', '--only', values.jobs);
  console.log(
    JSON.stringify({
      first: values.jobs,
      code: first.code,
      seconds: Math.round(first.seconds),
      peakMb: Math.round(first.peakMb),
      entries: (JSON.parse(first.out) as { entries?: number }).entries,
    }),
  );
  for (let i = 0; i < 3; i++) {
    const again = await run('run', '--json', '--only', 'ingest');
    console.log(
      JSON.stringify({ again: 'ingest', seconds: Math.round(again.seconds * 100) / 100, peakMb: Math.round(again.peakMb) }),
    );
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
