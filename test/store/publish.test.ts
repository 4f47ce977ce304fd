import { mkdir, readFile, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publishFile, sweepTemps } from '../../src/store/index.js';
import { testFolder } from '../folder.js';
import { startChild } from './children.js';

function isWhole(text: string, size: number): boolean {
  return text.length === size && text === text.charAt(0).repeat(size);
}

test('writes 0600 in 0700 folders and leaves no temporary file', async () => {
  const folder = join(testFolder(), 'projects', 'shop');
  expect(await publishFile(join(folder, 'context.md'), 'hällo')).toEqual({ written: true });
  expect(await readFile(join(folder, 'context.md'), 'utf8')).toBe('hällo');
  expect((await stat(join(folder, 'context.md'))).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await readdir(folder)).toEqual(['context.md']);
});

test('unchanged content is not rewritten; other content of the same length is', async () => {
  const path = join(testFolder(), 'crystal.json');
  await publishFile(path, 'abc');
  await utimes(path, 1000, 1000);
  expect(await publishFile(path, Buffer.from('abc'))).toEqual({ written: false });
  expect((await stat(path)).mtimeMs).toBe(1_000_000);
  expect(await publishFile(path, 'abd')).toEqual({ written: true });
  expect(await readFile(path, 'utf8')).toBe('abd');
});

test('a link at the place of the file is replaced, its target is not touched; a folder there is an error', async () => {
  const folder = testFolder();
  await writeFile(join(folder, 'other'), 'mine');
  await symlink(join(folder, 'other'), join(folder, 'context.md'));
  await publishFile(join(folder, 'context.md'), 'ours');
  expect(await readFile(join(folder, 'other'), 'utf8')).toBe('mine');
  await mkdir(join(folder, 'taken'));
  await expect(publishFile(join(folder, 'taken'), 'x')).rejects.toThrow();
  expect((await readdir(folder)).sort()).toEqual(['context.md', 'other', 'taken']);
});

test('kill -9 while publishing: readers see a whole file at every moment, what is left over is swept', async () => {
  const folder = testFolder();
  const path = join(folder, 'context.md');
  const size = 200_000;
  let reads = 0;
  for (let round = 0; round < 5; round++) {
    const child = startChild('publish-loop', [path, String(size)]);
    await child.line((line) => line === `published ${round * 3}`);
    for (let i = 0; i < 30; i++, reads++)
      expect(isWhole(await readFile(path, 'utf8'), size)).toBe(true);
    child.process.kill('SIGKILL');
    await child.ended;
    expect(isWhole(await readFile(path, 'utf8'), size)).toBe(true);
  }
  expect(reads).toBe(150);
  await sweepTemps(folder);
  expect(await readdir(folder)).toEqual(['context.md']);
});

test('the sweep takes only our own names of processes that are gone', async () => {
  const folder = testFolder();
  const names = [
    // No process has so high an id.
    '.context.md.4200000.0123abcd.tmp',
    '.notes.md.4200000.0123abcd.tmp',
    `.context.md.${process.ppid}.0123abcd.tmp`,
    `.context.md.${process.pid}.0123abcd.tmp`,
    '.context.md.tmp',
    'notes.tmp',
    '.a.4200000.0123ABCD.tmp',
  ];
  for (const name of names) await writeFile(join(folder, name), '');
  expect(await sweepTemps(folder, 'context')).toEqual(names.slice(0, 1));
  expect(await sweepTemps(folder)).toEqual(names.slice(1, 2));
  expect((await readdir(folder)).sort()).toEqual(names.slice(2).sort());
  expect(await sweepTemps(join(folder, 'none'))).toEqual([]);
});
