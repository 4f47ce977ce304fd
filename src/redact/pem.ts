import { contentOf } from './lines.js';
import type { Span } from './span.js';

const BEGIN = /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE|SECRET) KEY(?: BLOCK)? ?-{4,5}/y;
const END = /-{4,5} ?END [A-Z0-9 ]{0,40}(?:PRIVATE|SECRET) KEY(?: BLOCK)? ?-{4,5}/y;
/** Longest key block: more than a long RSA key or a PGP block with subkeys needs. */
const LONGEST = 40_000;
/** Most lines of a key without end. */
const KEY_LINES = 200;
/** A line of a key: base64, perhaps quoted, or a header of an encrypted key. */
const BODY =
  /^(?:[ \t"'`]|\\{1,4}t){0,80}(?:[A-Za-z0-9+/=]{4,100}|(?:Proc-Type|DEK-Info|Version|Comment|Charset): .{0,120})?(?:\\n|\\r)?["'`,;+ \t\\]{0,6}\r?$/;
/** A full line of base64, after any prefix. */
const FULL_LINE =
  /^.{0,120}?(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40,100}={0,2}["'`,;+ \t\\$|│]{0,6}\r?$/;

/** Whether a line is part of a key's body, without the prefix of a tool. */
function isBodyLine(line: string): boolean {
  if (line.length > 400) return false;
  return BODY.test(line) || BODY.test(contentOf(line)) || (FULL_LINE.test(line) && isMixed(line));
}

function isMixed(line: string): boolean {
  return /[A-Z]/.test(line) && /[a-z]/.test(line) && !/[A-Za-z0-9+/]{101}/.test(line);
}

/** The key block from a trigger `-----BEGIN`; without an end, all lines like its body. */
export function keyBlockAt(text: string, at: number): Span | null {
  BEGIN.lastIndex = at;
  const begin = BEGIN.exec(text);
  if (begin === null) return null;
  const bodyStart = at + begin[0].length;
  const marker = endOf(text, bodyStart);
  if (marker !== null)
    return isBody(text.slice(bodyStart, marker.start))
      ? { start: at, end: marker.end, kind: 'private-key' }
      : null;
  const last = endOfBody(text, bodyStart, KEY_LINES).end;
  return bodyLength(text.slice(bodyStart, last)) >= 16
    ? { start: at, end: last, kind: 'private-key' }
    : null;
}

/** The first `-----END …` after a place, unless another key begins before it. */
function endOf(text: string, from: number): { start: number; end: number } | null {
  const limit = Math.min(text.length, from + LONGEST);
  for (
    let at = text.indexOf('---', from);
    at >= 0 && at < limit;
    at = text.indexOf('---', at + 1)
  ) {
    END.lastIndex = at;
    const end = END.exec(text);
    if (end !== null) return { start: at, end: at + end[0].length };
    if (/-{4,5} ?BEGIN /.test(text.slice(at, at + 12))) return null;
  }
  return null;
}

/**
 * At least 16 characters, and nine of ten lines look like a key's: source code with only the two
 * markers is not masked. The last line ends before the end marker.
 */
function isBody(body: string): boolean {
  const lines = body.split(/\n|\\{1,4}n/);
  const last = lines.pop() as string;
  const full = lines.filter((line) => line.trim() !== '');
  if (last.trim() !== '' && (full.length === 0 || last.length > 120)) full.push(last);
  const good = full.filter(isBodyLine).length;
  return bodyLength(full.map(contentOf).join('')) >= 16 && good >= full.length * 0.9;
}

function bodyLength(body: string): number {
  return (body.match(/[A-Za-z0-9+/=]/g) ?? []).length;
}

/** End of lines that look like a key's body, and how many more may follow if the text ends. */
function endOfBody(text: string, from: number, lines: number): { end: number; left: number } {
  const escaped = /^[A-Za-z0-9+/=\\nr]{20,}/.exec(text.slice(from, from + LONGEST));
  if (escaped !== null && escaped[0].includes('\\n'))
    return { end: from + escaped[0].length, left: 0 };
  let at = from;
  let end = from;
  for (let left = lines; left > 0; left--) {
    const stop = text.indexOf('\n', at);
    const line = text.slice(
      at,
      stop < 0 ? Math.min(text.length, at + 400) : Math.min(stop, at + 400),
    );
    if (!isBodyLine(line)) return { end, left: 0 };
    end = stop < 0 ? text.length : stop;
    if (stop < 0) return { end, left: left - 1 };
    at = stop + 1;
  }
  return { end, left: 0 };
}

/** The body before a trigger `-----END` of a key that began in an earlier text. */
export function keyTailAt(text: string, at: number): Span | null {
  END.lastIndex = at;
  const end = END.exec(text);
  if (end === null || text.slice(Math.max(0, at - LONGEST), at).includes('PRIVATE KEY'))
    return null;
  const ending = text.lastIndexOf('\n', at - 1) + 1;
  let start = at - ending <= 120 ? ending : at;
  for (let lines = 0; lines < KEY_LINES && start > 0; lines++) {
    const before = text.lastIndexOf('\n', start - 2) + 1;
    if (start - before > 400 || !isBodyLine(text.slice(before, start).replace(/\n$/, ''))) break;
    start = before;
  }
  return bodyLength(text.slice(start, at)) >= 16
    ? { start, end: at + end[0].length, kind: 'private-key' }
    : null;
}

/**
 * How many lines of a private key may still follow in the next texts; above 0 if the text ends
 * inside a key.
 * @param open the number after the previous text
 */
export function keyLinesLeft(text: string, open: number): number {
  let begin = -1;
  for (
    let at = text.lastIndexOf('BEGIN ');
    at >= 0 && begin < 0;
    at = at > 0 ? text.lastIndexOf('BEGIN ', at - 1) : -1
  ) {
    for (const dashes of [6, 5, 4]) {
      BEGIN.lastIndex = Math.max(0, at - dashes);
      if (begin < 0 && BEGIN.test(text)) begin = BEGIN.lastIndex;
    }
  }
  if (begin >= 0) return endOf(text, begin) === null ? endOfBody(text, begin, KEY_LINES).left : 0;
  if (open === 0 || endOf(text, 0) !== null) return 0;
  return isContinued(text)
    ? endOfBody(text, 0, open).left
    : Math.max(0, open - text.split('\n').length);
}

/** Whether the first line is a full line of a key; a short word may be anything. */
function isContinued(text: string): boolean {
  const line = text.slice(0, 400).trimStart().split('\n')[0] ?? '';
  return isBodyLine(line) && /[A-Za-z0-9+/=]{40}/.test(line) && isMixed(line);
}

/** The start of a text that continues a key from an earlier text. */
export function keyContinuation(text: string, open: number): Span | null {
  if (open === 0) return null;
  const marker = endOf(text, 0);
  if (marker !== null)
    return isBody(text.slice(0, marker.start))
      ? { start: 0, end: marker.end, kind: 'private-key' }
      : null;
  const end = isContinued(text) ? endOfBody(text, 0, open).end : 0;
  return end > 0 && isBody(`${text.slice(0, end)}\n`)
    ? { start: 0, end, kind: 'private-key' }
    : null;
}
