import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmbedder, leaseEmbedder, type EmbedderOptions } from '../../src/embed/embedder.js';
import type { Embedder } from '../../src/types.js';
import { testFolder } from '../folder.js';

const options: EmbedderOptions = {
  folder: join(import.meta.dirname, '../../models/all-MiniLM-L6-v2'),
  dimensions: 384,
  threads: 1,
  memoryCapBytes: 2e9,
  recycleTexts: 2_000,
  idleMs: 60_000,
  textTimeoutMs: 30_000,
};

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, i) => sum + x * b[i]!, 0);
}

describe('the shipped model in its child process', () => {
  let embedder: Embedder;
  beforeAll(async () => {
    embedder = await createEmbedder(options);
  });
  afterAll(() => embedder.close());

  test('gives unit vectors that know meaning, the same alone and among others', async () => {
    const texts = [
      'run the unit tests before pushing',
      'execute the test suite prior to a push',
      'the kitchen needs new tiles',
    ];
    const [a, b, c] = (await embedder.embed(texts)) as [Float32Array, Float32Array, Float32Array];
    expect(dot(a, a)).toBeCloseTo(1, 5);
    expect(dot(a, b)).toBeGreaterThan(dot(a, c) + 0.3);
    const [alone] = await embedder.embed([texts[1]!]);
    expect(alone).toEqual(b);
  });
});

test('what stands before a question counts in its vector; of its tokens none is kept, and another pooling is another model', async () => {
  const root = testFolder();
  const like = async (name: string, file: string, says: object): Promise<string> => {
    const folder = join(root, name);
    await cp(options.folder, folder, { recursive: true });
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), JSON.stringify(says));
    return folder;
  };
  const plain = await createEmbedder(options);
  const asked = await createEmbedder({
    ...options,
    dimensions: null,
    folder: await like('asked/all-MiniLM-L6-v2', 'config_sentence_transformers.json', {
      prompts: { query: 'query: ' },
    }),
  });
  const first = await createEmbedder({
    ...options,
    dimensions: null,
    folder: await like('first/all-MiniLM-L6-v2', '1_Pooling/config.json', {
      pooling_mode_cls_token: true,
    }),
  });
  const question = 'where do kettles boil';
  const [bare, led] = [await plain.read!(question), await asked.read!(question)];
  expect(led.pieces).toEqual(bare.pieces);
  expect(led.states.length).toBe(bare.pieces.length * 384);
  expect(dot(led.vector, bare.vector)).toBeLessThan(0.999);
  expect(await asked.embed([question])).toEqual([bare.vector]);
  expect([asked.fingerprint, asked.dimensions]).toEqual([plain.fingerprint, 384]);
  expect(first.fingerprint).not.toBe(plain.fingerprint);
  expect(dot((await first.embed([question]))[0]!, bare.vector)).toBeLessThan(0.999);
  for (const each of [plain, asked, first]) await each.close();
}, 20_000);

describe('a child that dies', () => {
  let folder: string;
  beforeAll(async () => {
    folder = testFolder();
    await writeFile(
      join(folder, 'child.mjs'),
      `import { existsSync, writeFileSync } from 'node:fs';
       process.on('message', (m) => {
         if (m.kind === 'load') return process.send({ kind: 'ready', dimensions: 384 });
         if (m.text === 'hang') return;
         if (m.text === 'poison') process.kill(process.pid, 'SIGKILL');
         else if (m.text === 'once' && !existsSync(process.argv[1] + '.done')) { writeFileSync(process.argv[1] + '.done', ''); process.kill(process.pid, 'SIGKILL'); }
         else process.send({ kind: 'vector', id: m.id, vector: new Float32Array(384).fill(1), rss: 1 });
       });
       process.on('disconnect', () => process.exit(0));`,
    );
  });

  test('costs one retry; a text that kills it twice is named; the next text works', async () => {
    const embedder = await createEmbedder({
      ...options,
      entry: join(folder, 'child.mjs'),
      textTimeoutMs: 2_000,
    });
    expect(await embedder.embed(['once'])).toHaveLength(1);
    await expect(embedder.embed(['poison'])).rejects.toMatchObject({ code: 'EMBEDDER_CRASHED' });
    expect(await embedder.embed(['fine'])).toHaveLength(1);
    await embedder.close();
  });

  test('that hangs is killed after the time-out', async () => {
    const embedder = await createEmbedder({
      ...options,
      entry: join(folder, 'child.mjs'),
      textTimeoutMs: 100,
    });
    await expect(embedder.embed(['hang'])).rejects.toMatchObject({ code: 'EMBEDDER_CRASHED' });
    await embedder.close();
  });
});

test('a child that never loads is killed, and the caller hears of it; later the model is asked again', async () => {
  const entry = join(testFolder(), 'hangs.mjs');
  await writeFile(entry, 'setInterval(() => {}, 1000);\n');
  const hanging = await createEmbedder({ ...options, entry, loadTimeoutMs: 50 });
  await expect(hanging.embed(['one'])).rejects.toMatchObject({ code: 'EMBEDDER_CRASHED' });
  await hanging.close();
  let now = 0;
  const lease = leaseEmbedder(
    (when) => createEmbedder(options, when),
    null,
    () => now,
  );
  const embedder = await lease.get();
  lease.fail('it broke');
  expect([await lease.get(), lease.problem()]).toEqual([embedder, 'it broke']);
  lease.fail('it broke');
  expect(await lease.get()).toBeNull();
  now = 60_000;
  expect(await lease.get()).toBe(embedder);
  await lease.close();
});
