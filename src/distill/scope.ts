/** What holds for the person everywhere: said as general, or wished for in two projects. */

import type { Candidate, Lesson, LessonKind } from '../types.js';
import { lessonId, plainText } from './identity.js';
import { compareText } from './order.js';
import { isOpposed, overlap, sameSignature, signatureOf, wordsOf, type Signature } from './wording.js';

/** Projects in which a wish must have been seen before it counts as the person's habit. */
const PROJECTS_FOR_GLOBAL = 2;

const WISHES: ReadonlySet<LessonKind> = new Set(['preference', 'correction']);

type Placed = Candidate & { project: string };

function isWish(c: Candidate): boolean {
  return WISHES.has(c.kind) && c.saidBy === 'user' && c.evidence.supports;
}

/** Share of common words from which two wishes that name the same things are one. */
const NEAR_OVERLAP = 0.7;
/** A wish is compared with those that share one of its rarest words; a word that more wishes than this have finds nothing. */
const RAREST = 4;
const COMMON = 100;

interface Wish {
  candidate: Placed;
  words: Set<string>;
  signature: Signature;
}

function isNear(a: Pick<Wish, 'words' | 'signature'>, b: Pick<Wish, 'words' | 'signature'>): boolean {
  return sameSignature(a.signature, b.signature) && !isOpposed(a, b) && overlap(a.words, b.words) >= NEAR_OVERLAP;
}

/** Pairs of near-equal wishes from two projects. */
function nearPairs(wishes: readonly Wish[]): [Wish, Wish][] {
  const holders = new Map<string, Wish[]>();
  for (const wish of wishes) for (const word of wish.words) holders.set(word, [...(holders.get(word) ?? []), wish]);
  return wishes.flatMap((wish) => {
    const rare = [...wish.words]
      .sort((x, y) => holders.get(x)!.length - holders.get(y)!.length || compareText(x, y))
      .slice(0, RAREST);
    const others = new Set(rare.flatMap((word) => (holders.get(word)!.length > COMMON ? [] : holders.get(word)!)));
    return [...others]
      .filter((other) => other.candidate.project !== wish.candidate.project && isNear(wish, other))
      .map((other): [Wish, Wish] => [wish, other]);
  });
}

function keyOf(c: Candidate): string {
  return `${c.kind}\u0000${c.key}`;
}

/**
 * Keys (`kind\0key`) of the user's wishes that were seen in two projects, by key or by equal or near-equal wording, each with the
 * one they share.
 */
function sharedWishes(candidates: readonly Placed[]): Map<string, string> {
  const placeOf = (c: Placed): string => `${keyOf(c)}\u0000${c.project}\u0000${c.text}`;
  const wishes = candidates.filter(isWish).sort((a, b) => compareText(placeOf(a), placeOf(b)));
  const groups = new Map<string, Placed[]>();
  for (const c of wishes)
    for (const name of [`wording ${plainText(c.text)}`, `key ${keyOf(c)}`]) groups.set(name, [...(groups.get(name) ?? []), c]);
  const distinct = new Map(wishes.map((c) => [`${c.project}\u0000${plainText(c.text)}`, c] as const));
  const near = nearPairs(
    [...distinct.values()].map((candidate) => ({
      candidate,
      words: wordsOf(candidate.text),
      signature: signatureOf(candidate.text),
    })),
  );
  const shared = new Map<string, string>();
  for (const group of [...groups.values(), ...near.map((pair) => pair.map((w) => w.candidate))].sort((x, y) =>
    compareText(firstKey(x), firstKey(y)),
  )) {
    if (new Set(group.map((c) => c.project)).size < PROJECTS_FOR_GLOBAL) continue;
    const common =
      group
        .map((c) => shared.get(keyOf(c)))
        .filter((k) => k !== undefined)
        .sort(compareText)[0] ?? firstKey(group);
    for (const c of group) if (!shared.has(keyOf(c))) shared.set(keyOf(c), common);
  }
  return shared;
}

function firstKey(group: readonly Candidate[]): string {
  return group.map(keyOf).sort(compareText)[0]!;
}

/** Candidates of the global lessons: those of global scope, and wishes seen in two projects under one common key. */
export function globalCandidates(candidates: readonly Placed[]): Candidate[] {
  const shared = sharedWishes(candidates);
  return candidates.flatMap((c) => {
    if (c.scope === 'global') return [c];
    const common = shared.get(keyOf(c));
    if (common === undefined || !isWish(c)) return [];
    const [kind, key] = common.split('\u0000') as [LessonKind, string];
    return [{ ...c, kind, key, scope: 'global' as const, alone: true }];
  });
}

/** Candidates of one project's own lessons. */
export function projectCandidates(candidates: readonly Placed[], project: string): Candidate[] {
  return candidates.filter((c) => c.scope === 'project' && c.project === project);
}

/**
 * The global lesson that says what a project's lesson says, by kind and key, by equal wording, or of the user's wishes by
 * near-equal wording.
 */
export function findGlobal(lesson: Lesson, globals: readonly Lesson[]): Lesson | null {
  const id = lessonId(null, lesson.kind, lesson.key);
  const wording = plainText(lesson.text);
  // A global lesson that a person reworded also says what its old wording said.
  const wordingsOf = (g: Lesson): string[] => (g.learnt ? [g.text, g.learnt.text] : [g.text]);
  const same = globals.find(
    (g) => g.id === id || (g.kind === lesson.kind && wordingsOf(g).some((text) => plainText(text) === wording)),
  );
  if (same !== undefined || lesson.saidBy !== 'user' || !WISHES.has(lesson.kind)) return same ?? null;
  const said = { words: wordsOf(lesson.text), signature: signatureOf(lesson.text) };
  return (
    globals.find(
      (g) =>
        g.saidBy === 'user' &&
        WISHES.has(g.kind) &&
        wordingsOf(g).some((text) => isNear(said, { words: wordsOf(text), signature: signatureOf(text) })),
    ) ?? null
  );
}
