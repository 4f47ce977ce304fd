import { DECORATION, FILLERS, FRAMES, OPENINGS } from './wording-fluff.js';

/** Longest statement that context.md takes. */
export const LIMIT = 200;

/** Inline markdown made plain: bold, italics, links, tags and check boxes go, code spans stay. */
export function plain(text: string): string {
  const codes: string[] = [];
  const held = text.replace(/`+[^`]*`+/g, (code) => `\u0000${codes.push(code) - 1}\u0000`);
  const open = held
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]+)\]\((?:[^()\s]|\([^)]*\))*\)/g, '$1')
    .replace(/\*\*|__(?=\S)|(?<=\S)__/g, '')
    .replace(/(^|[\s(])[*_](\S[^*_]*\S|\S)[*_](?=[\s.,;:)!?]|$)/g, '$1$2')
    .replace(/~~[^~]*~~/g, '')
    .replace(/^\s*\[[ xX]\]\s*/, '')
    .replace(
      /<\/?(?:a|b|i|u|em|strong|code|kbd|br|p|div|span|img|sub|sup|small|details|summary|ul|ol|li|hr|h[1-6]|pre|table|t[rdh])(?:\s[^>]{0,80})?\/?>/gi,
      '',
    )
    .replace(DECORATION, '')
    .replace(/\s+/g, ' ');
  return open
    .replace(/\u0000(\d+)\u0000/g, (_, n: string) => (codes[Number(n)] ?? '').replace(/^`{2,}\s?|\s?`{2,}$/g, '`'))
    .trim();
}

/** Line numbers rot: `a/b.go:50-52` becomes `a/b.go`, "(lines 3-9)" goes. */
export function withoutLines(text: string): string {
  return text
    .replace(/(?<=[\w/-]\.[a-z]\w{0,9}):L?\d+(?:[-–:]L?\d+)?(?:,\s?\d+(?:[-–]\d+)?)*/gi, '')
    .replace(/\s*\((?:at |on |see |around )?(?:lines?|L)\s?~?\d+(?:\s?[-–,]\s?~?\d+)*\)/gi, '')
    .replace(/\s*\(`:\d+(?:[-–]\d+)?`\)/g, '')
    .replace(/\s*\(\s*\)/g, '');
}

/** Applies the first matching cut again and again; never leaves less than three words. */
function cutFront(text: string, cuts: readonly RegExp[]): string {
  let rest = text;
  for (let turn = 0; turn < 6; turn += 1) {
    const cut = cuts.find((one) => one.test(rest));
    if (!cut) break;
    const next = rest.replace(cut, '').trim();
    if (next.split(/\s+/).length < 3 && !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]{4}/u.test(next)) break;
    rest = next;
  }
  return rest;
}

/** Outside code spans only. */
function outsideCode(text: string, change: (open: string) => string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}

/** Takes fluff out: empty openings, fillers, doubled blanks. */
export function tighten(text: string): string {
  const front = cutFront(text, OPENINGS);
  const lean = outsideCode(front, (open) =>
    FILLERS.reduce((rest, filler) => rest.replace(filler, filler.source.startsWith(',\\s*(?:however') ? ',' : ''), open),
  );
  return lean
    .replace(/\s+([,.;:!?])(?=\s|$)/g, '$1')
    .replace(/\s{2,}/g, ' ')
    .trim();
}

/** Takes politeness off an instruction: "could you please always link the PR?" becomes "always link the PR". */
export function unframe(text: string): string {
  return cutFront(
    text
      .replace(SHOULD_NOT, 'do not ')
      .replace(/^\((.*)\)$/u, '$1')
      .replace(/^(?:and |but |so |also )?as (?:always|usual)\s*[,:–-]?\s+(?=[\p{L}`])/iu, 'always '),
    FRAMES,
  )
    .replace(/(?<=\s)and that (?=\p{Ll}+ (?:should|must|are|is|do|need))/u, 'and ')
    .replace(
      /^(do not )?be (using|doing|keeping|running|writing|passing|calling)\b/i,
      (_, not: string | undefined, verb: string) => `${not ?? ''}${BASE_FORM[verb.toLowerCase()] ?? verb}`,
    );
}

/** "We should not x" forbids: with its frame cut off as any other, "not x" would be left, which forbids nothing. */
const SHOULD_NOT =
  /^(?:(?:and|but|so|also|then|ok|no|please|maybe|in general|i think|i guess)[,]?\s+)*(?:you|we|i)\s+(?:\p{L}+\s+)?(?:should|must|shall|ought)(?:\s+(?:also|really|probably|definitely|still))?(?:\s+not|\s?n['’]t)\s+(?:ever\s+)?(?:to\s+)?(?=\p{Ll})/iu;

const BASE_FORM: Record<string, string> = {
  using: 'use',
  doing: 'do',
  keeping: 'keep',
  running: 'run',
  writing: 'write',
  passing: 'pass',
  calling: 'call',
};

/** Ways to make a long statement shorter without breaking its grammar, mildest first. */
const REDUCTIONS: readonly ((text: string) => string)[] = [
  (text) =>
    outsideParens(text, (inner) =>
      /^(?:e\.g|i\.e|for example|for instance|such as|like|see|which|as |also|including|z\.B|par ex|p\.ej|例如|如)/i.test(inner),
    ),
  (text) => outsideParens(text, (inner) => !inner.includes('`')),
  (text) => outsideParens(text, () => true),
  (text) => cutTail(text, /\s[-–—]{1,2}\s(?=[^`]*(?:`[^`]*`[^`]*)*$)/u),
  (text) => cutTail(text, /;\s(?=[^`]*(?:`[^`]*`[^`]*)*$)/u),
  (text) =>
    cutTail(
      text,
      /,\s(?:which|so that|so|and (?:so|then|thus|it|this|that|there)|but (?:it|this|that)|even though|although|including|such as|for example|e\.g\.)\s(?=[^`]*(?:`[^`]*`[^`]*)*$)/u,
    ),
];

function outsideParens(text: string, drop: (inner: string) => boolean): string {
  return text.replace(/\s*\(((?:[^()`]|`[^`]*`|\([^()]*\))*)\)/g, (whole, inner: string) => (drop(inner) ? '' : whole));
}

/** Keeps what stands before the last matching joint, if that is still most of the statement. */
function cutTail(text: string, joint: RegExp): string {
  const hits = [...text.matchAll(new RegExp(joint.source, 'gu'))];
  for (const hit of hits.reverse()) {
    const head = text.slice(0, hit.index).trim();
    if (head.length <= LIMIT && head.length >= 60) return head;
  }
  return text;
}

/** What a line of context.md leaves for its statement beside dash and id: longer ones are shortened if grammar lets them. */
const ROOM = 190;

/** A statement of at most 200 characters, whole, or null when it cannot be shortened by grammar. */
export function fit(text: string): string | null {
  let rest = text;
  for (const reduce of REDUCTIONS) {
    if (rest.length <= ROOM) break;
    const shorter = reduce(rest);
    if (rest.length > LIMIT || (shorter.length <= ROOM && isWhole(shorter))) rest = shorter;
  }
  return rest.length <= LIMIT && isWhole(rest) ? rest : null;
}

/** Brackets, backticks and quotes close; the statement does not end in a joint. */
export function isWhole(text: string): boolean {
  if ((text.match(/`/g) ?? []).length % 2 === 1) return false;
  const open = text.replace(/`[^`]*`/g, 'x');
  if (count(open, /\(/g) !== count(open, /\)/g) || count(open, /\[/g) !== count(open, /\]/g)) return false;
  if (count(open, /"/g) % 2 === 1 || count(open, /“/g) !== count(open, /”/g)) return false;
  return (
    !/(?:[,:;(–—-]|(?<![\p{L}])(?:and|or|but|because|the|a|an|to|of|with|that|which|und|oder|et|ou|y|o|e|и))$/iu.test(
      open.replace(/[.!?…]+$/, '').trimEnd(),
    ) && !/(?:\.\.\.|…)$/.test(open)
  );
}

function count(text: string, sign: RegExp): number {
  return (text.match(sign) ?? []).length;
}

/** First letter upper case (unless it is code or a name with a capital inside), no full stop at the end. */
export function polish(text: string): string {
  const end = text.replace(/[.!;,。！]+$/u, '').trim();
  return /^\p{Ll}/u.test(end) && !/^\p{Ll}+\d|^[\p{Ll}\d]+[\p{Lu}_./-]|^\w+\(/u.test(end)
    ? (end[0] as string).toUpperCase() + end.slice(1)
    : end;
}

/** The verbatim words for the evidence: one line, at most 300 characters. */
export function quoteOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= 300 ? line : `${line.slice(0, 299)}…`;
}
