/**
 * Measures `dripstone search` as a person types it, a new process each time, over invented stores:
 * wall time, and processor time with its children.
 * Needs `make build`. Usage: tsx bench/cold.ts [ENTRIES ...] (default 10000 100000)
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../src/store/index.js';
import { clock, fill, shippedFingerprint, word } from './made-store.js';

const ROUNDS = 11;
const root = join(import.meta.dirname, '..');
const cli = join(root, 'dist/cli.js');
function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}

for (const count of process.argv.length > 2
  ? process.argv.slice(2).map(Number)
  : [10_000, 100_000]) {
  const home = await mkdtemp(join(tmpdir(), 'dripstone-bench-'));
  const store = openStore({ path: join(home, 'memory.duckdb'), clock, lockWaitMs: 0 });
  await fill(store, count, await shippedFingerprint());
  await store.close();
  console.log(`${count} entries`);
  for (const mode of ['keyword', 'hybrid']) {
    const [wall, cpu]: [number[], number[]] = [[], []];
    for (let i = 0; i < ROUNDS; i++) {
      const begun = performance.now();
      const args = [
        '-c',
        `"${process.execPath}" "${cli}" search "${word()} ${word()} ${word()}" --project all --json --mode ${mode} > "${join(home, 'out')}"; times`,
      ];
      const { stdout } = spawnSync('sh', args, {
        env: { ...process.env, HOME: home, DRIPSTONE_HOME: home },
        encoding: 'utf8',
      });
      wall.push(performance.now() - begun);
      // The second line of `times` is user and system time of children, as 0m1.234s.
      const [, user, system] = /(\d+m[\d.]+)s (\d+m[\d.]+)s\s*$/.exec(stdout) ?? [];
      cpu.push(
        [user, system].reduce(
          (sum, part) =>
            sum + Number(part!.split('m')[0]) * 60_000 + Number(part!.split('m')[1]) * 1000,
          0,
        ),
      );
    }
    console.log(
      `  ${mode}: p50 ${median(wall).toFixed(0)} ms, worst ${Math.max(...wall).toFixed(0)} ms, ${median(cpu).toFixed(0)} ms of processor`,
    );
  }
  await rm(home, { recursive: true });
}
