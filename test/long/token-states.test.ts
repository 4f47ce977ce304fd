/**
 * vectors.bin through the jobs that keep it: filled with new vectors, lost, purged.
 */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp, type App } from '../../src/app.js';
import type { EmbedderLease } from '../../src/embed/embedder.js';
import { runAll } from '../../src/jobs/loop.js';
import { embedFault } from '../../src/store/index.js';
import { purge } from '../../src/jobs/upkeep/purge.js';
import type { Embedder } from '../../src/types.js';
import { type Stage, setStage } from '../stage.js';
import { threads } from '../threads.js';
import { answers, claudeLog, says } from '../jobs/made-log.js';

const DAY = { cwd: '/home/ann/kettle', day: '2026-11-19' };
const SESSION = '11111111-1111-4111-8111-111111111111';
function log(session: string): string {
  return `.claude/projects/-home-ann-kettle/${session}.jsonl`;
}

/**
 * Three tokens a text, each the text's first byte again and again: what is kept tells whose it is.
 */
function lettering(fingerprint = 'letters'): EmbedderLease {
  const vectorOf = (text: string) =>
    Float32Array.from({ length: 384 }, (_, i) => (i === text.charCodeAt(0) % 384 ? 1 : 0));
  const embedder: Embedder = {
    fingerprint,
    dimensions: 384,
    embed: (texts) => Promise.resolve(texts.map(vectorOf)),
    close: () => Promise.resolve(),
    embedSigned: (texts) =>
      Promise.resolve(texts.map((text) => ({ vector: vectorOf(text), signs: signsOf(text) }))),
  };
  return {
    get: () => Promise.resolve(embedder),
    warm: () => undefined,
    problem: () => null,
    fail: () => undefined,
    close: () => Promise.resolve(),
  };
}
function signsOf(text: string): Uint8Array {
  return new Uint8Array(3 * 48).fill(text.charCodeAt(0));
}

function staged(): Stage {
  const stage = setStage();
  stage.put(
    log(SESSION),
    claudeLog({ session: SESSION, ...DAY }, [says('Always brew at noon.'), answers('Zinc it is.')]),
  );
  return stage;
}

async function run(stage: Stage, embedder: EmbedderLease): Promise<void> {
  await using app = await open(stage, embedder);
  expect((await runAll(app, {})).errors).toEqual([]);
}
function open(stage: Stage, embedder: EmbedderLease): Promise<App> {
  return createApp({ ...stage.io(), access: 'write', embedder, ...threads });
}
function file(stage: Stage): string {
  return join(stage.stone, 'vectors.bin');
}
function holds(stage: Stage, text: string): boolean {
  return readFileSync(file(stage)).includes(Buffer.from(signsOf(text)));
}

test('states are kept with new vectors; what lost its file is embedded again', async () => {
  const stage = staged();
  await run(stage, lettering());
  expect([holds(stage, 'Always'), holds(stage, 'Zinc')]).toEqual([true, true]);
  expect(statSync(file(stage)).mode & 0o777).toBe(0o600);
  const size = statSync(file(stage)).size;
  await run(stage, lettering());
  expect(statSync(file(stage)).size).toBe(size);
  rmSync(file(stage));
  await run(stage, lettering());
  expect(statSync(file(stage)).size).toBe(size);
  // Another model's states replace those of the one before.
  await run(stage, lettering('two'));
  expect(statSync(file(stage)).size).toBe(size);
  expect(holds(stage, 'Zinc')).toBe(true);
  // A search in a large store finds only what has signs.
  const unsigned =
    "SELECT count(*) AS rows FROM own.vectors WHERE owner = 'entry' AND vector IS NOT NULL AND (b0 IS NULL OR n IS NULL)";
  await using app = await open(stage, lettering('two'));
  expect(await app.store.read((db) => db.all(unsigned))).toEqual([{ rows: 0 }]);
});

test('a purge leaves no byte of what went, and the rest as it was', async () => {
  const stage = staged();
  const other = '22222222-2222-4222-8222-222222222222';
  stage.put(
    log(other),
    claudeLog({ session: other, ...DAY }, [
      says('Quit the plover now.'),
      answers('Kept as it is.'),
    ]),
  );
  await run(stage, lettering());
  expect(['Always', 'Quit', 'Kept'].map((text) => holds(stage, text))).toEqual([true, true, true]);
  {
    await using app = await open(stage, lettering());
    const request = { match: 'plover', session: null, project: null, before: null, notes: false };
    expect((await purge(app, request)).proof.clean).toBe(true);
  }
  expect(['Always', 'Quit', 'Kept'].map((text) => holds(stage, text))).toEqual([true, false, true]);
});

test('a model that breaks at its work is noted for `status`, and the next good run takes it back', async () => {
  const stage = staged();
  const failed: string[] = [];
  const broken = lettering();
  const lease: EmbedderLease = {
    ...broken,
    get: async () => ({
      ...(await broken.get())!,
      embed: () => Promise.reject(new Error('the weights are damaged')),
      embedSigned: () => Promise.reject(new Error('the weights are damaged')),
    }),
    fail: (reason) => failed.push(reason),
  };
  const fault = async (embedder: EmbedderLease) => {
    await run(stage, embedder);
    await using app = await open(stage, embedder);
    return await app.store.read((db) => embedFault(db));
  };
  expect(await fault(lease)).toMatchObject({ text: 'the weights are damaged' });
  expect(failed).toEqual(['the weights are damaged']);
  expect(await fault(lettering())).toBeNull();
});
