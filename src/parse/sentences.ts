/** Sentences of markdown. Pure. */
import { isNegated } from '../text/words.js';
import { inFence } from '../text/code.js';

const LIST = /^\s{0,12}(?:[-*+•‣◦–]|\(?\d{1,2}[.)]|\(?[a-z][.)]|[①-⑳])\s+(?=\S)/;
const TABLE = /^\s*\||^\s*[-=+|:]{3,}\s*$|[│┌┐└┘├┤┬┴┼─═║▼▲►◄█]/u;
const QUOTED = /^\s*>\s?/;
const HEADING = /^\s{0,3}#{1,6}\s|^\s*\*\*[^*]{3,80}\*\*:?\s*$/;
const ABBREVIATION =
  /(?:^|[\s(])(?:e\.?g|i\.?e|etc|vs|cf|approx|resp|incl|excl|esp|dr|mr|mrs|ms|no|nr|fig|sec|ch|pp?|al|st|inc|ltd|co|ca|bzw|usw|z\.?\s?b|d\.?\s?h|p\.?\s?ex)\.$/iu;

/** Longer texts are read only up to here. */
const MOST_READ = 60_000;

/**
 * Joins lines of markdown into paragraphs and list items, without code, tables, quotations and
 * rules.
 */
function gatherBlocks(text: string): string[] {
  const blocks: string[] = [];
  let isOpen = false;
  let before = '';
  const lines = text.split(/\r?\n/);
  const fenced = inFence(lines);
  for (const [at, raw] of lines.entries()) {
    const isGap = raw.trim() === '' || TABLE.test(raw) || QUOTED.test(raw);
    if (fenced[at] || isGap || HEADING.test(raw)) {
      if (isGap && !fenced[at]) before = '';
      isOpen = false;
      continue;
    }
    const mark = LIST.exec(raw)?.[0] ?? '';
    const words = raw.slice(mark.length).trim();
    if (mark !== '' || !isOpen || !continues(before, words)) blocks.push(words);
    else blocks[blocks.length - 1] += ` ${words}`;
    isOpen = true;
    before = words;
  }
  return blocks;
}

/** Whether a line continues the one before, as after a hard wrap. */
function continues(before: string, words: string): boolean {
  if (before === '' || /[.!?:;。！？：]["')\]*_`]*$/u.test(before))
    return before.length > 60 && !/[:：]$/.test(before);
  return (
    before.length >= 50 ||
    (/^[a-zäöüß(,]/u.test(words) && before.length > 30) ||
    /[,(–—]$/u.test(before)
  );
}

/** Characters around a full stop that show whether a sentence ends there. */
const NEAR = 40;

/** Whether the punctuation from `at` to `end` ends a sentence. */
function endsSentence(text: string, at: number, end: number): boolean {
  const rest = text.slice(end, end + NEAR).trimStart();
  const upTo = text.slice(Math.max(0, at - NEAR), at + 1);
  const tail = text.slice(Math.max(0, end - NEAR), end);
  const isShortened =
    ABBREVIATION.test(upTo) || /(?:^|\s)(?:\p{L}|\d{1,2})\.$/u.test(upTo) || tail.endsWith('...');
  if (text[at] === '.' && isShortened) return false;
  return (
    /^[\p{Lu}\p{Lo}`"'“„«([*_0-9@/~.-]/u.test(rest) ||
    (/^(?:\p{Ll}{2,}|i\s)/u.test(rest) && /\p{L}{2,}[.!?]+["')*]*$/u.test(tail))
  );
}

/** Offsets at which sentences of a block end; code spans stay whole. */
function cutPoints(text: string): number[] {
  const cuts: number[] = [];
  const ENDS = /`[^`]*`|[。！？][”」』）)]*|[.!?]+["'”’)\]*_]*(?=\s)/gu;
  for (const { 0: signs, index } of text.matchAll(ENDS)) {
    const end = index + signs.length;
    if (signs.startsWith('`')) continue;
    if (/^[。！？]/u.test(signs) || endsSentence(text, index, end)) cuts.push(end);
  }
  return cuts;
}

/** Sentences of one paragraph. */
function splitParagraph(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const cut of [...cutPoints(text), text.length]) {
    const part = text.slice(from, cut).trim();
    const before = parts.at(-1);
    if (before !== undefined && isOtherHalf(part, before)) parts.splice(-1, 1, `${before} ${part}`);
    else if (part !== '') parts.push(part);
    from = cut;
  }
  return parts;
}

/** "Never edit a. Change b instead." is one statement, since the second half needs the first. */
function isOtherHalf(part: string, before: string): boolean {
  const isInstead =
    /(?<!\p{L})instead[.!]?$/iu.test(part) && !/(?<!\p{L})instead of(?!\p{L})/iu.test(part);
  return isInstead && isNegated(before) && part.length + before.length < 180;
}

/**
 * Sentences of a markdown or plain text in order, without code fences, tables, headings and
 * quotations.
 */
export function splitSentences(text: string): string[] {
  const read = text.slice(0, MOST_READ).replace(/<!--[\s\S]{0,1000}?-->/g, '');
  return gatherBlocks(read).flatMap(splitParagraph);
}
