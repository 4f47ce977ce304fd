/**
 * Near-equal statements: joined when they name the same things, settled as a contradiction when
 * only a number or a negation differs.
 */
import { type Lesson, type LessonKind } from '../types.js';
import { isOpenToAgents } from './edits.js';
import { type Forming, datesOf } from './forming.js';
import { hasTwoSessions } from './merge.js';
import { compareText, sortedSet, uniteEvidence } from './order.js';
import { linkConflict, linkSuperseded, whichHolds, type IsApart } from './supersede.js';
import { contradicts, oneDenies, isSameStatement, statementOf, type Statement } from './wording.js';
import { overlap } from '../text/words.js';

/**
 * Share of common words from which two claims are near-equal. No vector decides it: those come
 * late, and models change.
 */
export const NEAR_OVERLAP = 0.7;
/** A pair is looked for through its rarest words, at most this many of each statement. */
const RAREST = 4;
/**
 * A word that more statements than this share finds nothing, nor do all words but the numbers.
 * Statements with the same numbers too are found without it.
 */
const COMMON = 100;

/**
 * Kinds that say the same sort of thing: a statement may be a preference in one session and a
 * correction in the next.
 */
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
  statement: Statement;
}

interface Pair {
  a: Item;
  b: Item;
}

function itemOf(forming: Forming, text = forming.lesson.text): Item {
  return { forming, statement: statementOf(text) };
}

/**
 * Pairs that share enough words to be compared, found through each item's rarest words (prefix
 * filtering).
 */
function comparablePairs(items: readonly Item[], least: number): Pair[] {
  const frequency = new Map<string, number>();
  for (const { statement } of items)
    for (const w of statement.words) frequency.set(w, (frequency.get(w) ?? 0) + 1);
  const index = new Map<string, number[]>();
  const pairs: Pair[] = [];
  items.forEach((item, i) => {
    const words = [...item.statement.words].sort(
      (x, y) => frequency.get(x)! - frequency.get(y)! || compareText(x, y),
    );
    const prefix = words
      .slice(0, Math.min(RAREST, words.length - Math.ceil(least * words.length) + 1))
      .filter((w) => frequency.get(w)! <= COMMON);
    const seen = new Set<number>();
    const all = words.join(' ');
    for (const [key, most] of [
      ...prefix.map((w) => [w, Infinity] as const),
      [`\u0000${all}`, COMMON] as const,
      [`\u0001${all}\u0000${item.statement.signature.values}`, Infinity] as const,
    ]) {
      const others = index.get(key) ?? [];
      if (others.length > most) continue;
      for (const j of others) seen.add(j);
      others.push(i);
      index.set(key, others);
    }
    for (const j of seen)
      if (overlap(items[j]!.statement.words, item.statement.words) >= least)
        pairs.push({ a: items[j]!, b: item });
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
export function isHeld(f: Forming): boolean {
  return f.byHand || f.lesson.pinned;
}

/**
 * The member that speaks for the group: a person's hand, then `whichHolds`, then the smaller id.
 */
function winnerOf(members: readonly Forming[]): Forming {
  return members.reduce((best, f) => {
    if (isHeld(f) !== isHeld(best)) return isHeld(f) ? f : best;
    const verdict = whichHolds(best.lesson, f.lesson);
    if (verdict === 'unclear') return compareText(f.lesson.id, best.lesson.id) < 0 ? f : best;
    return verdict === 'second' ? f : best;
  });
}

/**
 * One lesson out of several that say the same: evidence united, the others superseded. Changes
 * them.
 * @returns the lesson that stays; null when a person forgot one of them, and so all, or an agent
 * did and all were open to it
 */
export function joinGroup(members: readonly Forming[]): Forming | null {
  // What a person forgot does not come back in other words; what they wrote or pinned afterwards
  // stays.
  if (members.some((m) => m.forgotten === 'person')) {
    for (const m of members) if (!isHeld(m)) m.forgotten = 'person';
    return null;
  }
  // An agent may add and forget its own words for what a person said: that takes nothing of the
  // person's away.
  if (members.some((m) => m.forgotten)) {
    for (const m of members) if (isOpenToAgents(m.lesson, 'forget')) m.forgotten = 'agent';
    const left = members.filter((m) => !m.forgotten);
    return left.length === 0 ? null : joinGroup(left);
  }
  const winner = winnerOf([...members].sort((a, b) => compareText(a.lesson.id, b.lesson.id)));
  const evidence = uniteEvidence(members.flatMap((m) => m.lesson.evidence));
  winner.admitted ||= members.some((m) => m.admitted) || hasTwoSessions(evidence);
  winner.lesson.importance = Math.max(
    ...members.map((m) => m.lesson.importance),
  ) as Lesson['importance'];
  winner.lesson.tags = sortedSet(members.flatMap((m) => m.lesson.tags));
  Object.assign(winner.lesson, { evidence, ...datesOf(evidence) });
  for (const m of members) if (m !== winner) linkSuperseded(winner.lesson, m.lesson);
  return winner;
}

function isSame({ a, b }: Pair): boolean {
  return isSameStatement(a.statement, b.statement);
}

/** @returns whether nothing tells which of the two is right */
function settleContradiction(a: Forming, b: Forming): boolean {
  const areEffective = [a, b].every(
    (f) => f.admitted && !f.forgotten && f.lesson.supersededBy === null,
  );
  if (!areEffective) return false;
  const verdict =
    isHeld(a) === isHeld(b) ? whichHolds(a.lesson, b.lesson) : isHeld(a) ? 'first' : 'second';
  if (verdict === 'first') linkSuperseded(a.lesson, b.lesson);
  else if (verdict === 'second') linkSuperseded(b.lesson, a.lesson);
  return verdict === 'unclear';
}

/**
 * A lesson that would contradict more than so many others is an item of a list ("valve 1 …", "valve
 * 2 …"), which denies nothing. A thousand of them that were all linked with each other made a
 * crystal of 29 MB, and each edit took minutes.
 */
const MOST_CONFLICTS = 3;

function linkConflicts(unclear: readonly (readonly [Forming, Forming])[]): void {
  const open = unclear.filter((pair) => pair.every(({ lesson }) => lesson.supersededBy === null));
  const count = new Map<Forming, number>();
  for (const f of open.flat()) count.set(f, (count.get(f) ?? 0) + 1);
  for (const [a, b] of open)
    if (count.get(a)! <= MOST_CONFLICTS && count.get(b)! <= MOST_CONFLICTS)
      linkConflict(a.lesson, b.lesson);
}

/** Items that near-equal ones are looked for among: of one family of kinds, and naming the same. */
function bucketsOf(items: readonly (readonly [Item, LessonKind])[]): Item[][] {
  const buckets = new Map<string, Item[]>();
  for (const [item, kind] of items) {
    const key = `${FAMILY[kind]}\u0000${item.statement.signature.named}`;
    buckets.set(key, [...(buckets.get(key) ?? []), item]);
  }
  return [...buckets.keys()].sort(compareText).map((key) => buckets.get(key)!);
}

/**
 * Pairs of which one says what the other one denies, whatever else they name: found through the
 * word that is denied.
 */
function denyingPairs(items: readonly Item[]): Pair[] {
  const saying = new Map<string, Item[]>();
  for (const item of items)
    for (const token of new Set(item.statement.tokens))
      saying.set(token, [...(saying.get(token) ?? []), item]);
  return items.flatMap((a) => {
    const found = a.statement.denial === null ? [] : (saying.get(a.statement.denial.word) ?? []);
    return found.length > COMMON
      ? []
      : found.filter((b) => oneDenies(a.statement, b.statement)).map((b) => ({ a, b }));
  });
}

/** Of two commands both may hold, and of two kinds of claims one tells nothing of the other. */
function isOneSort({ a, b }: Pair): boolean {
  const [x, y] = [a.forming.lesson.kind, b.forming.lesson.kind];
  return FAMILY[x] === FAMILY[y] && FAMILY[x] !== 'command';
}

/** Each pair once. */
function contradictionsIn(pairs: readonly Pair[]): Pair[] {
  const found = pairs.filter(
    (pair) => isOneSort(pair) && contradicts(pair.a.statement, pair.b.statement, NEAR_OVERLAP),
  );
  const keyed = new Map(
    found.map((pair) => [
      [pair.a, pair.b]
        .map(({ forming }) => forming.lesson.id)
        .sort()
        .join(' '),
      pair,
    ]),
  );
  return [...keyed.keys()].sort(compareText).map((key) => keyed.get(key)!);
}

/**
 * Joins near-equal lessons and settles contradictions among lessons of one project (or among the
 * global ones). Changes them.
 * @param isApart pairs of which the person said that both hold
 */
export function linkNearEqual(forming: readonly Forming[], isApart: IsApart): void {
  const claims = forming.filter(isClaim).sort((a, b) => compareText(a.lesson.id, b.lesson.id));
  const own = claims.map((f) => itemOf(f));
  // A reworded lesson is also compared by its old wording: else lessons equal to that would stay
  // beside the new one.
  const learnt = claims.flatMap((f) =>
    f.lesson.learnt ? [[itemOf(f, f.lesson.learnt.text), f.lesson.learnt.kind] as const] : [],
  );
  const near = bucketsOf([
    ...own.map((item) => [item, item.forming.lesson.kind] as const),
    ...learnt,
  ]).map((items) =>
    comparablePairs(items, NEAR_OVERLAP).filter(({ a, b }) => a.forming !== b.forming),
  );
  for (const pairs of near)
    for (const group of groupsOf(pairs.filter(isSame)))
      joinGroup([...new Set(group.map((i) => i.forming))]);
  const present = new Set(own);
  const opposite = contradictionsIn([...near.flat(), ...denyingPairs(own)]).filter(
    ({ a, b }) => present.has(a) && present.has(b) && !isApart(a.forming.lesson, b.forming.lesson),
  );
  linkConflicts(
    opposite
      .filter(({ a, b }) => settleContradiction(a.forming, b.forming))
      .map(({ a, b }) => [a.forming, b.forming] as const),
  );
}

function asForming(lesson: Lesson): Forming {
  return { lesson, admitted: true, byHand: false, forgotten: false };
}

/** Pairs of which one denies the other, in the order of their ids. */
export function contradictionsAmong(lessons: readonly Lesson[]): (readonly [Lesson, Lesson])[] {
  const items = lessons.map((lesson) => itemOf(asForming(lesson)));
  const near = bucketsOf(items.map((item) => [item, item.forming.lesson.kind] as const));
  const pairs = [
    ...near.flatMap((bucket) => comparablePairs(bucket, NEAR_OVERLAP)),
    ...denyingPairs(items),
  ];
  return contradictionsIn(pairs).map(({ a, b }) => {
    const [x, y] = [a.forming.lesson, b.forming.lesson];
    return compareText(x.id, y.id) < 0 ? [x, y] : [y, x];
  });
}
