/** Claims of a session: the person's requests to remember, and the notes of agents. Pure. */
import { isAbsolute, placeIn, rootsOf } from '../shell/index.js';
import { withoutBlocks } from '../text/code.js';
import { keyOfText } from '../text/fingerprint.js';
import { typedClaims } from '../text/typed-lines.js';
import { quoteOf, verbatim } from '../text/verbatim.js';
import { wordsIn } from '../text/words.js';
import {
  MOST_LESSON_CHARS,
  type Candidate,
  type DroppedNote,
  type Entry,
  type Extraction,
} from '../types.js';
import { isOwnOutput, ownNotesIn, withoutOwnNotes } from './own-notes.js';
import { findEntities } from './entities.js';
import { EXTRACTOR_VERSION, type SessionInput, dayOf } from './session.js';

/** Parts of a statement that becomes a candidate. */
interface StatementParts extends Pick<
  Candidate,
  'kind' | 'text' | 'said_by' | 'importance' | 'worth' | 'alone'
> {
  /** The original words. */
  quote: string;
  entry: Entry;
  trust: number;
  scope?: Candidate['scope'];
  tags?: readonly string[];
  /** Key of a known lesson; default: the key of the text. */
  key?: string;
}

/** A candidate from a statement, with key and files from its text. */
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

const NOTE =
  /^\s*(?:(?:[-*>]|\d+[.)])\s+)?(?:\*\*|__|`)?remember(?:\*\*|__|`)?\s*[:：](?:\*\*|__|`)?\s*(\S.*)$/iu;
/** A note after another sentence, at the end of an answer. */
const LAST_NOTE = /[.!?;。！？]\s+((?:\*\*|__)?remember(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*\S.*)$/iu;
const REPEATS = 'it repeats what a page, an injected text or an earlier note says';

type Saying = Pick<StatementParts, 'kind' | 'said_by' | 'importance' | 'trust' | 'worth' | 'tags'>;
const TYPED: Saying = {
  ...{ kind: 'preference', said_by: 'user', importance: 5 },
  ...{ trust: 0.9, worth: 1, tags: ['said'] },
};
const NOTED: Saying = {
  ...{ kind: 'fact', said_by: 'agent', importance: 3 },
  ...{ trust: 0.4, worth: 0.5, tags: ['note'] },
};

/** Why a sentence after `Remember:` is not a claim; null if it is. */
function whyNoNote(text: string): string | null {
  if (text.length > MOST_LESSON_CHARS)
    return `it is longer than a lesson may be (${MOST_LESSON_CHARS} characters)`;
  if (!/\p{L}.*\p{L}/su.test(text)) return 'it has no words';
  return /[?？]$/u.test(text) ? 'it is a question' : null;
}

/** A sentence after `Remember:`. */
interface RememberLine {
  text: string;
  quote: string;
  entry: Entry;
  /** Why it is not a claim; null if it is. */
  why: string | null;
}

/** `Remember: …` lines that the person typed, verbatim. No other sentence of a prompt is a claim. */
function typedIn({ entries }: SessionInput): RememberLine[] {
  return entries.flatMap((entry) =>
    // An answer to an agent's question often contains the agent's own options.
    entry.role !== 'user' ||
    entry.origin !== 'user' ||
    entry.copied ||
    entry.marks.includes('question')
      ? []
      : typedClaims(withoutOwnNotes(entry.text)).map((text) => ({
          ...{ text, quote: text, entry, why: whyNoNote(text) },
        })),
  );
}

/**
 * `Remember: ...` lines of an answer, also as its last sentence. Ignores code fences, which contain
 * examples.
 */
export function noteLines(answer: string): string[] {
  const lines = withoutBlocks(answer).trimEnd().split('\n');
  const last = NOTE.test(lines.at(-1)!) ? [] : (LAST_NOTE.exec(lines.at(-1)!)?.[1] ?? []);
  return lines.concat(last).filter((line) => NOTE.test(line));
}

/** Notes of agents, verbatim. */
function notedIn({ entries }: SessionInput): RememberLine[] {
  const runs = foreignRuns(entries);
  return entries.flatMap((entry) => {
    if (entry.role !== 'assistant' || entry.origin !== 'agent' || entry.copied) return [];
    return noteLines(entry.text).map((line): RememberLine => {
      const text = verbatim(NOTE.exec(line)![1]!);
      const why = whyNoNote(text) ?? (repeatsForeign(text, entry.seq, runs) ? REPEATS : null);
      return { text, quote: line.trim(), entry, why };
    });
  });
}

function droppedOf(lines: readonly RememberLine[], said_by: DroppedNote['said_by']): DroppedNote[] {
  return lines.flatMap(({ text, entry, why }) =>
    why === null
      ? []
      : [{ entry: entry.id, said_by, text: text.slice(0, MOST_LESSON_CHARS), reason: why }],
  );
}

/**
 * The claims of a session, and the notes that are not claims. Entries must be in order.
 * @param isTyped whether a person typed its prompts
 */
export function extractClaims(
  session: SessionInput,
  isTyped: boolean,
): Pick<Extraction, 'candidates' | 'dropped'> {
  const [typed, noted] = [isTyped ? typedIn(session) : [], notedIn(session)];
  const candidatesOf = (lines: readonly RememberLine[], of: Saying): Candidate[] =>
    byKey(
      lines
        .filter(({ why }) => why === null)
        .map(({ why: _, ...words }) => toCandidate(session, { ...words, ...of, alone: true })),
    );
  return {
    candidates: [...candidatesOf(typed, TYPED), ...candidatesOf(noted, NOTED)],
    dropped: [...droppedOf(typed, 'user'), ...droppedOf(noted, 'agent')],
  };
}

/** An agent's sentence with this many foreign words in a row is a repetition. */
const RUN = 8;
/** The rest of a text that was cut is unknown. */
const TRUNCATED = /\n\[… \d+ bytes left out …\]\n/;

/** Runs of foreign words, each with the `seq` of its first occurrence. */
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
 * All runs of words in foreign texts: web pages, MCP answers, injected instructions, and lines of
 * our own notes from any source. Entries must be in order.
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

/** Whether a sentence at `seq` repeats an earlier run of foreign words. */
export function repeatsForeign(text: string, seq: number, runs: ForeignRuns): boolean {
  if (runs.size === 0) return false;
  return wholeOrRuns(wordsIn(text)).some((run) => (runs.get(run) ?? Infinity) < seq);
}
