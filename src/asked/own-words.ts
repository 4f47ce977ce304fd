/**
 * Whether a text is in the person's own words: whole sentences that they typed, word by word. A
 * shortened sentence remains the model's claim, since the missing part may be a condition. Pure.
 */
import { entityKeys } from '../parse/entities.js';
import { splitSentences } from '../parse/sentences.js';
import { contentWords, hasPolarity, isDenied } from '../text/words.js';
import { LEAST_MATCH, matchQuote } from './quote.js';

/** Words that change no meaning. */
const FREE: ReadonlySet<string> = new Set(['a', 'an', 'the', 'please', 'bitte']);
/** Words at the beginning of a wish, which do not count. */
const OPENING =
  /^(?:(?:also|and|so|ok|okay|hey|please|(?:no|nein|non)(?=[,!])|make sure(?: that| to)?|i want you to|remember to)[,:!]?\s+)+/iu;
const HERE =
  /(?<!\p{L})(?:(?:in|for) (?:this|the|our|my) (?:repo(?:sitory)?|project|codebase)|here|hier|ici|aquí)(?![\p{L}-])/giu;
/** A sentence with this beginning restricts the sentence before, or takes it back. */
const GOES_ON = new RegExp(
  String.raw`^(?:unless|except|but|only|not|otherwise|actually|scratch|wait|no|sorry` +
    String.raw`|außer|aber|nur|doch|nein|sauf|mais|non|salvo|pero)(?!\p{L})`,
  'iu',
);
/** Most sentences of one quote. */
const MOST_SENTENCES = 4;

/**
 * Whether a text repeats the sentences that the person typed at the quote. A question states
 * nothing.
 * @param typed the whole typed prompt, since the quote may lack a condition or a "not"
 */
export function isOwnWording(text: string, quote: string, typed: string): boolean {
  const wanted = wordsOf(text).join('\n');
  const passages = passagesOf(quote, splitSentences(typed));
  const isTyped = (passage: string): boolean =>
    !/[?？]["'”’)\]]*(?:\s|$)/u.test(passage) && wordsOf(passage).join('\n') === wanted;
  return wanted !== '' && passages.length > 0 && passages.every(isTyped);
}

/**
 * Whether a text denies or replaces another text: it is a wish or a denial, and both have a name or
 * two words in common.
 */
export function speaksAgainst(text: string, other: string): boolean {
  if (!hasPolarity(text) && !isDenied(text)) return false;
  const [names, words] = [entityKeys(other), new Set(contentWords(other))];
  const shared = new Set(contentWords(text).filter((word) => word !== 'not' && words.has(word)));
  return shared.size >= 2 || [...entityKeys(text)].some((name) => names.has(name));
}

/** Whether a text names "this repository", so that it is no wish for other projects. */
export function isOfThisPlace(typed: string): boolean {
  return typed.search(HERE) >= 0;
}

/** The shortest runs of sentences that contain the quote. */
function passagesOf(quote: string, sentences: readonly string[]): string[] {
  for (let size = 1; size <= Math.min(MOST_SENTENCES, sentences.length); size += 1) {
    const runs = Array.from({ length: sentences.length - size + 1 }, (_, from) => {
      const next = sentences[from + size];
      const more = next !== undefined && GOES_ON.test(next) ? [next] : [];
      const run = sentences.slice(from, from + size);
      return { match: matchQuote(quote, run.join(' ')), passage: [...run, ...more].join(' ') };
    });
    const best = Math.max(...runs.map(({ match }) => match));
    if (best >= LEAST_MATCH)
      return runs.filter(({ match }) => match === best).map(({ passage }) => passage);
  }
  return [];
}

/** Words without punctuation around them; all except names are in lower case. */
function wordsOf(text: string): string[] {
  const parts = text
    .trim()
    .replace(OPENING, '')
    .replace(HERE, ' ')
    .split(/`([^`]+)`/);
  const words = parts.flatMap((part, at) =>
    at % 2 === 1 ? part.split(/\s+/) : part.split(/[\s，、；。！（）]+/).map(bareWord),
  );
  return words
    .map((word) => (/^-|[/._=$@~\d]|\p{Ll}\p{Lu}/u.test(word) ? word : word.toLowerCase()))
    .filter((word) => word !== '' && !FREE.has(word) && !/^[-–—]+$/.test(word));
}

function bareWord(word: string): string {
  return word
    .replace(/^["'“”‘’„«»([*_]+|["'“”‘’„«»)\]*_:,;!]+$/gu, '')
    .replace(/(?<=[\p{L}\d])\.$/u, '');
}
