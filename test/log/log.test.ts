/** Our own log: rotated by size, redacted, never in the way. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLog } from '../../src/log.js';
import { testFolder } from '../folder.js';

function open(
  path: string,
  redact = (lines: string[]): Promise<string[]> => Promise.resolve(lines),
) {
  return openLog({
    level: 'info',
    folder: path,
    fileMib: 1,
    filesKept: 2,
    redact,
    now: () => new Date('2026-11-20T12:00:00Z'),
  });
}

test('months of lines take no more than the files that are kept', async () => {
  const path = testFolder();
  const { log, close } = open(path);
  const filler = 'x'.repeat(64 * 1024);
  for (let n = 0; n < 80; n++) log.info({ n, filler }, 'line');
  await close();
  expect(readdirSync(path).sort()).toEqual(['dripstone.log', 'dripstone.log.1', 'dripstone.log.2']);
  for (const name of readdirSync(path))
    expect(statSync(join(path, name)).size).toBeLessThanOrEqual(1024 * 1024);
  expect(readFileSync(join(path, 'dripstone.log'), 'utf8').trimEnd().split('\n').at(-1)).toContain(
    '"n":79',
  );
  expect(statSync(join(path, 'dripstone.log')).mode & 0o077).toBe(0);
});

test('a line that cannot be masked or written is dropped, and the work goes on', async () => {
  const path = testFolder();
  let fails = true;
  const { log, close } = open(path, (lines) =>
    fails ? Promise.reject(new Error('no')) : Promise.resolve(lines),
  );
  log.info({}, 'secret');
  await close();
  fails = false;
  log.info({}, 'plain');
  await close();
  expect(readFileSync(join(path, 'dripstone.log'), 'utf8')).not.toContain('secret');
  rmSync(path, { recursive: true });
  writeFileSync(path, 'a file where the folder was');
  log.info({}, 'lost');
  await expect(close()).resolves.toBeUndefined();
});
