/**
 * A full disk through the whole program: a clear error, old files to the byte, nothing
 * half-published, and it goes on by itself afterwards.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { publishFile } from '../../src/store/index.js';
import { personAtWork } from './author.js';
import { NOTHING, compare, storedTexts } from './stored.js';
import { type Stage, setStage } from '../stage.js';
import { mountVolume, type Volume } from './volume.js';

const TEMP = /^\..+\.tmp$/;
function publishedOf(person: Stage): Map<string, string> {
  return new Map(
    [...person.files('projects'), ...person.files('global')]
      .filter((path) => !path.endsWith('notes.md'))
      .map((path) => [path, readFileSync(path).toString('base64')]),
  );
}
function temps(person: Stage): string[] {
  return person.files().filter((path) => TEMP.test(path.split('/').at(-1)!));
}

function small(mib: number): Volume | null {
  const volume = mountVolume(mib);
  if (volume !== null) onTestFinished(() => volume.remove());
  return volume;
}

test('less free than is kept in reserve: run says so and stops before the disk is full; with room again everything is there once', async () => {
  const volume = small(160);
  const { person, author } = personAtWork(
    21,
    5,
    volume === null ? undefined : join(volume.path, 'stone'),
  );
  expect((await person.type('run')).code).toBe(0);
  const before = publishedOf(person);
  author.work(5);
  // Where no volume can be had, a limit on the size of files makes the kernel refuse writes.
  volume?.fillTo(20 * 2 ** 20);
  const said = await person.start(['run'], volume === null ? { limitKb: 64 } : {}).ended;
  expect([1, 3]).toContain(said.code);
  expect(said.err).toMatch(
    volume === null
      ? /no space left|MB free/
      : /only \d+ MB free on the disk of .*memory\.duckdb; 64 MB are kept in reserve/,
  );
  if (said.code === 1)
    expect(said.err).toMatch(/next: free some space; reading continues where it stopped/);
  expect(publishedOf(person)).toEqual(before);
  expect(temps(person)).toEqual([]);
  const status = await person.type('status', '--json');
  expect(status.code).toBe(0);
  if (volume !== null)
    expect(
      status.json<{ degraded: { code: string }[] }>().degraded.map(({ code }) => code),
    ).toContain('DISK_FULL');
  expect((await person.type('search', 'note')).code).toBe(0);
  volume?.drain();
  expect((await person.type('run', '--only', 'ingest')).code).toBe(0);
  expect(compare(author.written, await storedTexts(person))).toEqual(NOTHING);
});

test.each([
  [300, 1],
  [600, 2],
])(
  'the kernel refuses every write beyond %d KB: the error tells of space, nothing is torn, the next run makes it whole',
  async (limitKb, seed) => {
    const { person, author } = personAtWork(seed, 50);
    const said = await person.start(['run'], { limitKb }).ended;
    expect([1, 3], said.err).toContain(said.code);
    expect(said.err).toMatch(/space|MB free|too large|EFBIG/i);
    expect(temps(person)).toEqual([]);
    const healed = await person.type('run', '--only', 'ingest,extract,context,rollup');
    expect(healed.code, healed.err).toBe(0);
    expect(compare(author.written, await storedTexts(person))).toEqual(NOTHING);
    expect(person.files().filter((path) => path.includes('.damaged-'))).toEqual([]);
  },
);

test('no room for a published file: the old one stays to the byte, nothing is left over', async () => {
  const volume = small(2);
  const person = setStage({
    isLive: true,
    ...(volume !== null && { stone: join(volume.path, 'stone') }),
  });
  const path = join(person.stone, 'crystal.json');
  const old = Buffer.alloc(300_000, 'old ');
  await publishFile(path, old);
  volume?.fillTo(400_000);
  const large = Buffer.alloc(900_000, 'new ');
  const failed =
    volume === null
      ? await publishFile(join(person.stone, 'none\0'), large).catch((error: Error) => error)
      : await publishFile(path, large).catch((error: Error) => error);
  expect(failed).toBeInstanceOf(Error);
  expect((failed as NodeJS.ErrnoException).code).toBe(
    volume === null ? 'ERR_INVALID_ARG_VALUE' : 'ENOSPC',
  );
  expect(readFileSync(path).equals(old)).toBe(true);
  expect(readdirSync(person.stone).filter((name) => TEMP.test(name))).toEqual([]);
  volume?.drain();
  expect(await publishFile(path, large)).toEqual({ written: true });
});

test('the key of the home is whole or absent: an empty one, left by a full disk, is made again', async () => {
  const person = setStage({ isLive: true });
  writeFileSync(join(person.stone, 'redact.key'), '');
  expect((await person.type('run', '--only', 'ingest')).code).toBe(0);
  expect(readFileSync(join(person.stone, 'redact.key'), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
});
