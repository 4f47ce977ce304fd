/**
 * From claims to candidates: a claim that does not quote the session, or names what the session
 * does not, is dropped and counted.
 */
import {
  INSTEAD_TAG,
  LESSON_KINDS,
  MODEL_TAG,
  ONCE_TAG,
  TRIGGER_TAG,
  USER_WORDS_TAG,
  WILL_KINDS,
  type Candidate,
  type Entry,
  type Lesson,
  type LessonKind,
} from '../types.js';
import { withoutOwnNotes } from '../parse/own-notes.js';
import { dayOf, inOrder, type SessionInput } from '../parse/session.js';
import { entityKeys } from '../parse/entities.js';
import { foreignRuns, repeatsForeign, type ForeignRuns, toCandidate } from '../parse/claims.js';
import { typedText } from '../text/typed-lines.js';
import { contentWords, hasPolarity, isDenied, numbersIn } from '../text/words.js';
import { lineOf } from '../text/verbatim.js';
import type { Claim } from './json.js';
import type { DigestLine } from './fit.js';
import { isOfThisPlace, isOwnWording, speaksAgainst } from './own-words.js';
import { LEAST_MATCH, matchQuote } from './quote.js';
import { present } from '../text/order.js';

/** New claims of a session; a model that lists more lists everything. */
export const MOST_NEW = 4;
/** Of a claim: enough for facts that belong together, and a line of the page shows it whole. */
export const MOST_CHARS = 280;

/** Why a claim is not taken, and how a model avoids it. */
export const REFUSALS = {
  'no such line': '"line" is the number before the line that is quoted',
  'quote not found': '"quote" copies words of that line',
  'invented name': 'a command, path or error is written as in the session of its quote',
  'invented number': 'only numbers of the session',
  'turned round': 'a "not" of the text is in its quote',
  'no statement': `one whole sentence of at most ${MOST_CHARS} characters`,
  'foreign text': 'nothing that a web page or another stranger wrote',
  'unknown lesson': '"id" and "ids" name known claims',
  'unknown kind': '"kind" is one of the six',
  'a person said it': 'only their own later words contradict what the user said',
  'older than the claim': 'an older session contradicts no newer claim',
  'too many': `only ${MOST_NEW} new ones of a session`,
} as const;

type DropReason = keyof typeof REFUSALS;

export interface Taken {
  candidates: Candidate[];
  /** Claims that are no lesson, or not true any more: they do not come back by themselves. */
  drops: Lesson[];
  /** Why the others were not taken. */
  dropped: DropReason[];
}

/** A lesson as it was shown to the model, by the id that was shown. */
export type ShownLessons = ReadonlyMap<string, Lesson>;

/** A session of a prompt, with the lines that show it. */
export interface ShownSession {
  session: SessionInput;
  lines: readonly DigestLine[];
}

interface ClaimContext extends ShownSession {
  /** Lines of the sessions before it in the prompt. */
  before: number;
  /** New claims of this session so far. */
  added: number;
  runs: ForeignRuns;
  /** In lower case: claims may only use names that occur here. */
  digest: string;
  numbers: ReadonlySet<string>;
}

/** Words that may lie between two words of a name: `cargo test foo --lib` names `cargo test --lib`. */
const GAP = 3;
/** Worth of a claim that was borne out, above that of sentences chosen by rules. */
const WORTH = 0.9;
const TRUST = { user: 0.9, outcome: 0.6, agent: 0.4 };
/** Tag of a decision that the agent proposed and the person accepted. */
const ACCEPTED_TAG = 'accepted by the user';

/** Checks an answer about the sessions of one prompt; gives what passed, and why the rest did not. */
export function takeClaims(
  claims: readonly Claim[],
  sessions: readonly ShownSession[],
  shown: ShownLessons,
): Taken {
  let before = 0;
  const contexts = sessions.map((one) => {
    const context = contextOf(one, before);
    before += one.lines.length;
    return context;
  });
  const taken: Taken = { candidates: [], drops: [], dropped: [] };
  // Of too many the weightiest are taken.
  for (const claim of [...claims].sort((a, b) => weightOf(b) - weightOf(a))) {
    const reason = take(claim, contexts, shown, taken);
    if (reason !== null) taken.dropped.push(reason);
  }
  return taken;
}

function weightOf({ importance }: Claim): number {
  return importance ?? 2;
}

function contextOf({ session, lines }: ShownSession, before: number): ClaimContext {
  const digest = lines.map((line) => line.text).join('\n');
  return {
    ...{ session, lines, before, added: 0 },
    runs: foreignRuns(inOrder(session.entries)),
    // Signs of bold text occur inside names.
    digest: digest.toLowerCase().replace(/\*\*|__/g, ''),
    numbers: new Set(numbersIn(digest)),
  };
}

function isUsers(entry: Entry): boolean {
  return entry.role === 'user' && entry.origin === 'user';
}
/** Only what the person typed; pasted text is left out. */
function typedOf(entry: Entry): string {
  return typedText(withoutOwnNotes(entry.text));
}
/**
 * Whether a text is what the person typed where they are quoted. An answered question has the words
 * of the agent's options.
 */
function isOwn(text: string, quote: string, entry: Entry): boolean {
  return mayBeTyped(entry) && isOwnWording(text, quote, typedOf(entry));
}
function mayBeTyped(entry: Entry): boolean {
  return isUsers(entry) && !entry.copied && !entry.marks.includes('question');
}
/** Whether a quote is of what the person typed, whatever is made of it. */
function quotesPerson(quote: string, entry: Entry): boolean {
  return mayBeTyped(entry) && matchQuote(quote, typedOf(entry)) >= LEAST_MATCH;
}
/** Whether the person wrote, changed or pinned it: a model cannot remove it. */
function isPersons({ said_by, pinned, learnt }: Lesson): boolean {
  return said_by === 'user' || pinned || learnt !== undefined;
}

/** @returns why a claim was not taken */
function take(
  claim: Claim,
  contexts: readonly ClaimContext[],
  shown: ShownLessons,
  taken: Taken,
): DropReason | null {
  const lesson = claim.id === null ? undefined : shown.get(claim.id);
  if (claim.about === 'same') return join(claim.ids, shown, taken);
  if (claim.about !== 'new' && !lesson) return 'unknown lesson';
  if (claim.about === 'drop') {
    if (isPersons(lesson!) || isInOtherWords(lesson!)) return 'a person said it';
    taken.drops.push(lesson!);
    return null;
  }
  if (claim.about === 'narrower' && claim.text === '') return 'no statement';
  const place = placeOf(claim, contexts);
  if (typeof place === 'string') return place;
  const [found, context] = place;
  if (claim.about === 'new') return add(claim, found, context, taken);
  if (claim.about !== 'confirms') return deny(lesson!, claim, found, context, taken);
  taken.candidates.push(witnessOf(lesson!, claim, found.entry, context));
  return null;
}

/** The line that a claim quotes: the one that it names, else one with these very words. */
function placeOf(
  { line: number, quote }: Claim,
  contexts: readonly ClaimContext[],
): [DigestLine, ClaimContext] | DropReason {
  const all = contexts.flatMap((context) => context.lines.map((line) => [line, context] as const));
  const named = number === null ? undefined : all[number - 1];
  const isQuoted = (line: DigestLine): boolean =>
    matchQuote(quote, `${line.entry.text}\n${line.text}`) >= LEAST_MATCH;
  const found =
    named && isQuoted(named[0]) ? named : all.find(([line]) => matchQuote(quote, line.text) === 1);
  return found ? [...found] : named ? 'quote not found' : 'no such line';
}

/** A claim that quotes the person: only they can take it back. */
function isInOtherWords({ tags }: Lesson): boolean {
  return tags.includes(USER_WORDS_TAG);
}

/** Of claims that say the same the weightiest stays, the person's first; the others are dropped. */
function join(ids: readonly string[], shown: ShownLessons, taken: Taken): DropReason | null {
  const lessons = ids.flatMap((id) => shown.get(id) ?? []);
  if (lessons.length !== ids.length || lessons.length < 2) return 'unknown lesson';
  const weight = (each: Lesson): number =>
    (isPersons(each) ? 20 : isInOtherWords(each) ? 10 : 0) + each.importance * each.confidence;
  const [, ...others] = [...lessons].sort((a, b) => weight(b) - weight(a));
  if (others.some(isPersons)) return 'a person said it';
  taken.drops.push(...others);
  return null;
}

/**
 * Whether the person's own words say what is claimed of a lesson: they are the lesson, or they deny
 * or replace it. That a person typed something ("yes, go on") says nothing about a lesson.
 */
function isBorneOut(lesson: Lesson, { about, text, quote }: Claim, entry: Entry): boolean {
  if (about === 'confirms') return isOwn(lesson.text, quote, entry);
  const instead = text === '' ? quote : text;
  return (
    isOwn(instead, quote, entry) &&
    speaksAgainst(instead, lesson.text) &&
    !isOwn(lesson.text, quote, entry)
  );
}

/**
 * What the session says instead takes the claim's place; without that, or when it does not pass,
 * the claim alone goes.
 */
function deny(
  lesson: Lesson,
  claim: Claim,
  found: DigestLine,
  context: ClaimContext,
  taken: Taken,
): DropReason | null {
  if (isPersons(lesson) && !isBorneOut(lesson, claim, found.entry)) {
    // A wish in their own words becomes a lesson beside this one, and they decide.
    const isWish = hasPolarity(claim.text) && isOwn(claim.text, claim.quote, found.entry);
    return isWish
      ? add({ ...claim, kind: lesson.kind }, found, context, taken)
      : 'a person said it';
  }
  if (isInOtherWords(lesson) && !isUsers(found.entry)) return 'a person said it';
  if (dayOf(found.entry) < newestDay(lesson)) return 'older than the claim';
  taken.candidates.push(witnessOf(lesson, claim, found.entry, context));
  const before = taken.candidates.length;
  const reason =
    claim.text === '' ? null : add({ ...claim, kind: lesson.kind }, found, context, taken);
  const added = taken.candidates.slice(before);
  for (const each of added) each.tags = [...each.tags, INSTEAD_TAG + lesson.id].sort();
  if (added.length === 0 && !isPersons(lesson)) taken.drops.push(lesson);
  return reason;
}

function newestDay({ evidence }: Lesson): string {
  return evidence.reduce(
    (newest, { supports, day }) => (supports && day > newest ? day : newest),
    '',
  );
}

/** Adds a new lesson. @returns why it is not added, or null */
function add(
  claim: Claim,
  found: DigestLine,
  context: ClaimContext,
  taken: Taken,
): DropReason | null {
  if (context.added >= MOST_NEW) return 'too many';
  if (!(LESSON_KINDS as readonly string[]).includes(claim.kind)) return 'unknown kind';
  const text = lineOf(claim.text, MOST_CHARS);
  if (text === null || text.length < 12 || /[?？]$/u.test(text)) return 'no statement';
  const names = [...entityKeys(text.replace(PLACES, ''))];
  if (names.some((name) => !isNamed(name, context.digest))) return 'invented name';
  const { entry } = found;
  const near = new Set([...context.numbers, ...numbersIn(entry.text)]);
  if (numbersIn(text).some((number) => !near.has(number))) return 'invented number';
  if (isDenied(text) && !mayDeny(found) && !isDeniedIn(text, context)) return 'turned round';
  if (
    repeatsForeign(text, Infinity, context.runs) ||
    repeatsForeign(claim.quote, Infinity, context.runs)
  )
    return 'foreign text';
  const isTheirs = isOwn(text, claim.quote, entry);
  const isEverywhere = claim.scope === 'global' && !isOfThisPlace(typedOf(entry));
  // Only the person corrects; what an agent says of a wish is a preference that it saw.
  const kind = claim.kind === 'correction' && !isTheirs ? 'preference' : (claim.kind as LessonKind);
  const isAccepted = !isTheirs && kind === 'decision' && isAnswered(claim.accepted, entry, context);
  const isReworded = !isTheirs && WILL_KINDS.includes(kind) && quotesPerson(claim.quote, entry);
  context.added += 1;
  const isAt = claim.at !== '' && isNamed(claim.at.toLowerCase(), context.digest);
  taken.candidates.push(
    toCandidate(context.session, {
      kind,
      text,
      quote: claim.quote,
      entry,
      said_by: isTheirs ? 'user' : 'agent',
      scope: isTheirs && WILL_KINDS.includes(kind) && isEverywhere ? 'global' : 'project',
      importance: importanceOf(kind, claim.importance),
      trust: isTheirs
        ? TRUST.user
        : isAccepted || isReworded || entry.role === 'tool_call'
          ? TRUST.outcome
          : TRUST.agent,
      worth: WORTH,
      alone: true,
      tags: present([
        MODEL_TAG,
        isAccepted && ACCEPTED_TAG,
        isReworded && USER_WORDS_TAG,
        claim.once && !isTheirs && ONCE_TAG,
        isAt && TRIGGER_TAG + claim.at,
      ]),
    }),
  );
  return null;
}

/** Whether a line shows what the person typed after an entry. */
function isAnswered(line: number | null, { seq }: Entry, context: ClaimContext): boolean {
  const answer = line === null ? undefined : context.lines[line - 1 - context.before]?.entry;
  return answer !== undefined && isUsers(answer) && answer.seq > seq;
}

/** Whether a line that denies something names what the text names, or has two of its words. */
function isDeniedIn(text: string, { lines }: ClaimContext): boolean {
  const names = [...entityKeys(text)];
  const words = contentWords(text).filter((word) => word !== 'not');
  return lines.some((line) => {
    if (!mayDeny(line)) return false;
    const low = line.text.toLowerCase();
    const lineWords = new Set(contentWords(line.text));
    return (
      names.some((name) => low.includes(name)) ||
      words.filter((word) => lineWords.has(word)).length >= 2
    );
  });
}

/**
 * A command that failed says that something does not work; "instead" and the like deny without a
 * "not".
 */
function mayDeny(line: DigestLine): boolean {
  return (
    line.failed || [line.entry.text, line.text].some((text) => isDenied(text) || hasPolarity(text))
  );
}

/**
 * Whether a name occurs in the digest, not as a part of a longer word; a command also with its
 * words in order in one line.
 */
function isNamed(name: string, digest: string): boolean {
  const words = name
    .split(/[\s`"'()]+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
  const [before, after] = [name[0]!, name.at(-1)!].map((sign) => /[\p{L}\d]/u.test(sign));
  const pattern = words.join(`[ \t${MARKS}]+(?:[^\\s${MARKS}]+[ \t${MARKS}]+){0,${GAP}}`);
  return new RegExp(
    `${before ? '(?<![\\p{L}\\d])' : ''}${pattern}${after ? '(?![\\p{L}\\d])' : ''}`,
    'u',
  ).test(digest);
}
/** What a command's variable parts are called: `ya pkg delete OWNER/NAME`, `fix(script): …`. */
const PLACES = /(?<=`[^`\n]*[\s/])(?:[A-Z]{2,}(?:\/[A-Z]{2,})*|<[^>`]*>|…)(?=["'\s][^`\n]*`|`)/g;
/** Beside the words of a command in a sentence. */
const MARKS = '`"\'()';

/** Evidence for or against a known lesson. Its speaker stays. */
function witnessOf(lesson: Lesson, claim: Claim, entry: Entry, context: ClaimContext): Candidate {
  const candidate = toCandidate(context.session, {
    kind: lesson.kind,
    text: lesson.text,
    quote: claim.quote,
    entry,
    key: lesson.key,
    scope: lesson.scope,
    said_by: lesson.said_by,
    importance: lesson.importance,
    trust: isBorneOut(lesson, claim, entry) ? TRUST.user : TRUST.agent,
    worth: lesson.worth,
    alone: false,
    tags: [MODEL_TAG],
  });
  return {
    ...candidate,
    evidence: { ...candidate.evidence, supports: claim.about === 'confirms' },
  };
}

/** The usual importance of the kind, changed by at most one as the model weighs it. */
function importanceOf(kind: LessonKind, weighed: Claim['importance']): Candidate['importance'] {
  if (kind === 'correction') return 5;
  const usual = kind === 'preference' || kind === 'decision' ? 4 : kind === 'fact' ? 2 : 3;
  return Math.min(4, usual + (weighed ?? 2) - 2) as Candidate['importance'];
}
