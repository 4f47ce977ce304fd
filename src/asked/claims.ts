/**
 * Makes candidates from a model's claims. A claim that does not quote the session, or has names
 * that are not in the session, is dropped and counted.
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

/** Most new claims of a session, since a model that gives more does not select. */
export const MOST_NEW = 4;
/** Longest claim: it has room for facts that belong together and fits in a line of the page. */
export const MOST_CHARS = 280;

/** Reasons to refuse a claim, with a hint for the model. */
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
  /** Lessons that are no lesson or no longer true; they must not come back. */
  drops: Lesson[];
  /** The reasons for the refused claims. */
  dropped: DropReason[];
}

/** Lessons that the model saw, by the ids that it saw. */
export type ShownLessons = ReadonlyMap<string, Lesson>;

/** A session of a prompt, with its lines there. */
export interface ShownSession {
  session: SessionInput;
  lines: readonly DigestLine[];
}

interface ClaimContext extends ShownSession {
  /** Number of lines of the earlier sessions in the prompt. */
  before: number;
  /** New claims of this session so far. */
  added: number;
  runs: ForeignRuns;
  /** In lower case: claims may only use names that occur here. */
  digest: string;
  numbers: ReadonlySet<string>;
}

/** Most other words between two words of a name, as in `cargo test foo --lib`. */
const GAP = 3;
/** Worth of a checked claim, higher than that of sentences chosen by rules. */
const WORTH = 0.9;
const TRUST = { user: 0.9, outcome: 0.6, agent: 0.4 };
/** Tag of a decision that the agent proposed and the person accepted. */
const ACCEPTED_TAG = 'accepted by the user';

/** Checks a model's claims; returns the accepted ones and the reasons for the refused ones. */
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
  // If there are too many, the most important ones are taken.
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
    // Markers of bold text may be inside names.
    digest: digest.toLowerCase().replace(/\*\*|__/g, ''),
    numbers: new Set(numbersIn(digest)),
  };
}

function isUsers(entry: Entry): boolean {
  return entry.role === 'user' && entry.origin === 'user';
}
/** The text that the person typed, without pasted text. */
function typedOf(entry: Entry): string {
  return typedText(withoutOwnNotes(entry.text));
}
/**
 * Whether the text is in the person's own words at the quote. The answer to a question has the
 * words of the agent's options.
 */
function isOwn(text: string, quote: string, entry: Entry): boolean {
  return mayBeTyped(entry) && isOwnWording(text, quote, typedOf(entry));
}
function mayBeTyped(entry: Entry): boolean {
  return isUsers(entry) && !entry.copied && !entry.marks.includes('question');
}
/** Whether the quote is from text that the person typed. */
function quotesPerson(quote: string, entry: Entry): boolean {
  return mayBeTyped(entry) && matchQuote(quote, typedOf(entry)) >= LEAST_MATCH;
}
/** Whether the person wrote, changed or pinned a lesson: a model cannot remove it. */
function isPersons({ said_by, pinned, learnt }: Lesson): boolean {
  return said_by === 'user' || pinned || learnt !== undefined;
}

/** @returns why the claim was refused, or null */
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

/** The quoted line: the line with the claim's number, else a line with exactly these words. */
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

/** Whether a lesson quotes the person, so that only the person can take it back. */
function isInOtherWords({ tags }: Lesson): boolean {
  return tags.includes(USER_WORDS_TAG);
}

/** Keeps the most important of the lessons that say the same, the person's first. */
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
 * Whether the person's own words support the claim: they repeat the lesson, or they deny or replace
 * it. Any other words ("yes, go on") prove nothing.
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

/** Replaces a lesson by the claim's text; without an accepted text, removes the lesson. */
function deny(
  lesson: Lesson,
  claim: Claim,
  found: DigestLine,
  context: ClaimContext,
  taken: Taken,
): DropReason | null {
  if (isPersons(lesson) && !isBorneOut(lesson, claim, found.entry)) {
    // A wish in the person's own words becomes a second lesson, and the person decides.
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
  // Only the person's own words are a correction; in an agent's words, it is a preference.
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

/** Whether the line has text that the person typed after the entry. */
function isAnswered(line: number | null, { seq }: Entry, context: ClaimContext): boolean {
  const answer = line === null ? undefined : context.lines[line - 1 - context.before]?.entry;
  return answer !== undefined && isUsers(answer) && answer.seq > seq;
}

/** Whether a line with a denial has a name or two words of the text. */
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

/** Whether a line may support a denial: a failed command does, as do words like "instead". */
function mayDeny(line: DigestLine): boolean {
  return (
    line.failed || [line.entry.text, line.text].some((text) => isDenied(text) || hasPolarity(text))
  );
}

/** Whether a name is in the digest, as whole words. A command may have other words inside. */
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
/** Placeholders in a command: `ya pkg delete OWNER/NAME`, `fix(script): …`. */
const PLACES = /(?<=`[^`\n]*[\s/])(?:[A-Z]{2,}(?:\/[A-Z]{2,})*|<[^>`]*>|…)(?=["'\s][^`\n]*`|`)/g;
/** Characters around the words of a command in a sentence. */
const MARKS = '`"\'()';

/** Evidence for or against a known lesson, which keeps its speaker. */
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

/** The usual importance of the kind, changed by at most one by the model's weight. */
function importanceOf(kind: LessonKind, weighed: Claim['importance']): Candidate['importance'] {
  if (kind === 'correction') return 5;
  const usual = kind === 'preference' || kind === 'decision' ? 4 : kind === 'fact' ? 2 : 3;
  return Math.min(4, usual + (weighed ?? 2) - 2) as Candidate['importance'];
}
