/** Wishes that are too weak when said once: said again in other words in another session, they are a habit. */

import { WILL_KINDS, type Candidate } from '../../types.js';
import { datesOf, type Forming } from '../forming.js';
import { hasTwoSessions } from '../merge.js';
import { compareText, sortedSet, uniteEvidence } from '../order.js';
import { linkSuperseded } from '../supersede.js';
import { sameSignature, signatureOf, wordsOf, type Signature } from '../wording.js';

/** Share of the shorter wish's words that the other has too; pairs of signs say less than words do. */
const LEAST_SHARED = 0.6;
const LEAST_SHARED_WIDE = 0.5;
/** Fewer words in common are chance. */
const LEAST_WORDS = 3;
const LEAST_WORDS_WIDE = 6;
/** More wishes than this are not compared pair by pair. */
const MOST = 600;

interface Wish {
  forming: Forming;
  words: Set<string>;
  signature: Signature;
  wide: boolean;
}

const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function isWaiting(f: Forming): boolean {
  return (
    !f.admitted &&
    !f.forgotten &&
    !f.byHand &&
    f.lesson.saidBy === 'user' &&
    f.lesson.supersededBy === null &&
    WILL_KINDS.includes(f.lesson.kind)
  );
}

/** Whether two wishes ask for one thing: same names, numbers and negation, and most words of the shorter one. */
function asksTheSame(a: Wish, b: Wish): boolean {
  if (!sameSignature(a.signature, b.signature)) return false;
  const [short, long] = a.words.size <= b.words.size ? [a.words, b.words] : [b.words, a.words];
  const shared = [...short].filter((word) => long.has(word)).length;
  const wide = a.wide && b.wide;
  return shared >= (wide ? LEAST_WORDS_WIDE : LEAST_WORDS) && shared >= short.size * (wide ? LEAST_SHARED_WIDE : LEAST_SHARED);
}

/** Admits the wish that several sessions share, the best worded one first; the others are superseded by it. Changes them. */
export function linkHabits(forming: readonly Forming[]): void {
  const waiting = forming
    .filter(isWaiting)
    .sort((a, b) => b.lesson.worth - a.lesson.worth || compareText(a.lesson.id, b.lesson.id))
    .slice(0, MOST)
    .map((f): Wish => ({
      forming: f,
      words: wordsOf(f.lesson.text.replace(/[A-Za-z0-9_]+/g, ' $& ')),
      signature: signatureOf(f.lesson.text),
      wide: WIDE.test(f.lesson.text),
    }));
  for (const wish of waiting) {
    const { lesson } = wish.forming;
    if (wish.forming.admitted || lesson.supersededBy !== null) continue;
    const others = waiting.filter((other) => other !== wish && isWaiting(other.forming) && asksTheSame(wish, other));
    const evidence = uniteEvidence([lesson, ...others.map((o) => o.forming.lesson)].flatMap((l) => l.evidence));
    if (others.length === 0 || !hasTwoSessions(evidence)) continue;
    wish.forming.admitted = true;
    Object.assign(lesson, {
      evidence,
      tags: sortedSet([...lesson.tags, 'habit', ...others.flatMap((o) => o.forming.lesson.tags)]),
      ...datesOf(evidence),
    });
    for (const other of others) linkSuperseded(lesson, other.forming.lesson);
  }
}

/** Prefixes that one line names. */
const MOST_PREFIXES = 4;

/**
 * What the branches of all sessions have in common: a prefix that is the name of whoever made the branch (a person, an agent) is
 * that one's and not the project's as soon as another prefix is used, also in another session.
 */
export function settleBranches<T extends Candidate>(candidates: readonly T[]): T[] {
  const sessionsOf = new Map<string, Set<string>>();
  for (const c of candidates)
    for (const tag of c.tags)
      if (/^(?:own|prefix):/.test(tag))
        sessionsOf.set(tag, (sessionsOf.get(tag) ?? new Set()).add(`${c.evidence.agent}\0${c.evidence.session}`));
  if (sessionsOf.size < 2) return [...candidates];
  const common = [...sessionsOf.keys()]
    .filter((tag) => tag.startsWith('prefix:'))
    .sort((a, b) => sessionsOf.get(b)!.size - sessionsOf.get(a)!.size || compareText(a, b))
    .map((tag) => tag.slice('prefix:'.length));
  const named = common
    .slice(0, MOST_PREFIXES)
    .sort(compareText)
    .map((prefix) => `\`${prefix}/…\``)
    .join(', ');
  return candidates.flatMap((c) => {
    if (!c.tags.includes('branches')) return [c];
    return c.tags.some((tag) => tag.startsWith('prefix:'))
      ? [{ ...c, text: `Work goes on branches of its own, named like ${named}.` }]
      : [];
  });
}
