/** Which model's vectors are in use, and which models made any. */
import { AppError } from '../../errors.js';
import type { Db } from '../db.js';
import { dropMeta, metaValue, setMeta } from '../rows/meta.js';
import { VECTOR_MODEL } from '../schema.js';

/**
 * The model whose vectors searches compare with. Another model's vectors are made in parallel until
 * they cover as much.
 */
export interface VectorModel {
  fingerprint: string;
  dimensions: number;
  /** How `embed/` finds the model again; null if it cannot. */
  origin: unknown;
}

/**
 * Null in a store that recorded no model: its vectors come from the only model that it ever used.
 */
export async function vectorModel(db: Db): Promise<VectorModel | null> {
  const value = await metaValue(db, VECTOR_MODEL);
  return value === null ? null : (JSON.parse(value) as VectorModel);
}

/** Records the model; the views show its vectors after the file is opened again. */
export function noteVectorModel(db: Db, model: VectorModel | null): Promise<unknown> {
  return model === null
    ? dropMeta(db, VECTOR_MODEL)
    : setMeta(db, VECTOR_MODEL, JSON.stringify(model));
}

/** Models that made vectors of entries. */
export async function vectorFingerprints(db: Db): Promise<string[]> {
  const rows = await db.all<{ fingerprint: string }>(
    `SELECT DISTINCT fingerprint FROM own.vectors WHERE owner = 'entry' ORDER BY fingerprint`,
  );
  return rows.map(({ fingerprint }) => fingerprint);
}

/**
 * Whether this model made any vector of an entry: without one, search by meaning has nothing to
 * compare.
 */
export async function hasVectors(db: Db, fingerprint: string): Promise<boolean> {
  return (
    (
      await db.all(
        `SELECT 1 FROM own.vectors WHERE owner = 'entry' AND fingerprint = $fingerprint LIMIT 1`,
        { fingerprint },
      )
    ).length > 0
  );
}

const LENGTHS = 'vector_lengths';

/** Length of each model's vectors in this store, by fingerprint. */
export async function vectorLengths(db: Db): Promise<Record<string, number>> {
  return JSON.parse((await metaValue(db, LENGTHS)) ?? '{}') as Record<string, number>;
}

/**
 * @throws AppError when the model made vectors of another length before: a server may have changed
 * the model behind its address
 */
export async function noteLength(db: Db, fingerprint: string, length: number): Promise<void> {
  const known = await vectorLengths(db);
  if (known[fingerprint] === length) return;
  if (known[fingerprint] !== undefined)
    throw new AppError(
      'MODEL_FAILED',
      `${fingerprint} gives vectors of ${length} numbers, not ${known[fingerprint]} as before`,
      {
        hint: 'if the server has another model by now, name it in embed.model: its vectors are then made again',
      },
    );
  await setMeta(db, LENGTHS, JSON.stringify({ ...known, [fingerprint]: length }));
}

/**
 * Removes vectors of all models but these; vectors of lessons are also kept for the model that
 * compares them. Returns how many.
 */
export async function dropForeignVectors(
  db: Db,
  kept: readonly string[],
  ofLessons: string | null = null,
): Promise<number> {
  const known = Object.entries(await vectorLengths(db));
  const left = known.filter(
    ([fingerprint]) => kept.includes(fingerprint) || fingerprint === ofLessons,
  );
  if (left.length < known.length)
    await setMeta(db, LENGTHS, JSON.stringify(Object.fromEntries(left)));
  return db.run(
    `DELETE FROM own.vectors WHERE fingerprint NOT IN (SELECT unnest($kept::VARCHAR[]))
       AND NOT (owner = 'lesson' AND fingerprint = coalesce($ofLessons, ''))`,
    { kept, ofLessons },
  );
}

/** Why a server did not return vectors. */
export interface EmbedFault {
  since: string;
  text: string;
}

const FAULT = 'embed_fault';

export async function embedFault(db: Db): Promise<EmbedFault | null> {
  const value = await metaValue(db, FAULT);
  return value === null ? null : (JSON.parse(value) as EmbedFault);
}

/** Records a fault; the first of several in a row stays as the start time. null: it works. */
export async function setEmbedFault(db: Db, fault: EmbedFault | null): Promise<void> {
  const known = await embedFault(db);
  if (fault === null && known !== null) await dropMeta(db, FAULT);
  if (fault !== null)
    await setMeta(db, FAULT, JSON.stringify({ ...fault, since: known?.since ?? fault.since }));
}
