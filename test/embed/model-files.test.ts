import { createHash } from 'node:crypto';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findModel } from '../../src/embed/model-folder.js';
import { testFolder } from '../folder.js';

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
  const copy = testFolder();
  await cp(folder, copy, { recursive: true });
  await writeFile(join(copy, 'tokenizer_config.json'), '{}');
  await expect(fingerprintOf(copy)).rejects.toMatchObject({
    code: 'MODEL_DAMAGED',
    message: expect.stringContaining('tokenizer_config.json') as string,
  });
  await rm(join(copy, 'onnx'), { recursive: true });
  await expect(fingerprintOf(copy)).rejects.toMatchObject({ code: 'MODEL_MISSING' });
});
