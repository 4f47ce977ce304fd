/**
 * Makes missing vectors: for lessons, then for the user's texts, then for the newest others. A
 * query finds the missing ones.
 */
import { rmSync } from 'node:fs';
import {
  compactStates,
  countMissing,
  liveStates,
  missingVectors,
  openStates,
  saveVectors,
  settleLength,
  setEmbedFault,
  useModel,
  vectorModel,
  type Db,
  type MissingVector,
  type Signs,
  type VectorRow,
} from '../../store/index.js';
import { windowsOf } from '../../terms/index.js';
import type { Embedder } from '../../types.js';
import type { Job, JobContext } from '../job.js';
import { maskText } from '../upkeep/mask.js';

/** Texts per commit, because a commit is slow. */
const TEXTS_PER_COMMIT = 200;
/** Longest time of one `run` for vectors; the daemon and later runs do the rest. */
const MS_PER_RUN = 60_000;
/** Most windows of a text that get a vector. */
const WINDOWS = 20;
/** vectors.bin is rewritten if at least this much and more than half of it is unused. */
const DEAD_BYTES = 64 * 2 ** 20;

/** A vector with the signs of its tokens' states, which search compares by word. */
type SignedRow = VectorRow & { signs?: Signs };

export const embedJob: Job = {
  name: 'embed',
  after: { ingest: 'done', extract: 'done' },
  due: 'always',
  async run(context, trigger) {
    const embedder = await context.embedder.get();
    if (embedder === null) return { done: 0 };
    const begun = context.clock.mono();
    const ofRun = context.mode === 'once' && trigger.whole !== true ? MS_PER_RUN : Infinity;
    const until = trigger.until ?? begun + ofRun;
    let gaveWay = false;
    const isOver = async () => {
      gaveWay ||= !(await context.turn());
      return gaveWay || context.clock.mono() >= until;
    };
    const isKept = await settleStates(context, embedder);
    let left = await context.store.read((db) => countMissing(db, embedder.fingerprint));
    const total = left;
    let failed = 0;
    while (left > 0 && !(await isOver())) {
      const missing = await context.store.read((db) =>
        missingVectors(db, embedder.fingerprint, TEXTS_PER_COMMIT),
      );
      const made = await embedTexts(embedder, missing, isOver, isKept);
      if (made.problem !== null) await noteFault(context, made.problem);
      if (made.rows.length === 0) break;
      // The vectors of another model stay until the new model has made one.
      await takeIntoUse(context, embedder, made.rows);
      await context.store.write(async (db) => {
        if (made.problem === null) await setEmbedFault(db, null);
        await saveVectors(db, await keepStates(db, context.paths.vectors, made.rows));
      });
      left -= made.texts;
      failed += made.failed;
      if (made.problem !== null) break;
      context.progress({ job: 'embed', done: total - left, total, unit: 'texts' });
    }
    const done = total - left;
    const more = left > 0 && gaveWay && !context.signal.aborted;
    return {
      done,
      failed,
      counts: { texts: done, ...(more ? {} : { left }) },
      ...(more ? { more, next: { until } } : {}),
    };
  },
};

interface Made {
  rows: SignedRow[];
  texts: number;
  /** Texts that the model refused; an empty vector marks them, so that they are not tried again. */
  failed: number;
  /** Set if the model itself does not work. */
  problem: string | null;
}

async function embedTexts(
  embedder: Embedder,
  missing: readonly MissingVector[],
  isOver: () => Promise<boolean>,
  isKept: boolean,
): Promise<Made> {
  const made: Made = { rows: [], texts: 0, failed: 0, problem: null };
  const size = embedder.batch ?? 1;
  let crashes = 0;
  const waiting = Array.from({ length: Math.ceil(missing.length / size) }, (_, i) =>
    missing.slice(i * size, (i + 1) * size),
  );
  for (
    let group = waiting.shift();
    group !== undefined && !(await isOver());
    group = waiting.shift()
  ) {
    try {
      made.rows.push(...(await rowsOf(embedder, group, isKept)));
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      // After two crashes in a row the model is at fault, not the text.
      if (code !== 'EMBED_FAILED' && (code !== 'EMBEDDER_CRASHED' || ++crashes > 1))
        return { ...made, problem: message };
      // Finds the text that failed: each one is tried alone.
      if (group.length > 1) waiting.unshift(...group.map((one) => [one]));
      if (group.length > 1) continue;
      made.failed += 1;
      made.rows.push(...group.map((one) => emptyRow(embedder, one)));
    }
    made.texts += group.length;
  }
  return made;
}

function emptyRow(embedder: Embedder, { owner, id, rev, text }: MissingVector): VectorRow {
  return {
    owner,
    id,
    rev,
    fingerprint: embedder.fingerprint,
    part: 0,
    text: owner === 'lesson' ? text : null,
    vector: null,
  };
}

/** Vectors of texts: one for a lesson, one per window for an entry. */
async function rowsOf(
  embedder: Embedder,
  group: readonly MissingVector[],
  isKept: boolean,
): Promise<SignedRow[]> {
  const { fingerprint } = embedder;
  const rows = group.flatMap((one): SignedRow[] => {
    const { owner, id, rev } = one;
    const parts =
      owner === 'lesson' ? [one.text] : windowsOf(one.text, WINDOWS).map(({ text }) => text);
    if (parts.length === 0) return [emptyRow(embedder, one)];
    return parts.map((text, part) => ({ owner, id, rev, fingerprint, part, text, vector: null }));
  });
  const isSigned =
    isKept && embedder.embedSigned !== undefined && group.every(({ owner }) => owner === 'entry');
  const texts = rows.flatMap(({ text }) => text ?? []);
  if (texts.length === 0) return rows;
  const made = isSigned
    ? await embedder.embedSigned!(texts)
    : (await embedder.embed(texts)).map((vector) => ({ vector }));
  let at = 0;
  return rows.map((row) => (row.text === null ? row : { ...row, ...made[at++]! }));
}

/** Stores why no vectors are made, because `status` has no model in its process. */
async function noteFault(context: JobContext, problem: string): Promise<void> {
  context.embedder.fail(problem);
  const fault = {
    since: context.clock.now().toISOString(),
    text: await maskText(context, problem),
  };
  await context.store.write((db) => setEmbedFault(db, fault));
}

/** Each step has a transaction: the engine cannot commit a row together with a new column type. */
async function takeIntoUse(
  { store, paths }: Pick<JobContext, 'store' | 'paths'>,
  { fingerprint }: Embedder,
  rows: readonly VectorRow[],
): Promise<void> {
  const length = rows.find(({ vector }) => vector !== null)?.vector?.length;
  const used = await store.read(vectorModel);
  if (length === undefined || (used?.fingerprint === fingerprint && used.dimensions === length))
    return;
  // The file is removed first, so that none of another model remains.
  if (used?.fingerprint !== fingerprint) rmSync(paths.vectors, { force: true });
  await store.write((db) => useModel(db, fingerprint));
  await store.write((db) => settleLength(db, fingerprint, length));
}

/**
 * Rewrites vectors.bin if most of it is unused.
 * @returns whether the model gives signs; a server does not
 */
async function settleStates(
  { store, paths }: Pick<JobContext, 'store' | 'paths'>,
  embedder: Embedder,
): Promise<boolean> {
  if (embedder.embedSigned === undefined) return false;
  await store.write(async (db) => {
    const file = await openStates(db, paths.vectors);
    const size = file.size();
    file.close();
    const dead = size - (await liveStates(db));
    if (dead > DEAD_BYTES && dead > size / 2) await compactStates(db, paths.vectors);
  });
  return true;
}

/** Adds the places of signs to rows; call it in the transaction that saves them. */
async function keepStates(db: Db, path: string, rows: readonly SignedRow[]): Promise<VectorRow[]> {
  const signs = rows.flatMap((row) => row.signs ?? []);
  let places: number[] = [];
  if (signs.length > 0) {
    const file = await openStates(db, path);
    try {
      places = await file.append(signs);
    } finally {
      file.close();
    }
  }
  let at = 0;
  return rows.map(({ signs: own, ...row }) => ({
    ...row,
    states: own === undefined ? null : places[at++]!,
  }));
}
