/** The model of the stored vectors. */
import { AppError } from '../../errors.js';
import type { Db } from '../db.js';
import { homeState, saveHomeState } from '../rows/home-state.js';
import { VECTORS } from '../views.js';

export interface VectorModel {
  fingerprint: string;
  dimensions: number | null;
}

/** Null without vectors. */
export async function vectorModel(db: Db): Promise<VectorModel | null> {
  const { model, dimensions } = await homeState(db);
  return model === null ? null : { fingerprint: model, dimensions };
}

/** Sets the model and deletes vectors of other models. */
export async function useModel(db: Db, fingerprint: string): Promise<void> {
  if ((await vectorModel(db))?.fingerprint === fingerprint) return;
  await db.run('DELETE FROM own.vectors WHERE fingerprint <> $fingerprint', { fingerprint });
  await saveHomeState(db, { model: fingerprint, dimensions: null });
}

/** Whether an entry has a vector of this model. */
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

/**
 * Sets the length of the vector column to that of the model's first vector.
 * @throws AppError if earlier vectors have another length, e.g. since a server changed the model at
 * its address
 */
export async function settleLength(db: Db, fingerprint: string, length: number): Promise<void> {
  const known = (await vectorModel(db))?.dimensions ?? null;
  if (known === length) return;
  if (known !== null)
    throw new AppError(
      'MODEL_FAILED',
      `${fingerprint} gives vectors of ${length} numbers, not ${known} as before`,
      {
        hint: 'if the server has another model by now, name it in embed.model: its vectors are then made again',
      },
    );
  const [column] = await db.all<{ type: string }>(
    `SELECT column_type AS type FROM (DESCRIBE SELECT vector FROM own.vectors)`,
  );
  if (column!.type !== `FLOAT[${length}]`) {
    await db.run(`ALTER TABLE own.vectors ALTER vector SET DATA TYPE FLOAT[${length}] USING NULL`);
    // Created again, since a view keeps the old types of its table.
    await db.run(`CREATE OR REPLACE VIEW main.vectors AS ${VECTORS}`);
  }
  await saveHomeState(db, { model: fingerprint, dimensions: length });
}

/** Why no vectors are made. */
interface EmbedFault {
  since: string;
  text: string;
}

export async function embedFault(db: Db): Promise<EmbedFault | null> {
  const { embed_fault: text, embed_fault_since: since } = await homeState(db);
  return text === null ? null : { text, since: since! };
}

/** Records a fault, with the start time of the first of several in a row. null: no fault. */
export async function setEmbedFault(db: Db, fault: EmbedFault | null): Promise<void> {
  const known = await embedFault(db);
  if (fault !== null || known !== null)
    await saveHomeState(db, {
      embed_fault: fault?.text ?? null,
      embed_fault_since: fault && (known?.since ?? fault.since),
    });
}
