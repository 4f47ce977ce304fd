/**
 * A device that fails: system calls that end with an error, and the order in which bytes reach the
 * disk. Needs strace.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { personAtWork, type Author } from './author.js';
import { NOTHING, compare, storedTexts } from './stored.js';
import type { Stage } from '../stage.js';

const canTrace =
  spawnSync('strace', ['-f', '-qq', '--seccomp-bpf', '-e', 'trace=fsync', 'true']).status === 0;

describe.runIf(canTrace)('with strace', () => {
  let person: Stage;
  let author: Author;
  beforeAll(async () => {
    ({ person, author } = personAtWork(41, 6));
    expect((await person.type('run', '--only', 'ingest')).code).toBe(0);
  });

  test.each([
    ['fsync', 2],
    ['fsync', 3],
    ['pwrite64', 5],
  ])(
    '%s fails once, at its call %d in a thread: the error is told, nothing is quarantined, lost or doubled',
    async (call, nth) => {
      author.work(6);
      // strace counts the calls of each thread apart; with one thread for DuckDB's statements their
      // numbers do not depend on luck.
      const said = await person.start(['run', '--only', 'ingest'], {
        trace: [
          '-E',
          'UV_THREADPOOL_SIZE=1',
          '-o',
          join(person.root, 'trace'),
          '-e',
          `trace=${call}`,
          '-e',
          `inject=${call}:error=EIO:when=${nth}`,
        ],
      }).ended;
      expect(readFileSync(join(person.root, 'trace'), 'utf8')).toContain('INJECTED');
      expect([0, 1, 3, 70], said.err).toContain(said.code);
      if (said.code === 70)
        expect(said.err).toMatch(/the disk of .* reports an error|Input\/output error/);
      const healed = await person.type('run', '--only', 'ingest');
      expect(healed.code, healed.err).toBe(0);
      expect(compare(author.written, await storedTexts(person))).toEqual(NOTHING);
      expect(
        person.files().filter((path) => path.includes('.damaged-') || path.endsWith('.tmp')),
      ).toEqual([]);
    },
  );

  test('power is lost between a tier and its row: the tier, its name and then its row are on the disk, in this order', async () => {
    const trace = join(person.root, 'order');
    const said = await person.start(['run', '--only', 'ingest,extract,rollup'], {
      trace: ['-o', trace, '-s', '400', '-e', 'trace=fsync,rename,renameat,renameat2'],
    }).ended;
    expect(said.code, said.err).toBe(0);
    const calls = readFileSync(trace, 'utf8').split('\n');
    const tiers = calls.flatMap((line, at) =>
      /rename.*\/recent\/[^/"]+\.jsonl\.gz"/.test(line) ? [at] : [],
    );
    expect(tiers.length).toBeGreaterThan(3);
    for (const at of tiers) {
      const [from, to] = [...calls[at]!.matchAll(/"([^"]+)"/g)].map(([, path]) => path!);
      const synced = (path: string, begin: number, end: number): boolean =>
        calls
          .slice(begin, end)
          .some((line) => line.includes('fsync(') && line.includes(`<${path}>`));
      const row = calls.findIndex(
        (line, n) => n > at && line.includes('fsync(') && line.includes('memory.duckdb.wal>'),
      );
      expect(synced(from!, 0, at), `${basename(to!)} before its name`).toBe(true);
      expect(row).toBeGreaterThan(at);
      expect(
        synced(to!.slice(0, to!.lastIndexOf('/')), at, row),
        `the folder of ${basename(to!)} before its row`,
      ).toBe(true);
    }
  });
});
