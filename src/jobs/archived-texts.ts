/** Texts that left the database, read back from the tiers: for learning, for `show`, and for good when they are to stay for ever. */
import { leftOfIds, leftOfSessions, type LeftText } from '../store/index.js';
import { sessionKey } from '../types.js';
import type { JobContext } from './job.js';
import type { TierRow } from './tier-file.js';
import { scanTier } from './tier-stream.js';

type From = Pick<JobContext, 'store'>;

export interface ArchivedTexts {
  /** By entry id. */
  texts: Map<string, string>;
  /** `agent\0session` -> how many of its texts are nowhere. */
  lost: Map<string, number>;
}

/**
 * What the database lacks of sessions, from the tiers.
 * @param clip as in `entriesOfSessions`: head and tail of a tool result's text that are kept; 0 keeps all
 */
export const textsOfSessions = async ({ store }: From, sessions: readonly { agent: string; session: string }[], { clip = 0 } = {}): Promise<ArchivedTexts> => {
  const left = await store.read((db) => leftOfSessions(db, sessions));
  const texts = await readBack(left, (row) => clipped(row, clip));
  const lost = new Map<string, number>();
  for (const { agent, session, id } of left) if (!texts.has(id)) lost.set(sessionKey(agent, session), (lost.get(sessionKey(agent, session)) ?? 0) + 1);
  return { texts, lost };
};

/** Texts of single entries that the database lacks. */
export const textsOfIds = async ({ store }: From, ids: readonly string[]): Promise<Map<string, string>> =>
  readBack(await store.read((db) => leftOfIds(db, ids)), ({ text }) => text ?? '');

/** One pass over each tier that may hold one of them. */
const readBack = async (left: readonly LeftText[], textOf: (row: TierRow) => string): Promise<Map<string, string>> => {
  const wanted = new Map<string, Map<string, string>>();
  for (const { id, hash, paths } of left) for (const path of paths) wanted.set(path, (wanted.get(path) ?? new Map<string, string>()).set(id, hash));
  const texts = new Map<string, string>();
  for (const [path, ids] of wanted) {
    await scanTier(path, (row) => {
      if (typeof row.text === 'string' && row['hash'] === ids.get(row.id)) texts.set(row.id, textOf(row));
    }, (id) => ids.has(id));
  }
  return texts;
};

/** As the database cuts it, which counts code points. */
const clipped = ({ text, role }: TierRow, clip: number): string => {
  if (clip === 0 || role !== 'tool_result' || text == null || text.length <= 2 * clip) return text ?? '';
  const points = [...text];
  return points.length <= 2 * clip ? text : `${points.slice(0, clip).join('')}\n…\n${points.slice(-clip).join('')}`;
};
