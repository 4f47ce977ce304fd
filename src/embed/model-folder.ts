/**
 * The files of a model folder: those that affect vectors, and those that say how vectors are made.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../errors.js';
import type { ModelOrigin } from '../types.js';
import type { Dtype, Pooling } from './model.js';

export interface FoundModel {
  fingerprint: string;
  dtype: Dtype;
  pooling: Pooling;
}

/** Files of weights by their names in transformers.js, the smallest of usual quality first. */
const WEIGHTS: readonly [Dtype, file: string][] = [
  ['q8', 'model_quantized'],
  ['int8', 'model_int8'],
  ['uint8', 'model_uint8'],
  ['fp16', 'model_fp16'],
  ['fp32', 'model'],
  ['q4', 'model_q4'],
];
/** The file in which sentence-transformers says how tokens become one vector. */
const POOLING = '1_Pooling/config.json';

/**
 * Reads the model folder and checks its files against `checksums.json`, if there is one.
 * @throws AppError `MODEL_MISSING`, `MODEL_DAMAGED` or `MODEL_UNKNOWN`, naming the file
 */
export async function findModel(origin: ModelOrigin): Promise<FoundModel> {
  const { folder } = origin;
  const [dtype, weights] =
    WEIGHTS.find(([, name]) => existsSync(join(folder, `onnx/${name}.onnx`))) ?? WEIGHTS[0]!;
  const needed = ['config.json', `onnx/${weights}.onnx`, 'tokenizer.json', 'tokenizer_config.json'];
  const more = [`onnx/${weights}.onnx_data`, POOLING].filter((file) =>
    existsSync(join(folder, file)),
  );
  const whole = createHash('sha256');
  const expected = await checksumsOf(folder);
  for (const file of [...needed, ...more])
    whole.update(`${file}\0${await hashChecked(join(folder, file), expected[file])}\n`);
  if (origin.document_prefix !== '') whole.update(`prefix\0${origin.document_prefix}\n`);
  if (origin.pooling !== 'auto') whole.update(`pooling\0${origin.pooling}\n`);
  const pooling = origin.pooling === 'auto' ? await poolingOf(folder) : origin.pooling;
  return {
    fingerprint: `${basename(folder)}:${dtype}:${whole.digest('hex').slice(0, 12)}`,
    dtype,
    pooling,
  };
}

async function checksumsOf(folder: string): Promise<Record<string, string>> {
  return readFile(join(folder, 'checksums.json'), 'utf8').then(
    (text) => JSON.parse(text) as Record<string, string>,
    () => ({}),
  );
}

const RESTORE = 'search works with words alone; restore the folder to get search by meaning';

async function hashChecked(path: string, expected: string | undefined): Promise<string> {
  const hash = await hashFile(path).catch((cause: unknown) => {
    throw new AppError('MODEL_MISSING', `cannot read the embedding model file ${path}`, {
      hint: RESTORE,
      cause,
    });
  });
  if (expected === undefined || expected === hash) return hash;
  throw new AppError(
    'MODEL_DAMAGED',
    `${path} is not the file that was shipped (SHA-256 ${hash})`,
    { hint: RESTORE },
  );
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/**
 * Most models use the mean. @throws AppError for an unknown method: its vectors would be wrong
 * without any sign
 */
async function poolingOf(folder: string): Promise<Pooling> {
  const path = join(folder, POOLING);
  if (!existsSync(path)) return 'mean';
  const says = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  if (says['pooling_mode_cls_token'] === true) return 'cls';
  if (says['pooling_mode_lasttoken'] === true) return 'last';
  if (says['pooling_mode_mean_tokens'] === true) return 'mean';
  throw new AppError(
    'MODEL_UNKNOWN',
    `${path} names a pooling other than mean, cls and last token`,
    {
      hint: 'set embed.pooling in config.yaml if you know that one of these is right for this model',
    },
  );
}
