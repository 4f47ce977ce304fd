/**
 * Measures the cost of dripstone for a person, over an invented home: disk, first run, the idle
 * daemon, the time of commands and hooks beside it, and the tokens for an agent. Linux only, since
 * it reads /proc.
 * Usage: node bundle.js && tsx bench/cost.ts [SESSIONS] (default 100, of about 100 entries)
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { countTokens } from '../src/text/tokens.js';
import { makeHome } from './made-home.js';

const sessions = Number(process.argv[2] ?? 100);
const projects = 8;
const root = mkdtempSync(join(tmpdir(), 'dripstone-cost-'));
const stone = join(root, '.dripstone');
const env = { PATH: process.env['PATH'] ?? '', HOME: root, DRIPSTONE_HOME: stone };
const cli = join(import.meta.dirname, '../dist/cli.js');
const hook = join(import.meta.dirname, '../dist/hook.cjs');
const TIMES = 40;
const IDLE_MS = 60_000;

function row(what: string, figure: string): void {
  console.log(`| ${what} | ${figure} |`);
}

function run(argv: readonly string[], input = ''): { ms: number; out: string } {
  const begun = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
    ...{ env, cwd: root, input, encoding: 'utf8', maxBuffer: 2 ** 28 },
  });
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`);
  return { ms: performance.now() - begun, out: stdout };
}

function p95(what: string, argv: readonly string[], input = ''): void {
  const taken = Array.from({ length: TIMES }, () => run(argv, input).ms).sort((a, b) => a - b);
  const at = (share: number): string => taken[Math.floor(TIMES * share)]!.toFixed(0);
  row(what, `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** The first failed test of a project: its command and output. */
function failureIn(project: string): { command: string; output: string } {
  const folder = join(root, '.claude/projects', `-home-ann-work-${project}`);
  const log = readFileSync(join(folder, readdirSync(folder).sort()[0]!), 'utf8');
  const output = JSON.parse(`"${/"(FAIL [^"]*)"/.exec(log)![1]!}"`) as string;
  return { command: /"command":"(\w+ test \w+)"/.exec(log)![1]!, output };
}

/** Processor milliseconds of all threads, computed from nanoseconds (proc(5), schedstat). */
function processorMs(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map((id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0])
    .reduce((sum, spent) => sum + Number(spent) / 1e6, 0);
}

function memoryMb(pid: number, field: string): string {
  const line = new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return (Number(line![1]) / 1024).toFixed(0);
}

try {
  makeHome(root, { sessions, projects, days: 90, until: '2026-11-01', seed: 7, rounds: 8 });
  const logs = bytesBelow(join(root, '.claude'));
  const first = run([cli, 'run', '--json']);
  const { entries } = JSON.parse(first.out) as { entries: number };
  run([cli, 'crystallize']);
  run([cli, 'run', '--only', 'embed']);
  console.log('| what | figure |\n| --- | --- |');
  row('sessions, entries, bytes of logs', `${sessions}, ${entries}, ${(logs / 1e6).toFixed(1)} MB`);
  row('first `run`', `${(first.ms / 1000).toFixed(1)} s`);
  const used = bytesBelow(stone);
  row('disk', `${(used / 1e6).toFixed(1)} MB, ${Math.round(used / sessions / 1024)} KB a session`);

  const pages = readdirSync(join(stone, 'projects'))
    .filter((slug) => !slug.startsWith('.'))
    .map((slug) => readFileSync(join(stone, 'projects', slug, 'context.md'), 'utf8'));
  const tokens = pages.reduce((sum, page) => sum + countTokens(page), 0) / pages.length;
  row('tokens of a page, at most 1,000', tokens.toFixed(0));
  row('tokens spent on a language model', '0');

  const daemon = spawn(process.execPath, [cli, 'start'], { env, cwd: root, stdio: 'ignore' });
  const pid = daemon.pid!;
  try {
    // The start and its learning are over when the daemon has rested for three seconds.
    for (let quiet = 0, last = 0; quiet < 3;) {
      await sleep(1000);
      const spent = processorMs(pid);
      quiet = last > 0 && spent - last < 20 ? quiet + 1 : 0;
      last = spent;
    }
    const before = processorMs(pid);
    await sleep(IDLE_MS);
    const share = (100 * (processorMs(pid) - before)) / IDLE_MS;
    row('idle daemon', `${share.toFixed(2)} % of one core`);
    const [all, own] = [memoryMb(pid, 'VmRSS'), memoryMb(pid, 'RssAnon')];
    row('its memory', `${all} MB, ${own} of them its own, the rest pages of its program files`);
    const tokensOf = (args: readonly string[], input?: string): string => {
      const { out } = run([cli, 'recall', ...args, '--project', 'made-1', '--json'], input);
      return String((JSON.parse(out) as { tokens: number }).tokens);
    };
    const { command, output } = failureIn('made-1');
    const failure = ['--type', 'failure', '--output', '-', command];
    row('tokens of an answer', tokensOf(['the parser drops entries']));
    row('tokens of a hint at a failure', tokensOf(['--as-hook', ...failure], output));
    p95('`node -e 0`', ['-e', '0']);
    p95('`context`', [cli, 'context', '--project', 'made-1']);
    p95('`recall`', [cli, 'recall', 'the parser drops entries', '--project', 'made-1']);
    p95('`search`', [cli, 'search', 'parser timeout', '--project', 'made-1']);
    const event = {
      ...{ session_id: 's', cwd: '/home/ann/work/made-1', hook_event_name: 'PostToolUseFailure' },
      ...{ tool_name: 'Bash', tool_input: { command } },
      error: `Exit code 1\n${output}`,
    };
    p95('a hook', [hook, 'claude-code', stone], JSON.stringify(event));
  } finally {
    daemon.kill();
    await once(daemon, 'exit');
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
