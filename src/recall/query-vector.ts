/** The vector of a query, and the model that made it. */
import { messageOf } from '../errors.js';
import { hasVectors, vectorModel, type VectorModel } from '../store/index.js';
import type { Embedder, Reading } from '../types.js';
import type { Recall } from './recall.js';

export interface QueryVector {
  vector: Float32Array;
  fingerprint: string;
  /** The pieces of the query, if the model gives them. */
  reading?: Reading;
}

/** Null without a model or without vectors to compare with: then search uses words alone. */
export async function queryVector(recall: Recall, query: string): Promise<QueryVector | null> {
  if (query.trim() === '') return null;
  const embedder = await recall.embedder.get();
  if (embedder === null) return null;
  const used = await recall.store.read(async (db) =>
    (await hasVectors(db, embedder.fingerprint)) ? await vectorModel(db) : undefined,
  );
  return used === undefined ? null : readQuery(recall, embedder, query, used);
}

/** As `queryVector`, also when no entry has a vector yet. */
export async function vectorOfText(recall: Recall, text: string): Promise<Float32Array | null> {
  const embedder = await recall.embedder.get();
  if (embedder === null) return null;
  const used = await recall.store.read(vectorModel);
  return (await readQuery(recall, embedder, text, used))?.vector ?? null;
}

async function readQuery(
  recall: Recall,
  embedder: Embedder,
  query: string,
  used: VectorModel | null,
): Promise<QueryVector | null> {
  const { fingerprint } = embedder;
  try {
    const text = embedder.sends === true ? await masked(recall, query) : query;
    const reading = await embedder.read?.(text);
    const vector =
      reading?.vector ?? (await embedder.embedQuery?.(text)) ?? (await embedder.embed([text]))[0]!;
    if (isOfOtherLength(used, fingerprint, vector))
      throw new Error(
        `the model gives ${vector.length} dimensions now, its stored vectors have ${used!.dimensions}`,
      );
    return { vector, fingerprint, ...(reading === undefined ? {} : { reading }) };
  } catch (error) {
    // Only this text may be at fault, so the model is used again for the next one.
    if ((error as { code?: string }).code !== 'EMBED_FAILED')
      recall.embedder.fail(messageOf(error));
    return null;
  }
}

function isOfOtherLength(
  used: VectorModel | null,
  fingerprint: string,
  vector: Float32Array,
): boolean {
  const length = used?.fingerprint === fingerprint ? used.dimensions : null;
  return length !== null && length !== vector.length;
}

/** Masks a query, which may contain a secret. Hits were masked when they were read. */
async function masked({ redactKey: key, clock, config }: Recall, text: string): Promise<string> {
  const { createRedactor } = await import('../redact/index.js');
  const redactor = createRedactor({ key, mono: () => clock.mono(), ...config.redact });
  return redactor.redact([text])[0]!;
}
