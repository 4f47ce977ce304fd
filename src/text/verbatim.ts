import { withoutSpans } from './code.js';

/**
 * A text as it was written, on one line: only white space changes. No rule rewords what a person or
 * an agent said.
 */
export function verbatim(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * A statement as it was written, or null: what is too long for a line, or cut off in the middle, is
 * not a line.
 */
export function lineOf(text: string, most: number): string | null {
  const line = verbatim(text);
  return line.length <= most && isWhole(line) ? line : null;
}

/** Brackets, backticks and quotes close; the statement does not end in a joint. */
function isWhole(text: string): boolean {
  if (count(text, /`/g) % 2 === 1) return false;
  const open = withoutSpans(text, () => 'x');
  if (count(open, /\(/g) !== count(open, /\)/g) || count(open, /\[/g) !== count(open, /\]/g))
    return false;
  if (count(open, /"/g) % 2 === 1 || count(open, /“/g) !== count(open, /”/g)) return false;
  return !/(?:[,:;(–—-]|\.\.\.|…)$/u.test(open.trimEnd());
}

function count(text: string, sign: RegExp): number {
  return (text.match(sign) ?? []).length;
}

/** A text of at most so many characters; dots say that there was more. */
export function clipped(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/u, '')}…`;
}

/** The verbatim words for the evidence: one line, at most 300 characters. */
export function quoteOf(text: string): string {
  return clipped(verbatim(text), 300);
}
