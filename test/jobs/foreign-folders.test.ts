/**
 * Folders that others can write: nothing leads out of them, and one that cannot be made ends with
 * an error.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolders } from '../../src/store/index.js';
import { begunStage } from '../commands/begun-stage.js';
import type { Stage } from '../commands/stage.js';
import { testFolder } from '../commands/test-stage.js';
import { claudeLog, says } from './made-log.js';

const set = begunStage({}, async (stage) => {
  const session = '11111111-1111-4111-8111-111111111111';
  stage.put(
    `.claude/projects/-home-ann-shop/${session}.jsonl`,
    claudeLog({ session, cwd: '/home/ann/shop', day: '2026-11-10' }, [says('Look at the build.')]),
  );
  expect((await stage.type('run')).err).toBe('');
});

async function begun(): Promise<{ stage: Stage; folder: string }> {
  const stage = await set();
  const folder = testFolder();
  return { stage, folder };
}

function writerFolder(dataset: string): string {
  const path = readdirSync(dataset, { recursive: true, encoding: 'utf8' }).find((each) =>
    /table=entries.*part-0\.parquet$/.test(each),
  );
  return dirname(join(dataset, path!));
}

test('a link in a dataset folder is not followed, whether a folder of ours, a file or the manifests are replaced by it', async () => {
  const { stage, folder } = await begun();
  const [dataset, mine] = [join(folder, 'dataset'), join(folder, 'mine')];
  const precious = join(mine, 'part-0.parquet');
  mkdirSync(mine);
  writeFileSync(precious, 'precious');
  expect((await stage.type('dataset', dataset)).code).toBe(0);
  const places = [
    writerFolder(dataset),
    dirname(writerFolder(dataset)),
    join(dataset, '_manifests'),
  ];
  for (const place of places) {
    // Without its manifest every file is written anew.
    rmSync(join(dataset, '_manifests'), { recursive: true, force: true });
    rmSync(place, { recursive: true, force: true });
    symlinkSync(mine, place);
    const said = await stage.type('dataset', dataset);
    expect([said.code, said.err]).toEqual([1, expect.stringContaining('is a link') as string]);
    expect(readdirSync(mine)).toEqual(['part-0.parquet']);
    expect(readFileSync(precious, 'utf8')).toBe('precious');
    rmSync(place);
  }
  expect((await stage.type('dataset', dataset)).code).toBe(0);
});

test('a manifest that names files outside of its dataset removes none', async () => {
  const { stage, folder } = await begun();
  const dataset = join(folder, 'dataset');
  writeFileSync(join(folder, 'precious'), 'mine');
  expect((await stage.type('dataset', dataset)).code).toBe(0);
  const path = join(dataset, '_manifests', readdirSync(join(dataset, '_manifests'))[0]!);
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as {
    files: { path: string; month: string }[];
    pending: string[];
  };
  const bad = { ...manifest.files[0]!, path: '../precious', month: '1999-01' };
  for (const change of [
    { files: [...manifest.files, bad] },
    { complete: false, pending: ['../precious'] },
  ]) {
    writeFileSync(path, JSON.stringify({ ...manifest, ...change }));
    const said = await stage.type('dataset', dataset);
    expect([said.code, said.err]).toEqual([
      1,
      expect.stringContaining('no manifest of a dataset') as string,
    ]);
    expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('mine');
  }
});

test.runIf(process.platform !== 'win32')(
  'a pipe in the place of a manifest is named, not waited for',
  async () => {
    const { stage, folder } = await begun();
    const dataset = join(folder, 'dataset');
    expect((await stage.type('dataset', dataset)).code).toBe(0);
    const path = join(dataset, '_manifests', readdirSync(join(dataset, '_manifests'))[0]!);
    rmSync(path);
    execFileSync('mkfifo', [path]);
    const said = await stage.type('dataset', dataset);
    expect([said.code, said.err]).toEqual([1, expect.stringContaining('is no manifest') as string]);
  },
);

test.runIf(process.platform === 'linux')(
  'a folder below one that takes none is an error at once',
  async () => {
    await expect(makeFolders('/proc/nothere/a/b', 0o700)).rejects.toMatchObject({ code: 'ENOENT' });
    const { stage } = await begun();
    const said = await stage.type('dataset', '/proc/nothere/dataset');
    expect([said.code, said.err]).toEqual([
      1,
      expect.stringContaining('cannot be written') as string,
    ]);
  },
);
