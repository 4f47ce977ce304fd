/**
 * Measures texts per second through the child process, beside the bare session in this process: one
 * text per call, in turns, so that a busy machine slows both.
 * Usage: tsx bench/embed.ts [THREADS]
 */
import { join } from 'node:path';
import { createEmbedder } from '../src/embed/embedder.js';

const folder = join(import.meta.dirname, '../models/all-MiniLM-L6-v2');
const threads = Number(process.argv[2] ?? 1);
const WORDS =
  'the build fails because migrations run before the schema lock is taken so tests must wait for make db and then retry once with a fresh port'.split(
    ' ',
  );
function sentence(n: number, length: number): string {
  return Array.from({ length }, (_, i) => WORDS[(n * 7 + i * 3) % WORDS.length]).join(' ');
}
const short = Array.from({ length: 150 }, (_, n) => sentence(n, 18));
const long = Array.from({ length: 40 }, (_, n) => sentence(n, 230));

const { env, AutoTokenizer, AutoModel } = await import('@huggingface/transformers');
env.allowRemoteModels = false;
env.localModelPath = join(folder, '..');
const tokenizer = await AutoTokenizer.from_pretrained('all-MiniLM-L6-v2');
const model = await AutoModel.from_pretrained('all-MiniLM-L6-v2', {
  dtype: 'q8',
  session_options: { intraOpNumThreads: threads, interOpNumThreads: 1 },
});
async function bare(text: string): Promise<void> {
  return void (await model(tokenizer(text, { truncation: true, max_length: 256 })));
}

const embedder = await createEmbedder({
  folder,
  dimensions: 384,
  threads,
  memoryCapBytes: 2e9,
  recycleTexts: 1e9,
  idleMs: 60_000,
  textTimeoutMs: 60_000,
});

async function rate(texts: string[], one: (text: string) => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  for (const text of texts) await one(text);
  return texts.length / ((performance.now() - begun) / 1000);
}

await rate(short.slice(0, 20), bare);
await embedder.embed(short.slice(0, 20));
for (const [name, texts] of [
  ['short', short],
  ['256 tokens', long],
] as const) {
  const rounds: { bare: number; ours: number }[] = [];
  for (let round = 0; round < 5; round++)
    rounds.push({
      bare: await rate(texts, bare),
      ours: await rate(texts, (text) => embedder.embed([text])),
    });
  const ratios = rounds.map(({ bare: b, ours }) => ours / b).sort((a, b) => a - b);
  const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1]!;
  console.log(
    `${name}: bare ${median(rounds.map((r) => r.bare)).toFixed(0)}/s, child ${median(rounds.map((r) => r.ours)).toFixed(0)}/s, ratio ${ratios[2]!.toFixed(2)} (${ratios[0]!.toFixed(2)}-${ratios[4]!.toFixed(2)}), ${threads} thread(s)`,
  );
}
await embedder.close();
