const STOP = new Set(
  (
    'a an the this that these those it its i me my we us our you your he she they them their is are was were be been being am do does did done have has had will would can could may might shall should ' +
    'to of in on at by for from with as into onto about and or but so if then than when while there here also just please pls really very more most some any all each both such own same too let lets make sure always ' +
    'der die das ein eine und oder ist sind zu im in den dem mit für auf bitte immer le la les un une des de du et ou est sont à au aux pour dans avec toujours el los las una y o es son en con para por siempre ' +
    'и в на с по для не это как что всегда пожалуйста'
  ).split(' '),
);

const NEGATION =
  /^(?:not|no|never|don['’]?t|doesn['’]?t|didn['’]?t|won['’]?t|can['’]?t|cannot|isn['’]?t|aren['’]?t|shouldn['’]?t|mustn['’]?t|without|avoid|stop|nicht|kein\w*|nie(?:mals)?|pas|jamais|sin|nunca|não|mai|non|niet|geen|никогда|нельзя)$/u;

/** A word without its common English endings; code words stay. */
function stem(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  const cut = word
    .replace(/(?:sses)$/, 'ss')
    .replace(/ies$/, 'y')
    .replace(/([^aeious])s$/, '$1')
    .replace(/([aeo])s$/, '$1')
    .replace(/(?:ingly|edly|ing|ed|ly)$/, '');
  const root = cut.length >= 3 ? cut : word;
  return root.replace(/([bdfgklmnprt])\1$/, '$1').replace(/e$/, '');
}

/** Content words of a text: lower case, stemmed, stop words out; negations become `not`. CJK is taken in pairs of signs. */
export function contentWords(text: string): string[] {
  const out: string[] = [];
  for (const hit of text
    .toLowerCase()
    .matchAll(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}][\p{L}\p{N}_./:@+-]*(?:['’]\p{L}+)?/gu,
    )) {
    const word = hit[0].replace(/[./:'’-]+$/, '');
    if (/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(word)) {
      for (let i = 0; i < Math.max(1, word.length - 1); i += 1) out.push(word.slice(i, i + 2));
    } else if (NEGATION.test(word)) out.push('not');
    else if (!STOP.has(word)) out.push(stem(word.replace(/['’]s$/, '')));
  }
  return out;
}

/** Exact key of a statement: its content words, sorted, each once. Near-equal wordings of one instruction share it. */
export function keyOf(text: string): string {
  return [...new Set(contentWords(text))].sort().join(' ').slice(0, 240);
}

/** Share of content words that two texts have in common (Jaccard), 0..1. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let same = 0;
  for (const word of a) if (b.has(word)) same += 1;
  return same / (a.size + b.size - same);
}
