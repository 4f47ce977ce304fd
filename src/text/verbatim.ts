import { withoutSpans } from './code.js';

/** A text on one line: only white space changes, because nothing rewords the person or an agent. */
export function verbatim(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** A statement on one line; null if it is too long or cut off. */
export function lineOf(text: string, most: number): string | null {
  const line = verbatim(text);
  return line.length <= most && isWhole(line) ? line : null;
}

/** Whether brackets, backticks and quotes close, and no comma, colon or dash is at the end. */
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

/** A text of at most so many characters; dots mark a cut. */
export function clipped(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/u, '')}…`;
}

/** The exact words for evidence: one line, at most 300 characters. */
export function quoteOf(text: string): string {
  return clipped(verbatim(text), 300);
}
