/**
 * The words of a statement: one table, one stemmer, one likeness.
 */

/** They say nothing of what a statement is about. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a an the this that these those it its i me my we us our you your he she they them their is are was were be been being ' +
    'am do does did done have has had will would can could may might shall should ' +
    'to of in on at by for from with as into onto about and or but so if then than when while there here also just please ' +
    'pls really very more most some any all each both such own same too let lets make sure always'
  ).split(' '),
);

const WILLS = 'always|must|only|instead|rather than|from now on';
const FORBIDS = "never|don['’]?t|do not|mustn['’]?t";
const DENIES = "not|no|none|(?:does|did|wo|ca|is|are|should)n['’]?t|cannot|without|avoid|stop";

function phrase(words: string): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu');
}

/** Always, never, must, only, instead. */
const POLARITY = phrase(`${WILLS}|${FORBIDS}`);

/** What denies or forbids. */
const NEGATION = phrase(`${FORBIDS}|${DENIES}`);
const NEGATION_WORD = new RegExp(`^(?:${FORBIDS}|${DENIES})$`, 'iu');

/** Runs of Chinese, Japanese or Korean signs have no blanks between words. */
export const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** Whether a text says always, never, only, instead or the like, outside of code. */
export function hasPolarity(text: string): boolean {
  return POLARITY.test(text.replace(/`[^`]*`/g, ' '));
}

/** Whether a word by itself denies. */
export function isNegation(word: string): boolean {
  return NEGATION_WORD.test(word);
}

/** Whether a text forbids or denies; code in it does not count (`--no-verify`). */
export function isNegated(text: string): boolean {
  return NEGATION.test(text.replace(/`[^`]*`/g, ' '));
}

/** A word without its common English endings; code words stay. */
function stem(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  const cut = word
    .replace(/sses$/, 'ss')
    .replace(/ies$/, 'y')
    .replace(/([^aeious])s$/, '$1')
    .replace(/([aeo])s$/, '$1')
    .replace(/(?:ingly|edly|ing|ed|ly)$/, '');
  const root = cut.length >= 3 ? cut : word;
  return root.replace(/([bdfgklmnprt])\1$/, '$1').replace(/e$/, '');
}

const CJK_RUN = new RegExp(`^${CJK.source}`, 'u');
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}][\p{L}\p{N}_./:@+-]*(?:['’]\p{L}+)?/gu;

/**
 * Content words of a text: lower case, stemmed, stop words out; negations become `not`. CJK is
 * taken in pairs of signs.
 */
export function contentWords(text: string): string[] {
  const out: string[] = [];
  for (const hit of text.toLowerCase().matchAll(WORD)) {
    const word = hit[0].replace(/[./:'’-]+$/, '');
    if (CJK_RUN.test(word))
      for (let i = 0; i < Math.max(1, word.length - 1); i += 1) out.push(word.slice(i, i + 2));
    else if (isNegation(word)) out.push('not');
    else if (!STOP_WORDS.has(word)) out.push(stem(word.replace(/['’]s$/, '')));
  }
  return out;
}

/** Whether a text denies something. */
export function isDenied(text: string): boolean {
  return contentWords(text).includes('not');
}

/**
 * Every word of a text, as two texts are compared word by word: lower case, nothing left out; of
 * CJK each sign.
 */
export function wordsIn(text: string): string[] {
  return (
    text
      .toLowerCase()
      .match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+/gu) ?? []
  );
}

/** Numbers, times and versions of a text; `1,000` is `1000`. */
export function numbersIn(text: string): string[] {
  return text.replace(/(\d),(?=\d{3})/g, '$1').match(/\d+(?:[.:]\d+)*/g) ?? [];
}

/** Common words over all words of two texts (Jaccard), 0..1; 0 when one has none. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let common = 0;
  for (const word of small) if (large.has(word)) common += 1;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}
