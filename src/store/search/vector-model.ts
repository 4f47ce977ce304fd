/** Which model's vectors are in use, and which models made any. */
import { AppError } from '../../errors.js';
import type { Db } from '../db.js';
import { dropMeta, metaValue, setMeta } from '../rows/meta.js';
import { VECTOR_MODEL } from '../schema.js';

/** The model whose vectors searches compare with: another one's are made beside them until they cover as much. */
export interface VectorModel {
  fingerprint: string;
  dimensions: number;
  /** What finds the model again, for `embed/`; null when nothing does. */
  origin: unknown;
}

/** Null in a store that no model was noted in: its vectors are of the only model that it ever knew. */
export async function vectorModel(db: Db): Promise<VectorModel | null> {
  const value = await metaValue(db, VECTOR_MODEL);
  return value === null ? null : (JSON.parse(value) as VectorModel);
}

/** The views show this model's vectors from the next opening of the file on. */
export function noteVectorModel(db: Db, model: VectorModel | null): Promise<unknown> {
  return model === null ? dropMeta(db, VECTOR_MODEL) : setMeta(db, VECTOR_MODEL, JSON.stringify(model));
}

/** Models that made vectors of entries. */
export async function vectorFingerprints(db: Db): Promise<string[]> {
  const rows = await db.all<{ fingerprint: string }>(
    `SELECT DISTINCT fingerprint FROM own.vectors WHERE owner = 'entry' ORDER BY fingerprint`,
  );
  return rows.map(({ fingerprint }) => fingerprint);
}

/** Whether this model made any vector of an entry: without one search by meaning has nothing to look at. */
export async function hasVectors(db: Db, fingerprint: string): Promise<boolean> {
  return (
    (await db.all(`SELECT 1 FROM own.vectors WHERE owner = 'entry' AND fingerprint = $fingerprint LIMIT 1`, { fingerprint }))
      .length > 0
  );
}

const LENGTHS = 'vector_lengths';

/** Length of the vectors that each model made here, by its fingerprint. */
export async function vectorLengths(db: Db): Promise<Record<string, number>> {
  return JSON.parse((await metaValue(db, LENGTHS)) ?? '{}') as Record<string, number>;
}

/** @throws AppError when the model made vectors of another length before: a server may have another model behind its address */
export async function noteLength(db: Db, fingerprint: string, length: number): Promise<void> {
  const known = await vectorLengths(db);
  if (known[fingerprint] === length) return;
  if (known[fingerprint] !== undefined)
    throw new AppError('MODEL_FAILED', `${fingerprint} gives vectors of ${length} numbers, not ${known[fingerprint]} as before`, {
      hint: 'if the server has another model by now, name it in embed.model: its vectors are then made anew',
    });
  await setMeta(db, LENGTHS, JSON.stringify({ ...known, [fingerprint]: length }));
}

/** Removes vectors of all models but these; lessons' are also kept of the one that they are compared with. Returns how many. */
export async function dropForeignVectors(db: Db, kept: readonly string[], ofLessons: string | null = null): Promise<number> {
  const known = Object.entries(await vectorLengths(db));
  const left = known.filter(([fingerprint]) => kept.includes(fingerprint) || fingerprint === ofLessons);
  if (left.length < known.length) await setMeta(db, LENGTHS, JSON.stringify(Object.fromEntries(left)));
  return db.run(
    `DELETE FROM own.vectors WHERE fingerprint NOT IN (SELECT unnest($kept::VARCHAR[]))
       AND NOT (owner = 'lesson' AND fingerprint = coalesce($ofLessons, ''))`,
    { kept, ofLessons },
  );
}

/** Why a server that makes vectors did not. */
export interface EmbedFault {
  since: string;
  text: string;
}

const FAULT = 'embed_fault';

export async function embedFault(db: Db): Promise<EmbedFault | null> {
  const value = await metaValue(db, FAULT);
  return value === null ? null : (JSON.parse(value) as EmbedFault);
}

/** The first of several in a row stays as the time since when; null: it works. */
export async function setEmbedFault(db: Db, fault: EmbedFault | null): Promise<void> {
  const known = await embedFault(db);
  if (fault === null && known !== null) await dropMeta(db, FAULT);
  if (fault !== null) await setMeta(db, FAULT, JSON.stringify({ ...fault, since: known?.since ?? fault.since }));
}
