/** The words of a text, and how similar two texts are. Pure. */
import { withoutSpans } from './code.js';
import { stem } from './stem.js';

/** English function words: left out of a query that has other words. */
export const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    'a an and are as at be been but by can could did do does ever for from had has have how i if in into is it its me my of on or ' +
    'our said should so than that the their them then there these they this to was we were what when where which who why will with ' +
    'would you your'
  ).split(' '),
);
/** Function words, and other words that do not show the subject of a statement. */
export const STOP_WORDS: ReadonlySet<string> = new Set([
  ...FUNCTION_WORDS,
  ...(
    'those us he she being am done may might shall onto about while here also just please pls really very more most some any ' +
    'all each both such own same too let lets make sure always'
  ).split(' '),
]);

const WILLS = 'always|must|only|instead|rather than|from now on';
const FORBIDS = "never|don['’]?t|do not|mustn['’]?t";
const DENIES = "not|no|none|(?:does|did|wo|ca|is|are|should)n['’]?t|cannot|without|avoid|stop";

function phrase(words: string): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu');
}

/** Always, never, must, only, instead. */
const POLARITY = phrase(`${WILLS}|${FORBIDS}`);

/** Words that forbid or deny. */
const NEGATION = phrase(`${FORBIDS}|${DENIES}`);
const NEGATION_WORD = new RegExp(`^(?:${FORBIDS}|${DENIES})$`, 'iu');

/** Chinese, Japanese and Korean have no blanks between words. */
export const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Whether a text contains always, never, only, instead or the like, outside code. */
export function hasPolarity(text: string): boolean {
  return POLARITY.test(withoutSpans(text));
}

/** Whether a single word denies. */
export function isNegation(word: string): boolean {
  return NEGATION_WORD.test(word);
}

/** Whether a text forbids or denies. Code does not count (`--no-verify`). */
export function isNegated(text: string): boolean {
  return NEGATION.test(withoutSpans(text));
}

const CJK_RUN = new RegExp(`^${CJK.source}`, 'u');
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}][\p{L}\p{N}_./:@+-]*(?:['’]\p{L}+)?/gu;

/**
 * Content words of a text: lower case, stemmed, without stop words; negations become `not`, and CJK
 * is split into pairs of characters.
 */
export function contentWords(text: string): string[] {
  const out: string[] = [];
  for (const hit of text.toLowerCase().matchAll(WORD)) {
    const word = hit[0].replace(/[./:'’-]+$/, '');
    if (CJK_RUN.test(word))
      for (let i = 0; i < Math.max(1, word.length - 1); i += 1) out.push(word.slice(i, i + 2));
    else if (isNegation(word)) out.push('not');
    else if (!STOP_WORDS.has(word)) out.push(stemOf(word.replace(/['’]s$/, '')));
  }
  return out;
}

/** A word without common English endings; code words are unchanged. */
function stemOf(word: string): string {
  return /^[a-z]+$/.test(word) ? stem(word) : word;
}

/** Whether a text denies something. */
export function isDenied(text: string): boolean {
  return contentWords(text).includes('not');
}

/** Every word of a text in lower case, to compare two texts; each CJK character is a word. */
export function wordsIn(text: string): string[] {
  return (
    text
      .toLowerCase()
      .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+/gu) ?? []
  );
}

/** Whether a text has all words of another text, in any order. */
export function hasAllWords(text: string, wanted: string): boolean {
  const words = new Set(wordsIn(text));
  return wordsIn(wanted).every((word) => words.has(word));
}

/** Numbers, times and versions of a text; `1,000` is `1000`. */
export function numbersIn(text: string): string[] {
  return text.replace(/(\d),(?=\d{3})/g, '$1').match(/\d+(?:[.:]\d+)*/g) ?? [];
}

/**
 * Common words of two texts as a share of all their words (Jaccard), 0..1; 0 if a text has none.
 */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let common = 0;
  for (const word of small) if (large.has(word)) common += 1;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}
