/**
 * What a model gets of what is known: claims that it may judge by their id, and facts, those
 * nearest to the session first.
 */
import { contentWords } from '../text/words.js';
import { entityKeys } from '../parse/sentences/entities.js';
import type { Lesson } from '../types.js';
import { estimateTokens, type KnownLines } from './prompt.js';

/** Share of the digest's tokens that claims may take, and that facts may take. */
const CLAIM_SHARE = 0.2;
const FACT_SHARE = 0.05;
/** A name that both have tells more than a word. */
const NAME_WEIGHT = 3;
/**
 * Sentences about one thing have a cosine of about 0.5, which counts like a name; strangers have
 * 0.1.
 */
const MEANING_WEIGHT = 6;

/**
 * Whole lines, as many as fit; what is left out is what has least in common with the session, and
 * its number is told. They stand in the order of their days, so that the list is the same in
 * prompts that follow each other.
 * @param lessons live ones by the id that is shown
 * @param cosines of lessons to what was typed in the session, by their own id, as far as both are
 * embedded
 * @returns the lines, and the claims among them by their id
 */
export function chooseKnown(
  lessons: ReadonlyMap<string, Lesson>,
  digest: string,
  digestTokens: number,
  cosines: ReadonlyMap<string, number> = new Map(),
): { known: KnownLines; shown: Map<string, Lesson> } {
  const near = nearestFirst([...lessons], digest, cosines);
  const said = near.filter(([, { fact }]) => fact === null);
  const claims = fitting(said, digestTokens * CLAIM_SHARE, claimLine).sort(([, a], [, b]) =>
    compareDays(a, b),
  );
  const facts = fitting(
    near.filter(([, { fact }]) => fact !== null),
    digestTokens * FACT_SHARE,
    (_, lesson) => `- ${oneLine(lesson.text)}`,
  );
  const left = said.length - claims.length;
  return {
    known: {
      claims: [
        ...claims.map(([id, lesson]) => claimLine(id, lesson)),
        ...(left === 0 ? [] : [`(${left} more ${left === 1 ? 'is' : 'are'} not listed)`]),
      ],
      facts: facts.map(([, { text }]) => `- ${oneLine(text)}`),
    },
    shown: new Map(claims),
  };
}

function compareDays(a: Lesson, b: Lesson): number {
  return a.lastSeen < b.lastSeen ? -1 : a.lastSeen > b.lastSeen ? 1 : a.id < b.id ? -1 : 1;
}

function claimLine(id: string, { kind, saidBy, lastSeen, text }: Lesson): string {
  return `${id} ${kind}, ${lastSeen || 'no day'}, ${saidBy === 'user' ? 'the user' : 'the agent'}: ${oneLine(text)}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/<\/(known|facts)>/gi, '< /$1>');
}

function fitting(
  near: readonly (readonly [string, Lesson])[],
  tokens: number,
  lineOf: (id: string, lesson: Lesson) => string,
): (readonly [string, Lesson])[] {
  let left = tokens;
  return near.filter(([id, lesson]) => {
    const cost = estimateTokens(lineOf(id, lesson)) + 1;
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

/**
 * By names, rare words and meaning that a lesson shares with the session; of equal ones the one
 * that weighs more.
 */
function nearestFirst(
  lessons: readonly (readonly [string, Lesson])[],
  digest: string,
  cosines: ReadonlyMap<string, number>,
): (readonly [string, Lesson])[] {
  const said = digest.toLowerCase();
  const words = new Set(contentWords(digest));
  const items = lessons.map((pair) => ({
    pair,
    names: entityKeys(pair[1].text),
    words: new Set(contentWords(pair[1].text)),
  }));
  const counts = new Map<string, number>();
  for (const item of items)
    for (const word of item.words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const nearness = (item: (typeof items)[number]): number =>
    Math.max(0, cosines.get(item.pair[1].id) ?? 0) * MEANING_WEIGHT +
    [...item.names].filter((name) => said.includes(name)).length * NAME_WEIGHT +
    [...item.words]
      .filter((word) => words.has(word))
      .reduce((sum, word) => sum + 1 / Math.log2(1 + counts.get(word)!), 0);
  const weight = ({ importance, confidence }: Lesson): number => importance * confidence;
  return items
    .map((item) => ({ pair: item.pair, near: nearness(item) }))
    .sort(
      (a, b) =>
        b.near - a.near ||
        weight(b.pair[1]) - weight(a.pair[1]) ||
        (a.pair[1].id < b.pair[1].id ? -1 : 1),
    )
    .map(({ pair }) => pair);
}
