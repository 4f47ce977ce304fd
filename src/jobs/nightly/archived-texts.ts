/**
 * Texts that left the database, read back from the tiers: for learning, for `show`, and for good when they are to stay for ever.
 */
import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import {
  leftInTiers,
  leftOfIds,
  leftOfSessions,
  lengthsOf,
  planReach,
  putTextsBack,
  saveTierChecks,
  tiersOfLeft,
  type LeftInTier,
  type LeftText,
  type LeftTier,
  type TierCheck,
} from '../../store/index.js';
import { sessionKey } from '../../types.js';
import type { JobContext } from '../job.js';
import { capText, storedText } from '../reading/text-cap.js';
import { tiersByEntries } from './tier-check.js';
import { rowToEntry } from './tier-file.js';
import type { TierRow } from './tier-file.js';
import { scanTier } from './tier-stream.js';

type From = Pick<JobContext, 'store'>;

interface ArchivedTexts {
  /** By entry id. */
  texts: Map<string, string>;
  /** `agent\0session` -> ids of its entries whose texts are nowhere. */
  lost: Map<string, Set<string>>;
}

/**
 * What the database lacks of sessions, from the tiers.
 * @param clip as in `entriesOfSessions`: head and tail of a tool result's text that are kept
 * @param most as there: characters of one session, of which each text keeps less beyond it
 */
export async function textsOfSessions(
  { store }: From,
  sessions: readonly { agent: string; session: string }[],
  { clip, most }: { clip: number; most?: number },
): Promise<ArchivedTexts> {
  const left = await store.read((db) => leftOfSessions(db, sessions));
  if (left.length === 0) return { texts: new Map(), lost: new Map() };
  const lengths = await store.read((db) => lengthsOf(db, sessions));
  const reaches = new Map<string, number>();
  for (const { agent, session } of sessions) {
    const here = left.filter((each) => each.agent === agent && each.session === session);
    // What the database still has counts too: what is kept of a text must not depend on where it is.
    const { reach, longest } = planReach(lengths.get(sessionKey(agent, session)) ?? here, clip, most);
    // An entry may stand in two sessions that are asked for: the longer text serves both.
    for (const { id, role } of here)
      reaches.set(id, Math.max(reaches.get(id) ?? 0, role === 'tool_result' ? reach : longest / 2));
  }
  const texts = await readBack(left, ({ id, text }) => clipped(storedText(text ?? ''), reaches.get(id)!));
  const lost = new Map<string, Set<string>>();
  for (const { agent, session, id } of left) {
    const key = sessionKey(agent, session);
    if (!texts.has(id)) lost.set(key, (lost.get(key) ?? new Set()).add(id));
  }
  return { texts, lost };
}

/** Texts of single entries that the database lacks, and which of them are nowhere. */
export async function textsOfIds(
  { store }: From,
  ids: readonly string[],
): Promise<{ texts: Map<string, string>; lost: Set<string> }> {
  const left = await store.read((db) => leftOfIds(db, ids));
  const texts = await readBack(left, ({ text }) => text ?? '');
  return { texts, lost: new Set(left.flatMap(({ id }) => (texts.has(id) ? [] : [id]))) };
}

/** One pass over each tier that may hold one of them. */
async function readBack(left: readonly LeftText[], textOf: (row: TierRow) => string): Promise<Map<string, string>> {
  const wanted = new Map<string, Map<string, string>>();
  for (const { id, hash, paths } of left)
    for (const path of paths) wanted.set(path, (wanted.get(path) ?? new Map<string, string>()).set(id, hash));
  const texts = new Map<string, string>();
  for (const [path, ids] of wanted) {
    await scanTier(
      path,
      (row) => {
        if (typeof row.text === 'string' && row['hash'] === ids.get(row.id)) texts.set(row.id, textOf(row));
      },
      (id) => ids.has(id),
    );
  }
  return texts;
}

/** As the database cuts it, which counts code points. */
function clipped(text: string, reach: number): string {
  if (text.length <= 2 * reach) return text;
  const points = [...text];
  return points.length <= 2 * reach ? text : `${points.slice(0, reach).join('')}\n…\n${points.slice(-reach).join('')}`;
}

/** So much text comes back in one night; what is left waits for the next. */
const NIGHT_CHARS = 256 * 2 ** 20;
/** Texts that wait in memory for one commit, and between two turns of the event loop. */
const COMMIT_CHARS = 8 * 2 ** 20;
const COMMIT_TEXTS = 20_000;
const TURN_CHARS = 256 * 1024;
/** Tiers of one look at what is missing, which reads all entries. */
const TIERS_LISTED = 5_000;

/**
 * Texts are to stay for ever: those that left the database earlier come back from the tiers, the newest first, with their search
 * terms; vectors are made as for new entries. A tier that cannot give all is noted and not read again until its file changes.
 * Small tiers share a commit: with two for each, 5,374 texts of 570 took five minutes.
 * @returns how many texts came back
 */
export async function putBackTexts(context: JobContext, nightChars = NIGHT_CHARS): Promise<number> {
  const { store, signal } = context;
  const seen = new Set<string>();
  const back = new TextsBack(store);
  for (;;) {
    const tiers = (await store.read((db) => tiersOfLeft(db, TIERS_LISTED))).filter(({ path }) => !seen.has(path));
    for (const group of tiersByEntries(tiers)) {
      const wanted = wantedByPlace(await store.read((db) => leftInTiers(db, group)));
      for (const [place, tier] of group.entries()) {
        if (signal.aborted || back.chars >= nightChars) return back.end();
        seen.add(tier.path);
        await context.yieldToIngest?.();
        await back.readTier(tier, wanted.get(place) ?? new Map<string, Wanted>());
      }
      await back.commit();
    }
    if (tiers.length === 0) return back.end();
  }
}

type Wanted = Pick<LeftInTier, 'n' | 'hash'>;

/** Place of a tier in its group -> what it is to give, by id. */
function wantedByPlace(left: readonly LeftInTier[]): Map<number, Map<string, Wanted>> {
  const byPlace = new Map<number, Map<string, Wanted>>();
  for (const { place, id, n, hash } of left)
    byPlace.set(place, (byPlace.get(place) ?? new Map<string, Wanted>()).set(id, { n, hash }));
  return byPlace;
}

/** Texts on their way back, and the tiers that were read to their end: they are committed together. */
class TextsBack {
  chars = 0;
  private texts = 0;
  private size = 0;
  /** By row, since an entry without a time may stand in several tiers. */
  private waiting = new Map<number, TierRow>();
  private checks: TierCheck[] = [];

  constructor(private readonly store: JobContext['store']) {}

  async readTier(tier: LeftTier, wanted: Map<string, Wanted>): Promise<void> {
    const scan = await scanTier(
      tier.path,
      (row) => {
        const known = wanted.get(row.id);
        if (typeof row.text !== 'string' || known === undefined || row['hash'] !== known.hash || !wanted.delete(row.id)) return;
        this.waiting.set(known.n, row);
        this.size += row.text.length;
        this.chars += row.text.length;
        return this.size >= COMMIT_CHARS || this.waiting.size >= COMMIT_TEXTS ? this.commit() : undefined;
      },
      (id) => wanted.has(id),
    );
    const stat = statSync(tier.path, { throwIfNoEntry: false });
    // A file that is not as it was written keeps no size here: the next night looks at it.
    const size = scan?.sha256 === tier.sha256 ? (stat?.size ?? 0) : 0;
    const { agent, session, day } = tier;
    this.checks.push({ agent, session, day, size, mtimeMs: stat?.mtimeMs ?? 0, texts: wanted.size });
  }

  async commit(): Promise<void> {
    const rows = await withTerms([...this.waiting].map(([n, row]) => ({ n, row })));
    const checks = this.checks;
    [this.waiting, this.checks, this.size] = [new Map(), [], 0];
    if (rows.length + checks.length === 0) return;
    this.texts += await this.store.write(async (db) => {
      const texts = await putTextsBack(db, rows);
      if (checks.length > 0) await saveTierChecks(db, checks);
      return texts;
    });
  }

  /** @returns how many texts came back */
  async end(): Promise<number> {
    await this.commit();
    return this.texts;
  }
}

async function withTerms(
  waiting: readonly { n: number; row: TierRow }[],
): Promise<{ n: number; entry: NonNullable<ReturnType<typeof rowToEntry>> }[]> {
  const out: { n: number; entry: NonNullable<ReturnType<typeof rowToEntry>> }[] = [];
  let chars = 0;
  for (const { n, row } of waiting) {
    const entry = rowToEntry({ ...row, text: capText(row.text ?? '', (text) => text) });
    if (entry !== null) out.push({ n, entry });
    chars += row.text?.length ?? 0;
    if (chars >= TURN_CHARS) {
      await setImmediate();
      chars = 0;
    }
  }
  return out;
}
