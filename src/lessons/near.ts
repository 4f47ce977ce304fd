/**
 * Near-equal statements: joined when they name the same things, settled as a contradiction when only a number or a negation
 * differs.
 */
import { type Lesson, type LessonKind, isShown } from '../types.js';
import { isOpenToAgents } from './edits.js';
import { type Forming, datesOf } from './forming.js';
import { hasTwoSessions } from './merge.js';
import { plainText } from './identity.js';
import { compareText, sortedSet, uniteEvidence } from './order.js';
import { judge, linkConflict, linkSuperseded, type IsApart } from './supersede.js';
import { type Signature, isOpposed, isSwapped, overlap, sameSignature, signatureOf, wordsOf } from './wording.js';

/** Share of common words from which two claims are near-equal. No vector decides it: those come late, and models change. */
export const NEAR_OVERLAP = 0.7;
/** A pair is looked for through its rarest words, at most this many of each statement. */
const RAREST = 4;
/**
 * A word that more statements than this share finds nothing, nor do all words but the numbers. Statements with the same numbers
 * too are found without it.
 */
const COMMON = 100;

/** Kinds that say the same sort of thing: a statement may be a preference in one session and a correction in the next. */
export const FAMILY: Readonly<Record<LessonKind, string>> = {
  preference: 'wish',
  correction: 'wish',
  decision: 'wish',
  fact: 'finding',
  gotcha: 'finding',
  command: 'command',
};

interface Item {
  forming: Forming;
  /** The wording compared: the lesson's, or the one that a person's hand replaced. */
  text: string;
  wordsWithoutNumbers: Set<string>;
  signature: Signature;
}

interface Pair {
  a: Item;
  b: Item;
}

function itemOf(forming: Forming, text = forming.lesson.text): Item {
  const words = wordsOf(text);
  return { forming, text, wordsWithoutNumbers: new Set([...words].filter((w) => !/^\d/.test(w))), signature: signatureOf(text) };
}

/** Pairs that share enough words to be compared, found through each item's rarest words (prefix filtering). */
function comparablePairs(items: readonly Item[], least: number): Pair[] {
  const frequency = new Map<string, number>();
  for (const item of items) for (const w of item.wordsWithoutNumbers) frequency.set(w, (frequency.get(w) ?? 0) + 1);
  const index = new Map<string, number[]>();
  const pairs: Pair[] = [];
  items.forEach((item, i) => {
    const words = [...item.wordsWithoutNumbers].sort((x, y) => frequency.get(x)! - frequency.get(y)! || compareText(x, y));
    const prefix = words
      .slice(0, Math.min(RAREST, words.length - Math.ceil(least * words.length) + 1))
      .filter((w) => frequency.get(w)! <= COMMON);
    const seen = new Set<number>();
    const all = words.join(' ');
    for (const [key, most] of [
      ...prefix.map((w) => [w, Infinity] as const),
      [`\u0000${all}`, COMMON] as const,
      [`\u0001${all}\u0000${item.signature.numbers}`, Infinity] as const,
    ]) {
      const others = index.get(key) ?? [];
      if (others.length > most) continue;
      for (const j of others) seen.add(j);
      others.push(i);
      index.set(key, others);
    }
    for (const j of seen)
      if (overlap(items[j]!.wordsWithoutNumbers, item.wordsWithoutNumbers) >= least) pairs.push({ a: items[j]!, b: item });
  });
  return pairs;
}

/** Connected groups of the pairs, each in id order. */
function groupsOf(pairs: readonly Pair[]): Item[][] {
  const group = new Map<Item, Set<Item>>();
  for (const { a, b } of pairs) {
    const joined = new Set([...(group.get(a) ?? [a]), ...(group.get(b) ?? [b])]);
    for (const item of joined) group.set(item, joined);
  }
  return [...new Set(group.values())].map((items) =>
    [...items].sort((x, y) => compareText(x.forming.lesson.id, y.forming.lesson.id)),
  );
}

/** A fact's key alone says what it is. */
function isClaim({ lesson }: Forming): boolean {
  return lesson.fact === null;
}

/** A person wrote or pinned it. */
export function stands(f: Forming): boolean {
  return f.byHand || f.lesson.pinned;
}

/** The member that speaks for the group: a person's hand, then the judgement of `judge`, then the smaller id. */
function winnerOf(members: readonly Forming[]): Forming {
  return members.reduce((best, f) => {
    if (stands(f) !== stands(best)) return stands(f) ? f : best;
    const verdict = judge(best.lesson, f.lesson);
    if (verdict === 'unclear') return compareText(f.lesson.id, best.lesson.id) < 0 ? f : best;
    return verdict === 'second' ? f : best;
  });
}

/**
 * One lesson out of several that say the same: evidence united, the others superseded. Changes them.
 * @returns the lesson that stays; null when a person forgot one of them, and so all, or an agent did and all were open to it
 */
export function joinGroup(members: readonly Forming[]): Forming | null {
  // What a person forgot does not come back in other words; what they wrote or pinned afterwards stays.
  if (members.some((m) => m.forgotten === 'person')) {
    for (const m of members) if (!stands(m)) m.forgotten = 'person';
    return null;
  }
  // An agent may add and forget its own words for what a person said: that takes nothing of the person's away.
  if (members.some((m) => m.forgotten)) {
    for (const m of members) if (isOpenToAgents(m.lesson, 'forget')) m.forgotten = 'agent';
    const left = members.filter((m) => !m.forgotten);
    return left.length === 0 ? null : joinGroup(left);
  }
  const winner = winnerOf([...members].sort((a, b) => compareText(a.lesson.id, b.lesson.id)));
  const evidence = uniteEvidence(members.flatMap((m) => m.lesson.evidence));
  winner.admitted ||= members.some((m) => m.admitted) || hasTwoSessions(evidence);
  winner.lesson.importance = Math.max(...members.map((m) => m.lesson.importance)) as Lesson['importance'];
  winner.lesson.tags = sortedSet(members.flatMap((m) => m.lesson.tags));
  Object.assign(winner.lesson, { evidence, ...datesOf(evidence) });
  for (const m of members) if (m !== winner) linkSuperseded(winner.lesson, m.lesson);
  return winner;
}

function isSame({ a, b }: Pair): boolean {
  const [left, right] = [a, b].map(({ wordsWithoutNumbers: words, signature }) => ({ words, signature }));
  return sameSignature(a.signature, b.signature) && !isSwapped(a.text, b.text) && !isOpposed(left!, right!);
}

/** @returns whether nothing tells which of the two is right */
function settleContradiction(a: Forming, b: Forming): boolean {
  const standing = [a, b].every((f) => f.admitted && !f.forgotten && f.lesson.supersededBy === null);
  if (!standing) return false;
  const verdict = stands(a) === stands(b) ? judge(a.lesson, b.lesson) : stands(a) ? 'first' : 'second';
  if (verdict === 'first') linkSuperseded(a.lesson, b.lesson);
  else if (verdict === 'second') linkSuperseded(b.lesson, a.lesson);
  return verdict === 'unclear';
}

/**
 * A lesson that would contradict more than so many others is an item of a list ("valve 1 …", "valve 2 …"), which denies
 * nothing.
 * A thousand of them that were all linked with each other made a crystal of 29 MB, and each edit took minutes.
 */
const MOST_CONFLICTS = 3;

function linkConflicts(unclear: readonly (readonly [Forming, Forming])[]): void {
  const open = unclear.filter((pair) => pair.every(({ lesson }) => lesson.supersededBy === null));
  const count = new Map<Forming, number>();
  for (const f of open.flat()) count.set(f, (count.get(f) ?? 0) + 1);
  for (const [a, b] of open)
    if (count.get(a)! <= MOST_CONFLICTS && count.get(b)! <= MOST_CONFLICTS) linkConflict(a.lesson, b.lesson);
}

/**
 * Only a negation or, number for number, a value tells the two apart: one of them is wrong now. Commands may well differ in a
 * number.
 */
function contradicts(a: Item, b: Item): boolean {
  if (a.forming.lesson.kind === 'command' || b.forming.lesson.kind === 'command') return false;
  if (a.signature.negated !== b.signature.negated) return a.signature.numbers === b.signature.numbers;
  // "tabs, not spaces" and "spaces, not tabs"; without a negation a swap may say the same ("tabs and spaces").
  if (isSwapped(a.text, b.text)) return a.signature.negated;
  return a.signature.numbers.split(' ').length === b.signature.numbers.split(' ').length;
}

/**
 * Joins near-equal lessons and settles near-equal contradictions among lessons of one project (or among the global ones).
 * Changes them.
 * @param isApart pairs of which the person said that both hold
 */
export function linkNearEqual(forming: readonly Forming[], isApart: IsApart): void {
  const buckets = new Map<string, Item[]>();
  for (const f of forming.filter(isClaim).sort((a, b) => compareText(a.lesson.id, b.lesson.id))) {
    // A reworded lesson is also compared by its old wording: else lessons equal to that would stay beside the new one.
    const { learnt, kind } = f.lesson;
    for (const [item, of] of [[itemOf(f), kind] as const, ...(learnt ? [[itemOf(f, learnt.text), learnt.kind] as const] : [])]) {
      const key = `${FAMILY[of]}\u0000${item.signature.named}`;
      buckets.set(key, [...(buckets.get(key) ?? []), item]);
    }
  }
  for (const key of [...buckets.keys()].sort(compareText)) {
    const pairs = comparablePairs(buckets.get(key)!, NEAR_OVERLAP).filter(({ a, b }) => a.forming !== b.forming);
    const same = pairs.filter(isSame);
    for (const group of groupsOf(same)) joinGroup([...new Set(group.map((i) => i.forming))]);
    const present = pairs.filter(({ a, b }) => [a, b].every((item) => item.text === item.forming.lesson.text));
    linkConflicts(
      present
        .filter((pair) => !isSame(pair) && contradicts(pair.a, pair.b) && !isApart(pair.a.forming.lesson, pair.b.forming.lesson))
        .filter(({ a, b }) => settleContradiction(a.forming, b.forming))
        .map(({ a, b }) => [a.forming, b.forming] as const),
    );
  }
}

// Lessons that a reader should look at side by side: alike in words, though no rule takes them for one.

/** Share of common content words; rules join from 0.7 on. Below a quarter pairs are alike by chance. */
const LIKE = 0.25;
/** More at a time is not looked at side by side. */
const MOST = 6;

function asForming(lesson: Lesson): Forming {
  return { lesson, admitted: true, byHand: false, forgotten: false };
}

/** Groups of two to six among the lessons that are shown, in id order. */
export function likeGroups(lessons: readonly Lesson[]): Lesson[][] {
  const shown = lessons.filter(isShown).sort((a, b) => compareText(a.id, b.id));
  const families = [...new Set(shown.map(({ kind }) => FAMILY[kind]))].sort(compareText);
  return families.flatMap((family) => {
    const items = shown.filter(({ kind }) => FAMILY[kind] === family).map((lesson) => itemOf(asForming(lesson)));
    return groupsOf(comparablePairs(items, LIKE)).flatMap((group) => chunks(group.map(({ forming }) => forming.lesson)));
  });
}

function chunks(group: readonly Lesson[]): Lesson[][] {
  return Array.from({ length: Math.ceil(group.length / MOST) }, (_, i) => group.slice(i * MOST, (i + 1) * MOST)).filter(
    ({ length }) => length > 1,
  );
}

/** Pairs of which one denies the other: one subject with two values, or near-equal words with another negation or number. */
export function contradictionsAmong(lessons: readonly Lesson[]): (readonly [Lesson, Lesson])[] {
  const found = new Map<string, readonly [Lesson, Lesson]>();
  const add = (a: Lesson, b: Lesson): void => {
    const pair = compareText(a.id, b.id) < 0 ? ([a, b] as const) : ([b, a] as const);
    if (a.id !== b.id) found.set(`${pair[0].id} ${pair[1].id}`, pair);
  };
  const bySubject = new Map<string, Lesson[]>();
  for (const lesson of lessons) {
    const key = lesson.subject === null || lesson.value === null ? '' : plainText(lesson.subject);
    for (const other of key === '' ? [] : (bySubject.get(key) ?? []))
      if (plainText(other.value!) !== plainText(lesson.value!)) add(other, lesson);
    if (key !== '') bySubject.set(key, [...(bySubject.get(key) ?? []), lesson]);
  }
  const buckets = new Map<string, Item[]>();
  for (const item of lessons.map((lesson) => itemOf(asForming(lesson)))) {
    const key = `${FAMILY[item.forming.lesson.kind]}\u0000${item.signature.named}`;
    buckets.set(key, [...(buckets.get(key) ?? []), item]);
  }
  for (const items of buckets.values())
    for (const { a, b } of comparablePairs(items, NEAR_OVERLAP)) {
      if (!isSame({ a, b }) && contradicts(a, b)) add(a.forming.lesson, b.forming.lesson);
    }
  return [...found.keys()].sort(compareText).map((key) => found.get(key)!);
}
