/**
 * From claims to candidates: a claim that does not quote the session, or names what the session does not, is dropped and counted.
 */
import { INSTEAD_TAG, LESSON_KINDS, WILL_KINDS, type Candidate, type Entry, type Lesson, type LessonKind } from '../../types.js';
import { withoutOwnNotes } from '../own-notes.js';
import { inOrder, type SessionInput } from '../session.js';
import { entityKeys } from '../sentences/entities.js';
import { foreignRuns, repeatsForeign, type ForeignRuns, toCandidate } from '../sentences/statement.js';
import { contentWords } from '../../text/words.js';
import { typedText } from '../../text/typed-lines.js';
import { lineOf, verbatim } from '../../text/verbatim.js';
import type { Claim } from './json.js';
import type { DigestLine } from './digest.js';
import { LEAST_MATCH, matchQuote } from './quote.js';
import { isShorter } from './prompt.js';

type DropReason =
  | 'no such line'
  | 'quote not found'
  | 'invented name'
  | 'no statement'
  | 'foreign text'
  | 'unknown lesson'
  | 'unknown kind'
  | 'not shorter'
  | 'too many';

/** A shorter wording of a lesson; it holds as long as the lesson's text is `of`. */
interface Rewording {
  lesson: string;
  of: string;
  text: string;
}

export interface Taken {
  candidates: Candidate[];
  rewordings: Rewording[];
  dropped: DropReason[];
}

/** A lesson as it was shown to the model, by the id that was shown. */
export type ShownLessons = ReadonlyMap<string, Lesson>;

interface World {
  session: SessionInput;
  lines: readonly DigestLine[];
  shown: ShownLessons;
  runs: ForeignRuns;
  /** The digest in lower case: names must stand in it. */
  said: string;
  /** Content words that the person typed. */
  typed: ReadonlySet<string>;
}

/** Lessons that one part of a session can hold; a model that lists more lists everything. */
const MOST = 12;
/** Share of a statement's words that the person typed, for the statement to count as theirs. */
const OWN_WORDS = 0.4;
/**
 * Less is enough when it names nothing that they did not type and says half of what it quotes: a wish is told in other words
 * than it was typed in (a fifth of the wishes that a reader found had under 40 %).
 */
const OWN_WORDS_OF_QUOTE = 0.2;
const QUOTE_WORDS = 0.5;
/** Words that may stand between two of a name: `cargo test foo --lib` names `cargo test --lib`. */
const GAP = 3;
/** Worth of a claim that was borne out, above that of sentences chosen by rules. */
const WORTH = 0.9;

/** Checks an answer about one part of a session; gives what passed, and why the rest did not. */
export function takeClaims(
  claims: readonly Claim[],
  session: SessionInput,
  lines: readonly DigestLine[],
  shown: ShownLessons,
): Taken {
  const entries = inOrder(session.entries);
  const world: World = {
    session,
    lines,
    shown,
    runs: foreignRuns(entries),
    said: lines
      .map((line) => line.text)
      .join('\n')
      .toLowerCase(),
    typed: new Set(entries.filter(isUsers).flatMap((entry) => contentWords(typedOf(entry)))),
  };
  const taken: Taken = { candidates: [], rewordings: [], dropped: [] };
  for (const claim of claims) take(claim, world, taken);
  return taken;
}

function isUsers(entry: Entry): boolean {
  return entry.role === 'user' && entry.origin === 'user';
}
/** Only what the person typed; pasted text is left out. */
function typedOf(entry: Entry): string {
  return typedText(withoutOwnNotes(entry.text));
}
function isTyped(quote: string, entry: Entry): boolean {
  return isUsers(entry) && matchQuote(quote, typedOf(entry)) >= LEAST_MATCH;
}

function take(claim: Claim, world: World, taken: Taken): void {
  if (taken.candidates.length >= MOST) return void taken.dropped.push('too many');
  const lesson = claim.id === null ? undefined : world.shown.get(claim.id);
  if (claim.about !== 'new' && !lesson) return void taken.dropped.push('unknown lesson');
  if (claim.about === 'shorter') return reword(lesson!, claim.text, taken);
  const line = claim.line === null ? undefined : world.lines[claim.line - 1];
  const found =
    line && matchQuote(claim.quote, line.entry.text + '\n' + line.text) >= LEAST_MATCH
      ? line
      : world.lines.find((one) => matchQuote(claim.quote, one.text) === 1);
  if (!found) return void taken.dropped.push(line ? 'quote not found' : 'no such line');
  if (claim.about === 'new') return add(claim, found.entry, world, taken);
  taken.candidates.push(judge(lesson!, claim, found.entry, world));
  if (claim.about !== 'contradicts' || claim.text === '') return;
  const before = taken.candidates.length;
  add({ ...claim, kind: lesson!.kind }, found.entry, world, taken);
  for (const added of taken.candidates.slice(before)) added.tags = [...added.tags, INSTEAD_TAG + lesson!.id].sort();
}

function reword(lesson: Lesson, text: string, taken: Taken): void {
  const shorter = verbatim(text);
  if (lesson.pinned || !isShorter(shorter, lesson.text)) return void taken.dropped.push('not shorter');
  taken.rewordings.push({ lesson: lesson.id, of: lesson.text, text: shorter });
}

/** A new lesson, or the reason why not. */
function add(claim: Claim, entry: Entry, world: World, taken: Taken): void {
  if (!(LESSON_KINDS as readonly string[]).includes(claim.kind)) return void taken.dropped.push('unknown kind');
  const text = lineOf(claim.text);
  if (text === null || text.length < 12 || /[?？]$/u.test(text)) return void taken.dropped.push('no statement');
  if ([...entityKeys(text)].some((name) => !isNamed(name, world.said))) return void taken.dropped.push('invented name');
  if (repeatsForeign(text, Infinity, world.runs) || repeatsForeign(claim.quote, Infinity, world.runs))
    return void taken.dropped.push('foreign text');
  const isOwn = isTyped(claim.quote, entry) && isUsersOwn(text, claim.quote, world);
  const kind = (WILL_KINDS as readonly string[]).includes(claim.kind) && !isOwn ? 'fact' : (claim.kind as LessonKind);
  taken.candidates.push(
    toCandidate(world.session, {
      kind,
      text,
      quote: claim.quote,
      entry,
      saidBy: isOwn ? 'user' : 'agent',
      scope: isOwn && WILL_KINDS.includes(kind) && claim.scope === 'global' ? 'global' : 'project',
      importance: importanceOf(kind, claim.importance),
      trust: isOwn ? 0.9 : 0.4,
      worth: WORTH,
      alone: true,
      tags: ['model'],
    }),
  );
}

/** Whether a name stands in the digest: as it is, or its words in order within one line. */
function isNamed(name: string, said: string): boolean {
  if (said.includes(name)) return true;
  const words = name.split(/\s+/);
  if (words.length < 2) return false;
  return said.split('\n').some((line) => {
    const here = line.split(/[\s`"'()]+/);
    return here.some((_, from) => standsFrom(words, here, from));
  });
}

/** Whether words follow each other from a place on, with few others between. */
function standsFrom(words: readonly string[], line: readonly string[], from: number): boolean {
  let at = from - 1;
  return words.every((word, i) => {
    const next = line.indexOf(word, at + 1);
    const isNear = i === 0 ? next === from : next >= 0 && next - at - 1 <= GAP;
    at = next;
    return isNear;
  });
}

/** Whether a statement that quotes the person says what they typed. */
function isUsersOwn(text: string, quote: string, { typed }: World): boolean {
  const words = contentWords(text);
  const own = words.filter((word) => typed.has(word)).length;
  if (own >= words.length * OWN_WORDS) return true;
  const said = new Set(words);
  const quoted = [...new Set(contentWords(quote))];
  return (
    own >= words.length * OWN_WORDS_OF_QUOTE &&
    quoted.filter((word) => said.has(word)).length >= quoted.length * QUOTE_WORDS &&
    [...entityKeys(text)].every((name) => contentWords(name).every((word) => typed.has(word)))
  );
}

/** A known lesson, confirmed or contradicted by what the session shows. */
function judge(lesson: Lesson, claim: Claim, entry: Entry, world: World): Candidate {
  const by = isTyped(claim.quote, entry) ? 'user' : 'agent';
  const candidate = toCandidate(world.session, {
    kind: lesson.kind,
    text: lesson.text,
    quote: claim.quote,
    entry,
    key: lesson.key,
    scope: lesson.scope,
    saidBy: by,
    importance: lesson.importance,
    trust: by === 'user' ? 0.9 : 0.4,
    worth: lesson.worth,
    alone: false,
    tags: ['model'],
  });
  return { ...candidate, evidence: { ...candidate.evidence, supports: claim.about === 'confirms' } };
}

/** What the kind is worth, one more or less as the model weighs it. A correction stays one: only it is of 5. */
function importanceOf(kind: LessonKind, said: Claim['importance']): Candidate['importance'] {
  if (kind === 'correction') return 5;
  const usual = kind === 'preference' || kind === 'decision' ? 4 : kind === 'fact' ? 2 : 3;
  return Math.min(4, usual + (said ?? 2) - 2) as Candidate['importance'];
}
