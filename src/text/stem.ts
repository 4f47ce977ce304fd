/**
 * Light English stemming: plural, -ing, -ed, -ation / -ate, -ion, final e. Stored terms and queries
 * use it, so its results must not change, even where they are not correct English. Pure.
 */

/** Words whose ending looks like a suffix but is none. */
const WHOLE = new Set(
  'embed speed exceed proceed indeed string spring thing nothing during species series always alias canvas status'.split(
    ' ',
  ),
);

const VOWEL = /[aeiouy]/;

/**
 * Stem of one lower-case ASCII word.
 * @param word lower case, letters only
 */
export function stem(word: string): string {
  if (word.length < 4 || WHOLE.has(word)) return word;
  let base = withoutPlural(word);
  if (WHOLE.has(base)) return base;
  const before = base;
  base = withoutVerbEnding(base);
  return withoutNounEnding(base, base !== before);
}

function withoutPlural(word: string): string {
  if (!word.endsWith('s')) return word;
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word;
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return /[sui]s$/.test(word) ? word : word.slice(0, -1);
}

function withoutVerbEnding(word: string): string {
  let base = word;
  if (word.length >= 6 && word.endsWith('ing')) base = word.slice(0, -3);
  else if (word.length >= 5 && word.endsWith('ed') && !word.endsWith('eed'))
    base = word.slice(0, -2);
  if (base === word || !VOWEL.test(base)) return word;
  const last = base.charCodeAt(base.length - 1);
  const doubled = last === base.charCodeAt(base.length - 2);
  return doubled && !/[lsz]$/.test(base) ? base.slice(0, -1) : base;
}

function withoutNounEnding(word: string, verb: boolean): string {
  if (word.length >= 9 && word.endsWith('ation')) return word.slice(0, -5);
  if (word.length >= 7 && word.endsWith('ate')) return word.slice(0, -3);
  if (verb && word.length >= 6 && /[^aeo]at$/.test(word) && !word.endsWith('format'))
    return word.slice(0, -2);
  if (word.length >= 7 && /[st]ion$/.test(word)) return word.slice(0, -3);
  return word.length >= 4 && word.endsWith('e') ? word.slice(0, -1) : word;
}
