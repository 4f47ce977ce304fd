import { basename, dirname, join } from 'node:path';
import { AutoModel, AutoTokenizer, env } from '@huggingface/transformers';
import { expect, test } from 'vitest';
import { loadModel, poolMean } from '../../src/embed/model.js';

const folder = join(import.meta.dirname, '../../models/all-MiniLM-L6-v2');

test('the two parts of transformers that are used give the vectors that the whole of it gives, to the bit', async () => {
  env.allowRemoteModels = false;
  env.localModelPath = dirname(folder);
  const tokenizer = await AutoTokenizer.from_pretrained(basename(folder));
  const whole = await AutoModel.from_pretrained(basename(folder), { dtype: 'q8', session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 } });
  const ours = await loadModel(folder, 1);
  expect(ours.dimensions).toBe(384);
  for (const text of ['', 'Where is `src/retry-budget.ts` read? Straße, 漢字 🦴', 'a text of more tokens than the model takes '.repeat(40)]) {
    const { last_hidden_state: hidden } = (await whole(tokenizer(text, { truncation: true, max_length: 256 }))) as { last_hidden_state: { data: Float32Array; dims: number[] } };
    expect(await ours.embed(text)).toEqual(poolMean(hidden.data, hidden.dims[1]!, hidden.dims[2]!));
  }
});
