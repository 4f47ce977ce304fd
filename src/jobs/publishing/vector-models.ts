/**
 * Which model's vectors searches use. When the config names another model its vectors are made
 * beside those in use, until they cover all that these did; then they take over and the old ones
 * go.
 */
import {
  compactStates,
  countUncovered,
  dropForeignVectors,
  dropStates,
  noteVectorModel,
  setEmbedFault,
  vectorFingerprints,
  vectorLengths,
  vectorModel,
} from '../../store/index.js';
import type { Embedder } from '../../types.js';
import type { JobContext } from '../job.js';
import { maskText } from '../upkeep/mask.js';

interface StoredModels {
  /** What was noted as in use; null: nothing yet. */
  noted: string | null;
  wanted: string;
  /** Models that made vectors. */
  present: readonly string[];
}

/**
 * The model whose vectors are to be used: the one that was, as long as it made any and can be
 * asked. Pure but for asking.
 */
export async function planUsed(
  { noted, wanted, present }: StoredModels,
  canAsk: (model: string) => Promise<boolean>,
): Promise<string> {
  // A store that notes nothing has vectors of one model alone.
  const used = noted ?? (present.includes(wanted) ? wanted : (present[0] ?? wanted));
  return used === wanted || (present.includes(used) && (await canAsk(used))) ? used : wanted;
}

/** Before models were noted there was only the shipped one. */
const UNNOTED = { dimensions: 384, origin: null };

/**
 * Removes vectors of models that are neither in use nor named by the config. @returns the model in
 * use
 */
export async function settleModels(context: JobContext, embedder: Embedder): Promise<string> {
  const { store, embedder: lease } = context;
  const { model, present } = await store.read(async (db) => ({
    model: await vectorModel(db),
    present: await vectorFingerprints(db),
  }));
  const wanted = embedder.fingerprint;
  const canAsk = async (fingerprint: string) =>
    ((await lease.of?.(fingerprint, model?.fingerprint === fingerprint ? model.origin : null)) ??
      null) !== null;
  const used = await planUsed({ noted: model?.fingerprint ?? null, wanted, present }, canAsk);
  const ofLessons = (await lease.lessons?.get())?.fingerprint ?? null;
  await store.write(async (db) => {
    await dropForeignVectors(db, [used, wanted], ofLessons);
    if (model !== null && model.fingerprint !== used) await noteVectorModel(db, null);
    if (model === null && used !== wanted)
      await noteVectorModel(db, { fingerprint: used, ...UNNOTED });
    if (embedder.sends !== true) await setEmbedFault(db, null);
  });
  return used;
}

/**
 * Takes the new vectors into use when they cover what the old ones did, and notes the model that is
 * used.
 * @param used what `settleModels` told
 */
export async function switchModel(
  { store, paths, embedder: lease }: JobContext,
  embedder: Embedder,
  used: string,
): Promise<void> {
  const { fingerprint, origin = null } = embedder;
  const { noted, dimensions } = await store.read(async (db) => ({
    noted: await vectorModel(db),
    dimensions: (await vectorLengths(db))[fingerprint],
  }));
  if (noted?.fingerprint === fingerprint || dimensions === undefined) return;
  if (used !== fingerprint && (await store.read((db) => countUncovered(db, fingerprint, used))) > 0)
    return;
  const ofLessons = (await lease.lessons?.get())?.fingerprint ?? null;
  await store.write(async (db) => {
    await noteVectorModel(db, { fingerprint, dimensions, origin });
    if (used === fingerprint) return;
    await dropForeignVectors(db, [fingerprint], ofLessons);
    if (embedder.embedSigned === undefined) await dropStates(db, paths.vectors);
    else await compactStates(db, paths.vectors);
  });
}

/**
 * Keeps why no vectors are made, for `status` and `status --check`, which have the model in another
 * process.
 */
export async function noteFault(
  context: JobContext,
  embedder: Embedder,
  problem: string | null,
): Promise<void> {
  if (problem !== null) context.embedder.fail(problem);
  if (embedder.sends !== true) return;
  const fault =
    problem === null
      ? null
      : { since: context.clock.now().toISOString(), text: await maskText(context, problem) };
  await context.store.write((db) => setEmbedFault(db, fault));
}
