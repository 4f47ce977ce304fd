/**
 * Sentences that a person typed with a polarity and a name: what `review` offers, and what two
 * sessions make a lesson of.
 */
import { countNamed, findEntities } from './sentences/entities.js';
import { contentWords, POLARITY } from '../text/words.js';
import { isProgram } from './commands/programs.js';
import { lineOf } from '../text/verbatim.js';

/** Whether a text says always, never, only, instead or the like, outside of code. */
export function hasPolarity(text: string): boolean {
  return POLARITY.test(text.replace(/`[^`]*`/g, ' '));
}

/** A sentence that asks is no wish. */
export const ASKS = /[?？]["')\s]*$/u;

/**
 * Words and what must be equal in sentences that say the same; null for a sentence without polarity
 * or name. Of 77 labelled sentences of people with both a quarter deserves a line (grade 2 or
 * more), half is lasting: enough to ask the person, not enough to decide.
 */
export function wishOf(
  sentence: string,
): { text: string; words: string[]; signature: string } | null {
  const text = lineOf(sentence);
  if (text === null || text.length < 8 || ASKS.test(text) || !hasPolarity(text)) return null;
  const names = namesIn(text);
  if (names.length === 0) return null;
  const words = contentWords(text);
  const numbers = text.match(/(?<![\p{L}\d])\d[\d.]*/gu) ?? [];
  const denials = words.filter((word) => word === 'not').length;
  return {
    text,
    words: [...new Set(words)].sort(),
    signature: JSON.stringify([names, [...numbers].sort(), denials]),
  };
}

/**
 * Commands, paths, flags, tools and identifiers that a sentence names, in lower case and sorted.
 */
function namesIn(text: string): string[] {
  const found = findEntities(text);
  const tools = (text.match(/[\w./-]+/g) ?? []).filter(
    (word) => /^[a-z][\w-]*$/.test(word) && isProgram(word),
  );
  const all =
    countNamed(found) === 0
      ? tools
      : [...found.code, ...found.paths, ...found.flags, ...found.names, ...tools];
  return [...new Set(all.map((name) => name.toLowerCase()))].sort();
}

/** A wish as it waits in `review`. */
export interface Waiting {
  text: string;
  signature: string;
  /** Length of the prompt that holds it. */
  prompt: number;
  /** The session changed a file that it names: most likely the task of that day. */
  isTask: boolean;
}

/** About a sentence, in characters. */
const SENTENCE = 80;

/**
 * Best first: no task of the day, then its word for always or never close to what it names, in a
 * short prompt of its own. Of 96 labelled sentences that people typed 13 deserve a line; of the
 * first twenty in this order six do, of the first ten one.
 */
export function rankWishes<W extends Waiting>(wishes: readonly W[]): W[] {
  const far = ({ text, signature, prompt }: W): number =>
    Math.log1p(distanceIn(text, signature)) + 2 * Math.log(2 + Math.floor(prompt / SENTENCE));
  return wishes
    .map((wish) => ({ wish, far: far(wish) }))
    .sort(
      (a, b) =>
        Number(a.wish.isTask) - Number(b.wish.isTask) ||
        a.far - b.far ||
        (a.wish.text < b.wish.text ? -1 : 1),
    )
    .map(({ wish }) => wish);
}

/** Words between the nearest polarity and name. */
function distanceIn(text: string, signature: string): number {
  const [names] = JSON.parse(signature) as [string[]];
  const low = text.toLowerCase();
  const places = names.map((name) => low.indexOf(name)).filter((at) => at >= 0);
  const words = [...text.matchAll(new RegExp(POLARITY, 'giu'))].map(({ index }) => index);
  const between = places.flatMap((a) =>
    words.map((b) => text.slice(Math.min(a, b), Math.max(a, b)).split(/\s+/).length),
  );
  return Math.min(text.length, ...between);
}
