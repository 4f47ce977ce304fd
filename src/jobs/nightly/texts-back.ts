/**
 * Restores texts that older versions removed from the database, from the tiers. Apart from rebuilding a lost database, nothing
 * else reads texts from outside it.
 */
import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import {
  bytesOfTerms,
  faultKind,
  findLackOfSpace,
  givingTiers,
  restoreTexts,
  saveTierChecks,
  textlessOfTiers,
  type GivingTier,
  type ReserveOptions,
} from '../../store/index.js';
import { messageOf } from '../../errors.js';
import { mib } from '../../text/amounts.js';
import type { PreparedEntry } from '../../types.js';
import type { JobContext } from '../job.js';
import { rowToEntry } from './tier-file.js';
import { scanTier } from './tier-stream.js';

/** Rows and characters per commit, which small tiers share, and characters between two turns of the event loop. */
const TOGETHER = { rows: 2000, chars: 4 * 2 ** 20 };
const TURN_CHARS = 256 * 1024;

/** Bytes that these texts, their search terms and the log of their commits need. Pure. */
export function roomFor(tiers: readonly Pick<GivingTier, 'texts' | 'terms'>[]): number {
  return 2 * tiers.reduce((sum, { texts, terms }) => sum + 40 * texts + bytesOfTerms(terms), 0);
}

/**
 * Restores the newest texts first. After an interruption the committed part stays and the next call continues: a query finds
 * what is missing. Without space for all, it does not begin; `status` and `doctor` say how much is needed.
 * @param disk replaced in tests
 * @returns how many texts were restored
 */
export async function bringTextsBack(context: JobContext, disk: Pick<ReserveOptions, 'freeBytes'> = {}): Promise<number> {
  const { store, paths, signal, log } = context;
  const tiers = await store.read(givingTiers);
  if (tiers.length === 0) return 0;
  const needed = mib(roomFor(tiers));
  const lack = await findLackOfSpace({ path: paths.store, aboutToWrite: roomFor(tiers), ...disk });
  if (lack !== null) {
    log.warn({ error: lack.message }, `texts stay in the archive alone: their way back needs about ${needed}`);
    return 0;
  }
  const back = new TextsBack(context);
  try {
    for (const [done, tier] of tiers.entries()) {
      if (signal.aborted || context.isOver()) break;
      context.progress({ job: 'rollup', done, total: tiers.length, unit: 'tiers whose texts come back' });
      await back.readTier(tier);
    }
    return await back.end();
  } catch (error) {
    if (faultKind(error) !== 'disk-full') throw error;
    log.warn({ error: messageOf(error) }, 'the disk is full: the other texts come back when there is room');
    return back.texts;
  }
}

class TextsBack {
  texts = 0;
  private waiting: PreparedEntry[] = [];
  private chars = 0;
  private turn = 0;
  private readonly read: (GivingTier & { size: number; mtimeMs: number })[] = [];

  constructor(private readonly context: JobContext) {}

  async readTier(tier: GivingTier): Promise<void> {
    const scan = await scanTier(tier.path, async (row) => {
      const entry = rowToEntry(row);
      if (entry === null || entry.textMissing === true) return;
      this.waiting.push(entry);
      this.chars += entry.text.length;
      this.turn += entry.text.length;
      if (this.waiting.length >= TOGETHER.rows || this.chars >= TOGETHER.chars) await this.commit();
      if (this.turn >= TURN_CHARS) {
        this.turn = 0;
        await setImmediate();
      }
    });
    const stat = statSync(tier.path, { throwIfNoEntry: false });
    // A file that changed is not recorded with its size here, so the next night checks it.
    const size = scan?.sha256 === tier.sha256 ? (stat?.size ?? 0) : 0;
    this.read.push({ ...tier, size, mtimeMs: stat?.mtimeMs ?? 0 });
  }

  private async commit(): Promise<void> {
    const entries = this.waiting;
    [this.waiting, this.chars] = [[], 0];
    if (entries.length > 0) this.texts += await this.context.store.write((db) => restoreTexts(db, entries));
  }

  /** Records a tier that could not provide all texts: it is not read again until its file changes. */
  async end(): Promise<number> {
    await this.commit();
    const left = new Map<number, number>();
    for (const { place } of await this.context.store.read((db) => textlessOfTiers(db, this.read)))
      left.set(place, (left.get(place) ?? 0) + 1);
    const checks = this.read.flatMap((tier, place) => (left.has(place) ? [{ ...tier, texts: left.get(place)! }] : []));
    if (checks.length > 0) await this.context.store.write((db) => saveTierChecks(db, checks));
    return this.texts;
  }
}
