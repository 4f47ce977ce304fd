/**
 * The order in which logs are found leaves no trace: the same sessions give the same published
 * bytes.
 */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { samples, setStage, type Stage } from '../commands/stage.js';

const stages: Stage[] = [];
afterAll(() => stages.forEach((stage) => stage.remove()));

const logs = readdirSync(samples, { recursive: true, encoding: 'utf8' })
  .filter((name) => statSync(join(samples, name)).isFile())
  .sort();

/**
 * Runs once after each part of the logs has arrived.
 * @param newestFirst the order in which a run reads the logs of a part
 */
async function playInParts(
  parts: string[][],
  newestFirst: (index: number) => number,
): Promise<Map<string, string>> {
  const stage = setStage({ now: '2026-11-22T12:00:00Z' });
  stages.push(stage);
  // Marks of masked secrets are keyed by the home: one key for all, so that bytes can be compared.
  writeFileSync(join(stage.stone, 'redact.key'), 'a'.repeat(64));
  for (const part of parts) {
    for (const [index, name] of part.entries()) {
      mkdirSync(dirname(join(stage.home, name)), { recursive: true });
      cpSync(join(samples, name), join(stage.home, name));
      utimesSync(join(stage.home, name), 1_763_000_000, 1_763_000_000 + newestFirst(index));
    }
    expect((await stage.type('run')).err).toBe('');
  }
  // The first night was done by the first run; what came later waits for the next one.
  if (parts.length > 1) await stage.type('crystallize');
  const published = readdirSync(stage.stone, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.md$|crystal\.json$/.test(name))
    .sort();
  return new Map(published.map((name) => [name, readFileSync(join(stage.stone, name), 'utf8')]));
}

test('read forwards, backwards, and in two halves, the same logs give the same bytes', async () => {
  const forwards = await playInParts([logs], (index) => -index);
  expect(forwards.size).toBeGreaterThan(5);
  expect(await playInParts([logs], (index) => index)).toEqual(forwards);
  // A project's id is fixed when it is first seen: the half that tells the remote comes first, as
  // it does in life.
  const remote = logs.filter((name) =>
    readFileSync(join(samples, name), 'utf8').includes('github.com'),
  );
  const rest = logs.filter((name) => !remote.includes(name));
  expect(remote.length * rest.length).toBeGreaterThan(0);
  expect(await playInParts([remote, rest], (index) => index)).toEqual(forwards);
});
