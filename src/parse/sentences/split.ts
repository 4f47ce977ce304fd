import { isNegated } from '../../text/words.js';

const FENCE = /^\s{0,8}(```|~~~)/;
const LIST = /^\s{0,12}(?:[-*+•‣◦–]|\(?\d{1,2}[.)]|\(?[a-z][.)]|[①-⑳])\s+(?=\S)/;
const TABLE = /^\s*\||^\s*[-=+|:]{3,}\s*$|[│┌┐└┘├┤┬┴┼─═║▼▲►◄█]/u;
const QUOTED = /^\s*>\s?/;
const HEADING = /^\s{0,3}#{1,6}\s|^\s*\*\*[^*]{3,80}\*\*:?\s*$/;
const ABBREVIATION =
  /(?:^|[\s(])(?:e\.?g|i\.?e|etc|vs|cf|approx|resp|incl|excl|esp|dr|mr|mrs|ms|no|nr|fig|sec|ch|pp?|al|st|inc|ltd|co|ca|bzw|usw|evtl|ggf|inkl|vgl|sog|z\.?\s?b|d\.?\s?h|u\.?\s?a|p\.?\s?ex|p\.?\s?ej|ej|c\.?-à-d|т\.?\s?д|т\.?\s?е|т\.?\s?п|напр)\.$/iu;
const WIDE_STOP = /[。！？]/u;

/** Of longer texts only so many characters are read. */
const MOST_READ = 60_000;

/**
 * Lines of markdown that are neither code, table, quotation nor rule, gathered into paragraphs and
 * list items.
 */
function gatherBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: string | null = null;
  let fenced = false;
  let before = '';
  const close = (): void => {
    if (open !== null) blocks.push(open);
    open = null;
  };
  text.split(/\r?\n/).forEach((raw) => {
    if (FENCE.test(raw)) {
      fenced = !fenced;
      return close();
    }
    if (fenced) return;
    if (raw.trim() === '' || TABLE.test(raw) || QUOTED.test(raw)) {
      before = '';
      return close();
    }
    if (HEADING.test(raw)) return close();
    const mark = LIST.exec(raw);
    const words = raw.slice(mark?.[0].length ?? 0).trim();
    if (mark || open === null || !continues(before, words)) {
      close();
      open = words;
    } else open += ` ${words}`;
    before = words;
  });
  close();
  return blocks;
}

/** A hard-wrapped line goes on; a line of its own does not. */
function continues(before: string, words: string): boolean {
  if (before === '' || /[.!?:;。！？：]["')\]*_`]*$/u.test(before))
    return before.length > 60 && !/[:：]$/.test(before);
  return (
    before.length >= 50 ||
    (/^[a-zäöüß(,]/u.test(words) && before.length > 30) ||
    /[,(–—]$/u.test(before)
  );
}

/** Signs around a full stop that tell whether it ends a sentence. */
const NEAR = 40;

/** Offsets at which sentences of a block end; code spans, links and quotations stay whole. */
function cutPoints(text: string): number[] {
  const cuts: number[] = [];
  let code = false;
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i] as string;
    if (sign === '`') code = !code && text.indexOf('`', i + 1) > 0;
    if (code) continue;
    if (WIDE_STOP.test(sign)) {
      let end = i + 1;
      while (end < text.length && /[”」』）)]/u.test(text[end] as string)) end += 1;
      cuts.push(end);
      i = end - 1;
      continue;
    }
    if (!/[.!?]/.test(sign)) continue;
    const tail = /^[.!?]+["'”’)\]*_]*(?=\s)/u.exec(text.slice(i, i + NEAR));
    if (!tail) continue;
    const end = i + tail[0].length;
    const rest = text.slice(end, end + NEAR).trimStart();
    const upTo = text.slice(Math.max(0, i - NEAR), i + 1);
    if (
      sign === '.' &&
      (ABBREVIATION.test(upTo) ||
        /(?:^|\s)(?:\p{L}|\d{1,2})\.$/u.test(upTo) ||
        /\.\.\.$/.test(text.slice(Math.max(0, end - 3), end)))
    )
      continue;
    if (
      /^[\p{Lu}\p{Lo}`"'“„«([*_0-9@/~.-]/u.test(rest) ||
      (/^(?:\p{Ll}{2,}|i\s)/u.test(rest) &&
        /\p{L}{2,}[.!?]+["')*]*$/u.test(text.slice(Math.max(0, end - NEAR), end)))
    )
      cuts.push(end);
    i = end - 1;
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
    if (before !== undefined && isOtherHalf(part, before))
      parts[parts.length - 1] = `${before} ${part}`;
    else if (part !== '') parts.push(part);
    from = cut;
  }
  return parts;
}

/**
 * "Never edit a. Change b instead." is one statement: its second half says nothing without the
 * first.
 */
function isOtherHalf(part: string, before: string): boolean {
  return (
    /(?<![\p{L}])instead[.!]?$/iu.test(part) &&
    !/(?<![\p{L}])instead of(?![\p{L}])/iu.test(part) &&
    isNegated(before) &&
    part.length + before.length < 180
  );
}

/**
 * Sentences of a markdown or plain text in reading order; code fences, tables, headings and
 * quotations are left out.
 */
export function splitSentences(text: string): string[] {
  return gatherBlocks(text.slice(0, MOST_READ).replace(/<!--[\s\S]{0,1000}?-->/g, '')).flatMap(
    splitParagraph,
  );
}
