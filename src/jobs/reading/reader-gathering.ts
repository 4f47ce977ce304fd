/** Collects what was read from a log until the next batch. */
import type { BadLine, RawEntry, SessionFacts, Usage } from '../../types.js';

/** A raw entry with its place in the log. */
export interface PlacedRawEntry {
  raw: RawEntry;
  /** When it was made, if the raw entry has no time. */
  time?: string | null;
  session: string;
  line: number;
  /** Index among the raw entries of its line. */
  block: number;
}

/** What was collected since the last `cut`. */
export interface Gathered {
  rawEntries: PlacedRawEntry[];
  sessions: SessionFacts[];
  usage: (Usage & { session: string })[];
  bad: BadLine[];
}

export interface Gathering {
  /** Counts a line of this many bytes. */
  addLine(bytes: number): void;
  addRawEntry(raw: PlacedRawEntry): void;
  addSession(facts: SessionFacts): void;
  addUsage(usage: Usage & { session: string }): void;
  addBad(bad: BadLine): void;
  /** Drops what was collected of a session. */
  drop(session: string): void;
  /** Whether enough was collected for a batch. */
  isFull(): boolean;
  /** No raw entry was collected. */
  isEmpty(): boolean;
  /** Returns what was collected and starts again. */
  cut(): Gathered;
}

/**
 * A batch is full at this many lines, bytes of log or characters of text: a commit costs 20 ms, and
 * a message must be copied.
 */
export const FULL = { lines: 2000, bytes: 4 * 1024 * 1024, characters: 1024 * 1024 };
/** Limit on bad lines with details in a batch; the count goes on. */
const TOLD = 100;

export function createGathering(limits: typeof FULL): Gathering {
  const nothing = (): Gathered => ({ rawEntries: [], sessions: [], usage: [], bad: [] });
  let gathered = nothing();
  let full = { lines: 0, bytes: 0, characters: 0 };
  return {
    addLine(bytes) {
      full.lines += 1;
      full.bytes += bytes;
    },
    addRawEntry(placed) {
      full.characters += placed.raw.text.length;
      gathered.rawEntries.push(placed);
    },
    addSession: (facts) => void gathered.sessions.push(facts),
    addUsage: (usage) => void gathered.usage.push(usage),
    addBad(bad) {
      if (gathered.bad.length < TOLD) gathered.bad.push(bad);
    },
    drop(session) {
      gathered.rawEntries = gathered.rawEntries.filter((one) => one.session !== session);
      gathered.sessions = gathered.sessions.filter((one) => one.session !== session);
      gathered.usage = gathered.usage.filter((one) => one.session !== session);
    },
    isFull: () =>
      full.lines >= limits.lines ||
      full.bytes >= limits.bytes ||
      full.characters >= limits.characters,
    isEmpty: () => gathered.rawEntries.length === 0,
    cut() {
      const cut = gathered;
      gathered = nothing();
      full = { lines: 0, bytes: 0, characters: 0 };
      return cut;
    },
  };
}
