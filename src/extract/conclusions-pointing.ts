/** Words after `those` and `these` that every reader of the repository can place. */
const KNOWN = /^(?:repos?|repositor(?:y|ies)|projects?|packages?|files?|are|is|who|that|which|in|of|with|without|on|under|from|to|for|by|not|listed|named|already|and|or)$/iu;
const POINTER = /(?<![\p{L}-])(?:those|these|both)\s+(?:\d+\s+)?([\p{L}][\p{L}-]*)/giu;
/** An object that is only a pronoun, right behind the first verb. */
const BARE_OBJECT = /^(?:\p{L}+(?:['’]\p{L}+)?\s){1,3}(?:it|them)(?=\s*(?:$|[.,;:)—–]|\s-\s|(?:and|but|so|at|in|on|for|when|as|too)(?![\p{L}])))/iu;

const root = (word: string): string => word.toLowerCase().replace(/(?:ies|es|s)$/, '').slice(0, 6);

/**
 * Whether a statement leans on words that stood before it: "those versions" without any version in it, "both legs", a
 * pronoun as the object of its first verb ("`x` already validates it"), or one more of a list ("`x` also feeds …").
 * @param predicate what follows the subject; null when the grammar is unknown
 */
export function pointsBack(text: string, predicate: string | null): boolean {
  const open = text.replace(/`[^`]*`/g, 'x');
  if (predicate !== null && /^also(?!\p{L})/iu.test(predicate)) return true;
  if (predicate !== null && BARE_OBJECT.test(predicate.replace(/`[^`]*`/g, 'x'))) return true;
  return [...open.matchAll(POINTER)].some((hit) => {
    const word = hit[1] ?? '';
    if (KNOWN.test(word) || word === 'x' || /^\s*x(?!\p{L})/u.test(open.slice(hit.index + hit[0].length))) return false;
    if (/^both/i.test(hit[0]) && /^.{0,40}(?<!\p{L})(?:and|or|,)(?!\p{L})/u.test(open.slice(hit.index + hit[0].length))) return false;
    return !(open.slice(0, hit.index).toLowerCase().match(/[\p{L}-]+/gu) ?? []).some((before) => before.length > 3 && root(before) === root(word));
  });
}
