/**
 * Whether a wording is the person's own: what they typed, word for word and in its order, but for articles and the like. Whole
 * clauses may be left out, never one that denies, restricts or sets a condition. Each doubt is decided against it: what a model
 * words freely stays a claim, under the model's name. Pure.
 */
import { CONDITION } from '../parse/rules.js';
import { entityKeys } from '../parse/sentences/entities.js';
import { splitSentences } from '../parse/sentences/split.js';
import { hasPolarity } from '../parse/wishes.js';
import { CJK, contentWords, isDenied, isNegation, NEGATION } from '../text/words.js';
import { LEAST_MATCH, matchQuote } from './quote.js';

/** A name is the same letter by letter; any other word whatever its ending. */
interface Token {
  raw: string;
  stem: string;
  isName: boolean;
}

/** Say nothing that a wording could change. No preposition, "always", "all", "I" or "you": each of them changes what is meant. */
const FREE: ReadonlySet<string> = new Set(
  (
    'a an the this that these those we our us is are am be was were do does did please pls also so then ok okay ' +
    'hey hi thanks remember note der die das den dem ein eine einen bitte wir le la les un une nous el los las una'
  ).split(' '),
);
/** How a wish begins. */
const OPENERS =
  /(?<!\p{L})(?:make sure(?: that)?|i (?:want|need|would like)(?: you)? to|i['’]d like(?: you)? to|remember to|keep in mind that)(?!\p{L})/giu;
const HERE =
  /(?<!\p{L})(?:(?:in|for) (?:this|the|our|my) (?:repo(?:sitory)?|project|codebase)|here|hier|ici|aquí)(?![\p{L}-])/giu;
/** Where a clause ends. A colon is no end: what stands behind one may be somebody else's words. */
const CLAUSE =
  /[,;.!?…]+(?=\s|$)|[，、；。！？()（）]|\s[–—-]+\s|(?<![\p{L}\d])(?:and|und|et|y)(?![\p{L}\d])|(?=(?<!\p{L})(?:because|weil|denn|parce que|porque)(?!\p{L}))/iu;
/** A clause that begins so belongs to the one beside it. */
const BOUND =
  /^(?:in|on|at|for|with|from|by|to|under|inside|outside|within|as|but|or|except|otherwise|else|though|although|however|im|bei|für|auf|mit|aber|sonst|oder|sondern|dans|pour|avec|mais|ou|sinon|en|para|con|pero|o)$/iu;
/** So does one that names a time or another speaker: "today, use X", "the manual says, use X". */
const SPEAKS_OF =
  /^(?:today|tonight|tomorrow|now|time|temporarily|currently|says?|said|wrote|writes?|thinks?|claims?|suggests?|told|heute|morgen|jetzt|vorerst|sagt|meint|schreibt|aujourd['’]hui|maintenant|dit|hoy|ahora|dice)$/iu;
/** So does a sentence. */
const GOES_ON = /^(?:unless|except|but|only|not|otherwise|außer|aber|nur|sauf|mais|salvo|pero)(?!\p{L})/iu;
/** These deny a thing and not what is done: "no use X" is not "never use X". */
const DENIES_THING = /^(?:no|none|without|avoid|stop|kein\p{L}*|ohne|sans|sin|sem)$/iu;
/** Sentences that one quote spans. */
const MOST_SENTENCES = 4;

/**
 * Whether a text says what the person typed where they are quoted.
 * @param typed all that they typed in that prompt: a quote alone may have lost its condition or its "not"
 */
export function isOwnWording(text: string, quote: string, typed: string): boolean {
  const wanted = clausesOf(text).flat();
  const passages = passagesOf(quote, splitSentences(typed));
  return wanted.length > 0 && passages.length > 0 && passages.every((passage) => says(passage, wanted));
}

/** Whether a text denies or replaces what another one is about: it is a wish or a denial, and shares a name or two words. */
export function speaksAgainst(text: string, other: string): boolean {
  if (!hasPolarity(text) && !isDenied(text)) return false;
  const [names, words] = [entityKeys(other), new Set(contentWords(other))];
  const shared = new Set(contentWords(text).filter((word) => word !== 'not' && words.has(word)));
  return shared.size >= 2 || [...entityKeys(text)].some((name) => names.has(name));
}

/** Whether a text names the repository it was said in: it is no wish for every other one. */
export function isOfThisPlace(typed: string): boolean {
  return typed.search(HERE) >= 0;
}

/** The fewest sentences in a row that hold a quote; all such places, when there are several. */
function passagesOf(quote: string, sentences: readonly string[]): string[] {
  for (let size = 1; size <= Math.min(MOST_SENTENCES, sentences.length); size += 1) {
    const runs = Array.from({ length: sentences.length - size + 1 }, (_, from) => {
      const next = sentences[from + size];
      const more = next !== undefined && GOES_ON.test(next) ? [next] : [];
      const run = sentences.slice(from, from + size);
      return { match: matchQuote(quote, run.join(' ')), passage: [...run, ...more].join(' ') };
    });
    const best = Math.max(...runs.map(({ match }) => match));
    if (best >= LEAST_MATCH) return runs.filter(({ match }) => match === best).map(({ passage }) => passage);
  }
  return [];
}

/** Whether a passage without some of its free clauses is the wanted words. A question states nothing. */
function says(passage: string, wanted: readonly Token[]): boolean {
  if (/[?？]["'”’)\]]*(?:\s|$)/u.test(passage)) return false;
  let at = 0;
  for (const clause of clausesOf(passage)) {
    if (clause.every((token, i) => isSame(token, wanted[at + i]))) at += clause.length;
    else if (isBinding(clause)) return false;
  }
  return at === wanted.length;
}

function isSame(a: Token, b: Token | undefined): boolean {
  return b !== undefined && (a.isName || b.isName ? a.raw === b.raw : a.stem === b.stem);
}

function isBinding(clause: readonly Token[]): boolean {
  return (
    BOUND.test(clause[0]!.raw) ||
    clause.some(
      ({ raw, stem, isName }) =>
        !isName &&
        (stem === 'not' ||
          isNegation(raw) ||
          CONDITION.test(raw) ||
          SPEAKS_OF.test(raw) ||
          (CJK.test(raw) && NEGATION.test(raw))),
    )
  );
}

/** The clauses of a text as their words; a bare "no," answers and denies nothing. */
function clausesOf(text: string): Token[][] {
  const spans: string[] = [];
  const bare = text
    .replace(/`([^`]+)`/g, (_, span: string) => ` ⟦${spans.push(span.trim()) - 1}⟧ `)
    .replace(OPENERS, ' ')
    .replace(HERE, ' ');
  return bare
    .split(CLAUSE)
    .map((clause) => clause.split(/\s+/).flatMap((word) => tokensOf(word, spans)))
    .filter((clause) => clause.length > 1 || (clause.length === 1 && !/^(?:no|nein|non)$/iu.test(clause[0]!.raw)));
}

function tokensOf(word: string, spans: readonly string[]): Token[] {
  const span = /⟦(\d+)⟧/.exec(word)?.[1];
  if (span !== undefined) return spans[Number(span)]!.split(/\s+/).map((raw) => ({ raw, stem: raw, isName: true }));
  const raw = word.replace(/^["'“”‘’„«»([*_]+|["'“”‘’„«»)\]*_:.,;!?]+$/gu, '');
  const low = raw.toLowerCase();
  if (raw === '' || FREE.has(low)) return [];
  const isName = /^-|[/._=$@~\d]|\p{Ll}\p{Lu}/u.test(raw);
  const isWhole = CJK.test(raw) || DENIES_THING.test(raw);
  const stem = isWhole ? low : isNegation(raw) ? 'not' : (contentWords(low)[0] ?? low);
  return [{ raw, stem, isName }];
}
