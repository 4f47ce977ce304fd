/** Reads the judge's weights from their file: the judge itself is pure and takes them as data. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../errors.js';
import { EXTRACTOR_VERSION } from '../../extract/index.js';
import { decodeWeights, type Weights } from '../../judge/index.js';
import { shippedFile } from '../../place.js';

const WEIGHTS = 'weights.bin';

/**
 * 130 kB: read at once.
 * @throws AppError MODEL_DAMAGED when the file is missing or not the one that checksums.json names
 */
export function readJudgeWeights(folder = shippedFile('models/lesson-judge')): Weights {
  const hint = 'install dripstone again, or run `make train-judge`';
  const file = join(folder, WEIGHTS);
  try {
    const bytes = readFileSync(file);
    const sums = JSON.parse(readFileSync(join(folder, 'checksums.json'), 'utf8')) as Record<string, string>;
    if (createHash('sha256').update(bytes).digest('hex') === sums[WEIGHTS]) return decodeWeights(bytes);
  } catch (cause) {
    throw new AppError('MODEL_DAMAGED', `cannot read the judge's weights: ${file}`, { hint, cause });
  }
  throw new AppError('MODEL_DAMAGED', `the judge's weights do not have their checksum: ${file}`, { hint });
}

/** Of the checksum so many bits are part of the version: the number stays an INTEGER of the store. */
const SUM_BITS = 16;

/**
 * Version of the rules and of the weights in one number: sessions that were extracted by another are read again.
 * Without a readable checksum it is that of the rules alone; the extraction itself then says what is wrong.
 */
export function extractorVersion(folder = shippedFile('models/lesson-judge')): number {
  let sum = 0;
  try {
    sum = Number.parseInt(
      (JSON.parse(readFileSync(join(folder, 'checksums.json'), 'utf8')) as Record<string, string>)[WEIGHTS]!.slice(
        0,
        SUM_BITS / 4,
      ),
      16,
    );
  } catch {
    // readJudgeWeights names the file.
  }
  return EXTRACTOR_VERSION * 2 ** SUM_BITS + (Number.isFinite(sum) ? sum : 0);
}
