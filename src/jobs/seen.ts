/**
 * How often a text without an id of its own was seen in a log, in bounded space: exact for the newest keys; of those that fell out
 * only a count per bucket is left, which may give a new text a higher number than needed, but never an old one twice.
 */
export interface Seen {
  /** First 8 hex of the key and its count, least recently seen first. */
  recent: [string, number][];
  /** Highest count that fell out of `recent`, by the first 10 bits of the key. */
  older: Record<string, number>;
}

const RECENT = 600;

/** Counts on from a saved state (null at the head of a log). */
export interface SeenCounter {
  /** How often the key (hex, at least 8 characters) has been counted, this time included. */
  count(key: string): number;
  save(): Seen;
}

export const createSeenCounter = (saved: Seen | null): SeenCounter => {
  const recent = new Map(saved?.recent ?? []);
  const older = { ...saved?.older };
  return {
    count(key) {
      const short = key.slice(0, 8);
      const now = (recent.get(short) ?? older[bucketOf(short)] ?? 0) + 1;
      recent.delete(short);
      recent.set(short, now);
      if (recent.size > RECENT) {
        const [old, count] = recent.entries().next().value as [string, number];
        recent.delete(old);
        older[bucketOf(old)] = Math.max(older[bucketOf(old)] ?? 0, count);
      }
      return now;
    },
    save: () => ({ recent: [...recent], older }),
  };
};

const bucketOf = (short: string): string => (Number.parseInt(short.slice(0, 3), 16) >> 2).toString(36);
