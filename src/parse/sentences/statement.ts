import type { Candidate, Entry, LessonKind, SaidBy, Scope } from '../../types.js';
import { isOwnOutput, ownNotesIn } from '../own-notes.js';
import { EXTRACTOR_VERSION, type SessionInput, dayOf } from '../session.js';
import { isAbsolute, placeIn, rootsOf } from '../../shell/index.js';
import { findEntities } from './entities.js';
import { quoteOf } from '../../text/verbatim.js';
import { keyOfText } from '../../text/fingerprint.js';
import { wordsIn } from '../../text/words.js';

/** What makes a candidate of a statement. */
interface StatementParts {
  kind: LessonKind;
  text: string;
  /** The words that the statement was made from. */
  quote: string;
  entry: Entry;
  saidBy: SaidBy;
  importance: Candidate['importance'];
  trust: number;
  worth: number;
  alone: boolean;
  scope?: Scope;
  tags?: string[];
  /** Of a known lesson; absent: that of the text. */
  key?: string;
}

/** A candidate from a statement; key, subject, files and mentions are read from its text. */
export function toCandidate(session: SessionInput, parts: StatementParts): Candidate {
  const found = findEntities(parts.text);
  return {
    kind: parts.kind,
    scope: parts.scope ?? 'project',
    text: parts.text,
    key: parts.key ?? keyOfText(parts.text),
    importance: parts.importance,
    saidBy: parts.saidBy,
    alone: parts.alone,
    worth: Math.round(Math.min(1, Math.max(0, parts.worth)) * 1000) / 1000,
    evidence: {
      agent: session.agent,
      session: session.session,
      entry: parts.entry.id,
      day: dayOf(parts.entry),
      trust: parts.trust,
      supports: true,
      quote: quoteOf(parts.quote),
    },
    tags: [...new Set(parts.tags ?? [])].sort(),
    files: [
      ...new Set(
        found.paths
          .filter((path) => !path.startsWith('~') && !path.includes('*'))
          .map((path) => relativeTo(path, session.project.folders)),
      ),
    ].slice(0, 6),
    mentions: [],
    extractor: EXTRACTOR_VERSION,
  };
}

/** A path without the project's folder in front. */
function relativeTo(path: string, folders: string[]): string {
  return (isAbsolute(path) && placeIn(rootsOf(folders), path)) || path;
}

/** An agent's sentence that repeats this many foreign words in a row is not its own. */
const RUN = 8;

/** Of a text that was cut nobody knows what else it said. */
const TRUNCATED = /\n\[… \d+ bytes left out …\]\n/;

/** Runs of eight foreign words, each with the place (`seq`) where it first stood. */
export type ForeignRuns = ReadonlyMap<string, number>;

/**
 * All runs of eight words in texts that are neither the user's nor the agent's: web pages, MCP
 * answers, injected instructions; and our own notes however they were read, each of their lines
 * whole, since an agent that repeats them has learnt nothing. Entries must be in order.
 */
export function foreignRuns(entries: Entry[]): ForeignRuns {
  const runs = new Map<string, number>();
  for (const entry of entries) {
    const own = entry.origin === 'agent' ? [] : ownNotesIn(entry.text);
    const isForeign =
      entry.origin === 'external' ||
      entry.origin === 'injected' ||
      isOwnOutput(entry) ||
      (entry.role === 'tool_result' && TRUNCATED.test(entry.text));
    const foreign = isForeign ? [entry.text] : [];
    for (const run of [
      ...foreign.flatMap((text) => runsOf(wordsIn(text))),
      ...own.flatMap((line) => wholeOrRuns(wordsIn(line))),
    ]) {
      if (!runs.has(run)) runs.set(run, entry.seq);
    }
  }
  return runs;
}

function runsOf(words: string[]): string[] {
  return Array.from({ length: Math.max(0, words.length - RUN + 1) }, (_, i) =>
    words.slice(i, i + RUN).join(' '),
  );
}
function wholeOrRuns(words: string[]): string[] {
  return words.length < RUN ? [words.join(' ')] : runsOf(words);
}

/**
 * Whether a sentence said at `seq` repeats eight foreign words in a row that were seen before it.
 */
export function repeatsForeign(text: string, seq: number, runs: ForeignRuns): boolean {
  if (runs.size === 0) return false;
  return wholeOrRuns(wordsIn(text)).some((run) => (runs.get(run) ?? Infinity) < seq);
}
