import { isPlaceholder } from './placeholder.js';
import type { Prefix } from './prefixes.js';
import type { Span } from './span.js';

/** The secret that `rule` finds at a trigger, or null. */
export function prefixedAt(
  text: string,
  trigger: number,
  { kind, pattern, back = 0 }: Prefix,
): Span | null {
  for (let start = Math.max(0, trigger - back); start <= trigger; start++) {
    if (!isWordStart(text, start)) continue;
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    if (match === null) continue;
    const end = withoutTail(text, start, start + match[0].length, pattern);
    if (end <= trigger || isMarked(text.slice(start, end))) continue;
    return { start, end, kind };
  }
  return null;
}

/** Only marks of documented examples count here; a real token may contain a word like "test". */
function isMarked(token: string): boolean {
  return (
    /EXAMPLE|example|x{6,}|X{6,}|\.\.\.|(.)\1{11}|placeholder|your[_-]|YOUR[_-]/.test(token) ||
    (token.length < 60 &&
      isPlaceholder(token.replace(/^(?:[A-Za-z0-9]{2,12}[-_.]|\$[\w-]{1,10}\$)/, '')))
  );
}

/**
 * A full stop or dash that ends the sentence is not part of the token, unless the token needs it: a
 * hash may end with one.
 */
function withoutTail(text: string, start: number, end: number, pattern: RegExp): number {
  let last = end;
  while (last > start + 8 && /[.,_-]/.test(text[last - 1] as string)) last--;
  if (last === end) return end;
  pattern.lastIndex = 0;
  return pattern.test(text.slice(start, last)) ? last : end;
}

/**
 * Whether a letter or digit has none directly before it; the n of an escaped line end (`\nghp_…`)
 * does not count.
 */
function isWordStart(text: string, at: number): boolean {
  if (at === 0 || !isAlphanumeric(text.charCodeAt(at - 1)) || !isAlphanumeric(text.charCodeAt(at)))
    return true;
  return at > 1 && text.charCodeAt(at - 2) === 92 && 'nrtbf'.includes(text[at - 1] as string);
}

export function isAlphanumeric(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 57) ||
    (unit > 191 && unit < 0x2000)
  );
}

/**
 * Ends of runs of `[A-Za-z0-9_-]`; remembers the last run, so that many triggers in one run cost
 * nothing.
 */
export class Runs {
  private from = -1;
  private to = -1;

  constructor(private readonly text: string) {}

  endFrom(at: number): number {
    if (at >= this.from && at < this.to) return this.to;
    let end = at;
    while (end < this.text.length && isTokenUnit(this.text.charCodeAt(end))) end++;
    this.from = at;
    this.to = end;
    return end;
  }
}

function isTokenUnit(unit: number): boolean {
  return (
    (unit >= 97 && unit <= 122) ||
    (unit >= 65 && unit <= 90) ||
    (unit >= 48 && unit <= 57) ||
    unit === 95 ||
    unit === 45
  );
}

/**
 * A JSON web token: `eyJ…` and two to four further parts (signed or encrypted), or at least the
 * payload.
 */
export function jwtAt(text: string, start: number, runs: Runs): Span | null {
  if (!text.startsWith('eyJ', start) || !isWordStart(text, start)) return null;
  let end = runs.endFrom(start);
  if (end - start < 12 || end - start > 8000) return null;
  let parts = 1;
  let payload = false;
  while (parts < 5 && text.charCodeAt(end) === 46) {
    const next = endOf(text, end + 1);
    if (next - end < 5) break;
    payload ||= text.startsWith('eyJ', end + 1);
    end = next;
    parts++;
  }
  return parts >= 3 || (parts === 2 && payload) ? { start, end, kind: 'jwt' } : null;
}

function endOf(text: string, from: number): number {
  const limit = Math.min(text.length, from + 64_000);
  let end = from;
  while (end < limit && isTokenUnit(text.charCodeAt(end))) end++;
  return end;
}
