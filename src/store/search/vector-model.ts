/** The model whose vectors the store has. */
import { AppError } from '../../errors.js';
import type { Db } from '../db.js';
import { homeState, saveHomeState } from '../rows/home-state.js';
import { VECTORS } from '../views.js';

export interface VectorModel {
  fingerprint: string;
  dimensions: number | null;
}

/** Null in a store without vectors. */
export async function vectorModel(db: Db): Promise<VectorModel | null> {
  const { model, dimensions } = await homeState(db);
  return model === null ? null : { fingerprint: model, dimensions };
}

/** Takes a model into use: vectors of any other one go. */
export async function useModel(db: Db, fingerprint: string): Promise<void> {
  if ((await vectorModel(db))?.fingerprint === fingerprint) return;
  await db.run('DELETE FROM own.vectors WHERE fingerprint <> $fingerprint', { fingerprint });
  await saveHomeState(db, { model: fingerprint, dimensions: null });
}

/** Whether this model made any vector of an entry. */
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
 * Gives the column of vectors the length that the model's first vector has.
 * @throws AppError when the model made vectors of another length before: a server may have changed
 * the model behind its address
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
    // A view keeps the types that its table had when it was made.
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

/** Records a fault; the first of several in a row stays as the start time. null: it works. */
export async function setEmbedFault(db: Db, fault: EmbedFault | null): Promise<void> {
  const known = await embedFault(db);
  if (fault !== null || known !== null)
    await saveHomeState(db, {
      embed_fault: fault?.text ?? null,
      embed_fault_since: fault && (known?.since ?? fault.since),
    });
}
