/**
 * The words of a statement: one table of languages, one stemmer, one likeness. Keys of claims are
 * made of them.
 */

/**
 * Function words of one language. Phrases are parted by commas; `*` is any ending. Chinese,
 * Japanese and Korean are found inside a run of signs.
 */
interface Language {
  /** Say nothing of what a statement is about. */
  stop?: string;
  /** Make a wish of a sentence: always, must, only, instead. */
  wills: string;
  /** Make a wish of it and deny. */
  forbids: string;
  /** Deny. */
  denies?: string;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  en: {
    stop:
      'a an the this that these those it its i me my we us our you your he she they them their is are was were be been being ' +
      'am do does did done have has had will would can could may might shall should ' +
      'to of in on at by for from with as into onto about and or but so if then than when while there here also just please ' +
      'pls really very more most some any all each both such own same too let lets make sure always',
    wills: 'always, must, only, instead, rather than, from now on',
    forbids: "never, don't, do not, mustn't",
    denies:
      "not, no, none, doesn't, didn't, won't, can't, cannot, isn't, aren't, shouldn't, without, avoid, stop",
  },
  de: {
    stop: 'der die das ein eine und oder ist sind zu im in den dem mit für auf bitte immer',
    wills: 'immer, muss, nur, statt',
    forbids: 'nie, niemals, nicht, kein*',
    denies: 'ohne',
  },
  fr: {
    stop: 'le la les un une des de du et ou est sont à au aux pour dans avec toujours',
    wills: 'toujours, doit, seulement, plutôt',
    forbids: 'jamais, ne pas',
    denies: 'ne, pas, sans',
  },
  es: {
    stop: 'el los las una y o es son en con para por siempre',
    wills: 'siempre, debe, solo, sólo, en lugar de',
    forbids: 'nunca',
    denies: 'sin, jamás',
  },
  pt: { wills: 'sempre, deve, apenas, em vez de', forbids: 'não', denies: 'sem' },
  it: { wills: 'invece', forbids: 'mai, non' },
  nl: { wills: 'altijd, moet, alleen', forbids: 'nooit, niet', denies: 'geen' },
  ru: {
    stop: 'и в на с по для не это как что всегда пожалуйста',
    wills: 'всегда, нужно, только, вместо',
    forbids: 'никогда, не',
    denies: 'нельзя, без',
  },
  zh: {
    wills: '总是, 總是, 必须, 必須, 只, 而不是',
    forbids: '不要, 不能, 别, 禁止',
    denies: '不, 別, 勿, 禁',
  },
  ja: { wills: '必ず, 常に, のみ, 代わりに', forbids: 'しないで, 禁止', denies: 'ない, ません' },
  ko: { wills: '항상, 반드시, 대신', forbids: '하지 마, 금지', denies: '않, 마세요' },
};

/**
 * Negations that keys of claims take for any other word: they were learnt after the first keys were
 * made, and ids stay.
 */
const NOT_IN_KEYS: ReadonlySet<string> = new Set(
  'none ohne ne sans jamás sem nooit не без'.split(' '),
);

function phrasesOf(...columns: (keyof Language)[]): string[] {
  return Object.values(LANGUAGES).flatMap((one) =>
    columns.flatMap((column) => one[column]?.split(', ') ?? []),
  );
}

/** Runs of Chinese, Japanese or Korean signs have no blanks between words. */
export const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function patternOf(phrases: readonly string[]): RegExp {
  const spelt = phrases.map((one) => one.replaceAll("'", "['’]?").replaceAll('*', '\\p{L}*'));
  const [inside, bounded] = [
    spelt.filter((one) => CJK.test(one)),
    spelt.filter((one) => !CJK.test(one)),
  ];
  return new RegExp(
    `(?<!\\p{L})(?:${bounded.join('|')})(?!\\p{L})|${inside.join('|').replaceAll(' ', ' ?')}`,
    'iu',
  );
}

export const STOP_WORDS: ReadonlySet<string> = new Set(
  phrasesOf('stop').flatMap((words) => words.split(' ')),
);

/** Always, never, must, only, instead: what makes a wish of a sentence. */
export const POLARITY = patternOf(phrasesOf('wills', 'forbids'));

/** What denies or forbids. */
export const NEGATION = patternOf(phrasesOf('forbids', 'denies'));

const NEGATION_WORD = new RegExp(`^(?:${NEGATION.source})$`, 'iu');

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
    else if (isNegation(word) && !NOT_IN_KEYS.has(word)) out.push('not');
    else if (!STOP_WORDS.has(word)) out.push(stem(word.replace(/['’]s$/, '')));
  }
  return out;
}

/** Whether a text denies something, in any of the languages. */
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

/**
 * Exact key of a statement: its content words, sorted, each once. Near-equal wordings of one
 * instruction share it; what is denied goes with its negation, since "tabs, not spaces" has the
 * words of "spaces, not tabs".
 */
export function keyOf(text: string): string {
  const words = contentWords(text);
  const joined = words.flatMap((word, at) =>
    word === 'not' ? `not ${words[at + 1] ?? ''}` : words[at - 1] === 'not' ? [] : word,
  );
  return [...new Set(joined)].sort().join(' ').slice(0, 240);
}

/** Common words over all words of two texts (Jaccard), 0..1; 0 when one has none. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let common = 0;
  for (const word of small) if (large.has(word)) common += 1;
  return common === 0 ? 0 : common / (a.size + b.size - common);
}
