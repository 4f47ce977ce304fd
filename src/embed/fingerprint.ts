/** Names the model behind a vector, so that vectors of two models never mix. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../errors.js';

/** Files that change a vector when they change. */
const FILES = ['config.json', 'onnx/model_quantized.onnx', 'tokenizer.json', 'tokenizer_config.json'];

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/**
 * Reads the model folder and checks it against `checksums.json` beside its files (when there is one).
 * @returns `<name>:q8:<12 hex>`
 * @throws AppError `MODEL_MISSING` or `MODEL_DAMAGED`, naming the file
 */
export async function fingerprintModel(folder: string): Promise<string> {
  const whole = createHash('sha256');
  const expected = await readFile(join(folder, 'checksums.json'), 'utf8').then(
    (text) => JSON.parse(text) as Record<string, string>,
    () => ({}) as Record<string, string>,
  );
  for (const file of FILES) {
    const path = join(folder, file);
    const hash = await hashFile(path).catch((cause: unknown) => {
      throw new AppError('MODEL_MISSING', `cannot read the embedding model file ${path}`, {
        hint: 'search works with words alone; restore the folder models/ to get search by meaning',
        cause,
      });
    });
    if (expected[file] !== undefined && expected[file] !== hash) {
      throw new AppError('MODEL_DAMAGED', `${path} is not the file that was shipped (SHA-256 ${hash})`, {
        hint: 'search works with words alone; restore the folder models/ to get search by meaning',
      });
    }
    whole.update(`${file}\0${hash}\n`);
  }
  return `${basename(folder)}:q8:${whole.digest('hex').slice(0, 12)}`;
}
