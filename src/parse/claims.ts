/** Claims of a session: what the person asked to remember, and the notes of agents. Pure. */
import { isAbsolute, placeIn, rootsOf } from '../shell/index.js';
import { keyOfText } from '../text/fingerprint.js';
import { typedClaims } from '../text/typed-lines.js';
import { quoteOf, verbatim } from '../text/verbatim.js';
import { wordsIn } from '../text/words.js';
import { MOST_LESSON_CHARS, type Candidate, type Entry } from '../types.js';
import { isOwnOutput, ownNotesIn, withoutOwnNotes } from './own-notes.js';
import { findEntities } from './entities.js';
import { EXTRACTOR_VERSION, type SessionInput, dayOf } from './session.js';

/** What makes a candidate of a statement. */
interface StatementParts extends Pick<
  Candidate,
  'kind' | 'text' | 'saidBy' | 'importance' | 'worth' | 'alone'
> {
  /** The words that the statement was made from. */
  quote: string;
  entry: Entry;
  trust: number;
  scope?: Candidate['scope'];
  tags?: string[];
  /** Of a known lesson; absent: that of the text. */
  key?: string;
}

/** A candidate from a statement; key and files are read from its text. */
export function toCandidate(
  { agent, session, project }: SessionInput,
  { quote, entry, trust, ...parts }: StatementParts,
): Candidate {
  const files = findEntities(parts.text)
    .paths.filter((path) => !path.startsWith('~') && !path.includes('*'))
    .map((path) => (isAbsolute(path) && placeIn(rootsOf(project.folders), path)) || path);
  return {
    scope: 'project',
    key: keyOfText(parts.text),
    ...parts,
    worth: Math.round(Math.min(1, Math.max(0, parts.worth)) * 1000) / 1000,
    evidence: {
      ...{ agent, session, entry: entry.id, day: dayOf(entry), trust },
      ...{ supports: true, quote: quoteOf(quote) },
    },
    tags: [...new Set(parts.tags ?? [])].sort(),
    files: [...new Set(files)].slice(0, 6),
    mentions: [],
    extractor: EXTRACTOR_VERSION,
  };
}

function byKey(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((each) => [each.key, each])).values()];
}

/** Trust in what a person typed. */
const USER = 0.9;

/**
 * `Remember: …` lines that the person typed, verbatim. No other sentence of a prompt is a claim.
 * Entries must be in order.
 */
export function extractTypedClaims(session: SessionInput): Candidate[] {
  const found: Candidate[] = [];
  for (const entry of session.entries) {
    // The words of an answered question are often the agent's own options.
    if (
      entry.role !== 'user' ||
      entry.origin !== 'user' ||
      entry.copied ||
      entry.marks.includes('question')
    )
      continue;
    for (const text of typedClaims(withoutOwnNotes(entry.text))) {
      if (whyNoNote(text) !== null) continue;
      const parts = { kind: 'preference', text, quote: text, entry, saidBy: 'user' } as const;
      const more = { importance: 5, trust: USER, worth: 1, alone: true } as const;
      found.push(toCandidate(session, { ...parts, ...more, tags: ['said'] }));
    }
  }
  return byKey(found);
}

const NOTE =
  /^\s*(?:(?:[-*>]|\d+[.)])\s+)?(?:\*\*|__|`)?remember(?:\*\*|__|`)?\s*[:：](?:\*\*|__|`)?\s*(\S.*)$/iu;
/** The same behind another sentence, as the last words of an answer. */
const LAST_NOTE = /[.!?;。！？]\s+((?:\*\*|__)?remember(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*\S.*)$/iu;
/** Trust in what an agent says. */
const AGENT = 0.4;

/** Why a sentence behind `Remember:` is no claim of anybody; null when it is one. */
export function whyNoNote(text: string): string | null {
  if (text.length > MOST_LESSON_CHARS)
    return `it is longer than a lesson may be (${MOST_LESSON_CHARS} characters)`;
  if (!/\p{L}.*\p{L}/su.test(text)) return 'it has no words';
  return /[?？]$/u.test(text) ? 'it is a question' : null;
}

/** The first sentence behind `Remember:` in a text; null when there is none. */
export function noteIn(text: string): string | null {
  for (const line of text.split('\n')) {
    const said = NOTE.exec(line)?.[1] ?? NOTE.exec(LAST_NOTE.exec(line)?.[1] ?? '')?.[1];
    if (said !== undefined) return verbatim(said);
  }
  return null;
}

/**
 * What agents left for their successors: lines `Remember: ...` in their answers, or their last
 * sentence, word for word. Code fences, questions, and what repeats the words of a tool or a page
 * are left out. Entries must be in order.
 */
export function extractNotes(session: SessionInput): Candidate[] {
  const runs = foreignRuns(session.entries);
  const found: Candidate[] = [];
  for (const entry of session.entries) {
    if (entry.role !== 'assistant' || entry.origin !== 'agent' || entry.copied) continue;
    const lines = entry.text
      .replace(/```[\s\S]*?(?:```|$)/g, '')
      .trimEnd()
      .split('\n');
    const last = NOTE.test(lines.at(-1)!) ? [] : (LAST_NOTE.exec(lines.at(-1)!)?.[1] ?? []);
    for (const line of lines.concat(last)) {
      const text = verbatim(NOTE.exec(line)?.[1] ?? '');
      if (whyNoNote(text) !== null || repeatsForeign(text, entry.seq, runs)) continue;
      const parts = { kind: 'fact', text, quote: line.trim(), entry, saidBy: 'agent' } as const;
      const more = { importance: 3, trust: AGENT, worth: 0.5, alone: true } as const;
      found.push(toCandidate(session, { ...parts, ...more, tags: ['note'] }));
    }
  }
  return byKey(found);
}

/** An agent's sentence that repeats this many foreign words in a row is not its own. */
const RUN = 8;
/** Of a text that was cut nobody knows what else it said. */
const TRUNCATED = /\n\[… \d+ bytes left out …\]\n/;

/** Runs of eight foreign words, each with the place (`seq`) where it first stood. */
export type ForeignRuns = ReadonlyMap<string, number>;

function isForeign(entry: Entry): boolean {
  return (
    entry.origin === 'external' ||
    entry.origin === 'injected' ||
    isOwnOutput(entry) ||
    (entry.role === 'tool_result' && TRUNCATED.test(entry.text))
  );
}

/**
 * All runs of eight words in texts that are neither the user's nor the agent's: web pages, MCP
 * answers, injected instructions; and our own notes however they were read, each of their lines
 * whole, since an agent that repeats them has learnt nothing. Entries must be in order.
 */
export function foreignRuns(entries: Entry[]): ForeignRuns {
  const runs = new Map<string, number>();
  for (const entry of entries) {
    const own = entry.origin === 'agent' ? [] : ownNotesIn(entry.text);
    const found = [
      ...(isForeign(entry) ? runsOf(wordsIn(entry.text)) : []),
      ...own.flatMap((line) => wholeOrRuns(wordsIn(line))),
    ];
    for (const run of found) if (!runs.has(run)) runs.set(run, entry.seq);
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

/** Whether a sentence said at `seq` repeats eight foreign words in a row that came before it. */
export function repeatsForeign(text: string, seq: number, runs: ForeignRuns): boolean {
  if (runs.size === 0) return false;
  return wholeOrRuns(wordsIn(text)).some((run) => (runs.get(run) ?? Infinity) < seq);
}
