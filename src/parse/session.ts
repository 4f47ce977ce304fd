/** Common parts of learning from a session. Pure. */
import { typedText } from '../text/typed-lines.js';
import type { Entry, Extraction, SessionFacts } from '../types.js';
import { withoutOwnNotes } from './own-notes.js';
import { shortHash } from '../text/fingerprint.js';
import { verbatim } from '../text/verbatim.js';

export interface SessionInput {
  agent: string;
  session: string;
  facts: SessionFacts;
  /** All entries of the session, in any order. */
  entries: Entry[];
  /** `folders` are absolute; paths become relative to them. */
  project: { id: string; name: string; folders: string[] };
}

/** Version of the rules in parse/. Sessions of another version are extracted again. */
export const EXTRACTOR_VERSION = 13;

/** Entries in the order of the log. */
export function inOrder(entries: Entry[]): Entry[] {
  return [...entries].sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** UTC day of an entry; the epoch without a time. */
export function dayOf(entry: { time: string | null }): string {
  return (entry.time ?? '1970-01-01').slice(0, 10);
}

/** A longer gap is a pause and counts only this much. */
const LONGEST_GAP_MS = 5 * 60 * 1000;

/** Seconds of work in a session: the gaps between its entries, each up to the limit. */
export function activeSeconds(entries: readonly Pick<Entry, 'time'>[]): number {
  const times = entries
    .flatMap(({ time }) => (time === null ? [] : [Date.parse(time)]))
    .sort((a, b) => a - b);
  const gaps = times.slice(1).map((time, n) => Math.min(time - times[n]!, LONGEST_GAP_MS));
  return Math.round(gaps.reduce((sum, gap) => sum + gap, 0) / 1000);
}

/** One message that a person typed. */
export interface Turn {
  entry: Entry;
  /** What the person typed, without pasted parts. */
  typed: string;
}

/** All messages of a session that a person typed. Entries must be in order. */
export function readTurns(entries: readonly Entry[]): Turn[] {
  return entries
    .filter(
      ({ role, origin, copied, text }) =>
        role === 'user' && origin === 'user' && !copied && text.trim() !== '',
    )
    .map((entry) => ({ entry, typed: typedText(withoutOwnNotes(entry.text)) }));
}

/** First prompts with an equal beginning of this length count as equal. */
const HEAD = 200;

/**
 * The first prompt of a session: hash of its beginning (blanks joined), length, and whether a
 * person typed later. Three sessions with an equal one and no later typing are automated.
 */
export function describeOpening(turns: readonly Turn[]): Extraction['opening'] {
  const [first, ...later] = turns.map(({ entry }) => verbatim(entry.text));
  if (first === undefined) return null;
  const head = first.slice(0, HEAD);
  const hash = shortHash(head, 16);
  return {
    hash,
    length: first.length,
    typedLater: later.some((text) => text.slice(0, HEAD) !== head),
  };
}
