import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findModel } from '../../src/embed/model-folder.js';

const folder = join(import.meta.dirname, '../../models/all-MiniLM-L6-v2');

async function fingerprintOf(of: string): Promise<string> {
  return (await findModel(of)).fingerprint;
}

test('every shipped model file has the checksum that its provenance names', async () => {
  const sums = JSON.parse(await readFile(join(folder, 'checksums.json'), 'utf8')) as Record<
    string,
    string
  >;
  expect(Object.keys(sums)).toHaveLength(5);
  for (const [file, sum] of Object.entries(sums)) {
    expect(
      createHash('sha256')
        .update(await readFile(join(folder, file)))
        .digest('hex'),
      file,
    ).toBe(sum);
  }
});

test('the fingerprint names model and weights, and a damaged file is refused by name', async () => {
  const name = await fingerprintOf(folder);
  expect(name).toMatch(/^all-MiniLM-L6-v2:q8:[0-9a-f]{12}$/);
  const copy = await mkdtemp(join(tmpdir(), 'dripstone-model-'));
  try {
    await cp(folder, copy, { recursive: true });
    await writeFile(join(copy, 'tokenizer_config.json'), '{}');
    await expect(fingerprintOf(copy)).rejects.toMatchObject({
      code: 'MODEL_DAMAGED',
      message: expect.stringContaining('tokenizer_config.json') as string,
    });
    await rm(join(copy, 'onnx'), { recursive: true });
    await expect(fingerprintOf(copy)).rejects.toMatchObject({ code: 'MODEL_MISSING' });
  } finally {
    await rm(copy, { recursive: true });
  }
});

test('weights and pooling are as the folder has them; a pooling that is not known here is refused; what stands before a text is as the folder or its name says', async () => {
  const root = await mkdtemp(join(tmpdir(), 'dripstone-model-'));
  const copy = join(root, 'mine');
  const found = () => findModel(copy);
  try {
    await cp(folder, copy, { recursive: true });
    const plain = await found();
    expect(plain).toMatchObject({
      dtype: 'q8',
      pooling: 'mean',
      fingerprint: expect.stringMatching(/^mine:q8:/) as string,
    });
    await rename(join(copy, 'onnx/model_quantized.onnx'), join(copy, 'onnx/model.onnx'));
    expect(await found()).toMatchObject({
      dtype: 'fp32',
      fingerprint: expect.stringMatching(/^mine:fp32:/) as string,
    });
    await mkdir(join(copy, '1_Pooling'));
    await writeFile(
      join(copy, '1_Pooling/config.json'),
      '{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}',
    );
    expect((await found()).pooling).toBe('cls');
    await writeFile(join(copy, '1_Pooling/config.json'), '{"pooling_mode_max_tokens": true}');
    await expect(found()).rejects.toMatchObject({ code: 'MODEL_UNKNOWN' });
    await rm(join(copy, '1_Pooling'), { recursive: true });
    await writeFile(
      join(copy, 'config_sentence_transformers.json'),
      '{"prompts": {"query": "ask: ", "document": "text: "}}',
    );
    const prompted = await found();
    expect(prompted).toMatchObject({
      pooling: 'mean',
      documentPrefix: 'text: ',
      queryPrefix: 'ask: ',
    });
    expect(prompted.fingerprint).not.toBe((await findModel(folder)).fingerprint);
    const named = join(root, 'multilingual-e5-small');
    await cp(folder, named, { recursive: true });
    expect(await findModel(named)).toMatchObject({
      documentPrefix: 'passage: ',
      queryPrefix: 'query: ',
    });
  } finally {
    await rm(root, { recursive: true });
  }
});
