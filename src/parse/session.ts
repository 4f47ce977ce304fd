/** What one session offers to those who learn from it. Pure. */
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
  /** `folders` are absolute; texts and paths are made relative to them. */
  project: { id: string; name: string; folders: string[] };
}

/** Version of the rules in parse/; lessons remember it, a rebuild replaces older ones. */
export const EXTRACTOR_VERSION = 13;

/** Entries in the order of the log. */
export function inOrder(entries: Entry[]): Entry[] {
  return [...entries].sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}

/** UTC day of an entry; a log without times has the epoch. */
export function dayOf(entry: { time: string | null }): string {
  return (entry.time ?? '1970-01-01').slice(0, 10);
}

/** A longer silence is a pause: of it only so much counts. */
const LONGEST_GAP_MS = 5 * 60 * 1000;

/** Seconds in which a session was worked in: gaps between its entries, each at most five minutes. */
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
  /** What the person typed in it; pasted parts are gone. */
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

/** Characters that must be equal for two long first prompts to count as one. */
const HEAD = 200;

/**
 * The first prompt of a session: hash of its first 200 characters (blanks made one), length, and
 * whether a person typed later. Three equal ones without typing are automated.
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
