/** Reads a model folder: the files that affect vectors, and the model's settings. */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../errors.js';
import type { Dtype } from './model.js';
import { useOf, type ModelUse, type Pooling } from './model-use.js';

interface FoundModel extends ModelUse {
  fingerprint: string;
  dtype: Dtype;
}

/** Files of weights by their names in transformers.js; small files of good quality come first. */
const WEIGHTS: readonly [Dtype, file: string][] = [
  ['q8', 'model_quantized'],
  ['int8', 'model_int8'],
  ['uint8', 'model_uint8'],
  ['fp16', 'model_fp16'],
  ['fp32', 'model'],
  ['q4', 'model_q4'],
];
/** Settings of sentence-transformers: how tokens become one vector, and the prefix of a text. */
const POOLING = '1_Pooling/config.json';
const PROMPTS = 'config_sentence_transformers.json';

/**
 * Reads the model folder and checks its files against `checksums.json`, if there is one.
 * @throws AppError `MODEL_MISSING`, `MODEL_DAMAGED` or `MODEL_UNKNOWN`, naming the file
 */
export async function findModel(folder: string): Promise<FoundModel> {
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
  const known = useOf(basename(folder));
  const use = { ...known, ...(await promptsOf(folder)), ...(await poolingOf(folder)) };
  if (use.documentPrefix !== '') whole.update(`prefix\0${use.documentPrefix}\n`);
  if (!existsSync(join(folder, POOLING)) && use.pooling !== 'mean')
    whole.update(`pooling\0${use.pooling}\n`);
  return {
    fingerprint: `${basename(folder)}:${dtype}:${whole.digest('hex').slice(0, 12)}`,
    dtype,
    ...use,
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

/** Empty if the folder has no such setting. @throws AppError for an unknown method */
async function poolingOf(folder: string): Promise<{ pooling?: Pooling }> {
  const path = join(folder, POOLING);
  if (!existsSync(path)) return {};
  const says = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  if (says['pooling_mode_cls_token'] === true) return { pooling: 'cls' };
  if (says['pooling_mode_lasttoken'] === true) return { pooling: 'last' };
  if (says['pooling_mode_mean_tokens'] === true) return { pooling: 'mean' };
  throw new AppError(
    'MODEL_UNKNOWN',
    `${path} names a pooling other than mean, cls and last token`,
    { hint: 'search works with words alone; name a model with one of these poolings' },
  );
}

async function promptsOf(folder: string): Promise<Partial<ModelUse>> {
  const path = join(folder, PROMPTS);
  if (!existsSync(path)) return {};
  const { prompts } = JSON.parse(await readFile(path, 'utf8')) as {
    prompts?: { query?: unknown; document?: unknown; passage?: unknown };
  };
  const text = prompts?.document ?? prompts?.passage;
  return {
    ...(typeof text === 'string' ? { documentPrefix: text } : {}),
    ...(typeof prompts?.query === 'string' ? { queryPrefix: prompts.query } : {}),
  };
}
