import { isPlaceholder } from './placeholder.js';
import type { Prefix } from './prefixes.js';
import type { Span } from './span.js';

export function prefixedAt(
  text: string,
  trigger: number,
  { kind, pattern, back }: Prefix,
): Span | null {
  for (let start = Math.max(0, trigger - back); start <= trigger; start++) {
    if (!isWordStart(text, start)) continue;
    pattern.lastIndex = start;
    const match = pattern.exec(text);
    if (match === null) continue;
    const end = withoutTail(text, start, start + match[0].length, pattern);
    if (end > trigger && !isMarked(text.slice(start, end))) return { start, end, kind };
  }
  return null;
}

/** Accepts only marks of documented examples, since a real token may contain a word like "test". */
function isMarked(token: string): boolean {
  return (
    /EXAMPLE|example|x{6,}|X{6,}|\.\.\.|(.)\1{11}|placeholder|your[_-]|YOUR[_-]/.test(token) ||
    (token.length < 60 &&
      isPlaceholder(token.replace(/^(?:[A-Za-z0-9]{2,12}[-_.]|\$[\w-]{1,10}\$)/, '')))
  );
}

/**
 * End of a token without the full stop or dash that ends the sentence. The sign stays if the
 * pattern needs it: a hash may end with one.
 */
function withoutTail(text: string, start: number, end: number, pattern: RegExp): number {
  let last = end;
  while (last > start + 8 && /[.,_-]/.test(text[last - 1]!)) last--;
  if (last === end) return end;
  pattern.lastIndex = 0;
  return pattern.test(text.slice(start, last)) ? last : end;
}

/** Whether no letter or digit is before the place, except in an escaped line end (`\nghp_…`). */
function isWordStart(text: string, at: number): boolean {
  if (at === 0 || !isAlphanumeric(text.charCodeAt(at - 1)) || !isAlphanumeric(text.charCodeAt(at)))
    return true;
  return text[at - 2] === '\\' && 'nrtbf'.includes(text[at - 1]!);
}

/** 1 for ASCII letters and digits, 2 for `_` and `-`. */
const units = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')
  units[char.charCodeAt(0)] = 1;
units[45] = units[95] = 2;

export function isAlphanumeric(unit: number): boolean {
  return units[unit] === 1 || (unit > 191 && unit < 0x2000);
}

/** End of the run of `[A-Za-z0-9_-]` that begins at `from`, after at most `most` characters. */
function endOfRun(text: string, from: number, most: number): number {
  const limit = Math.min(text.length, from + most);
  let end = from;
  while (end < limit && (units[text.charCodeAt(end)] ?? 0) > 0) end++;
  return end;
}

/**
 * A JSON web token: `eyJ…` and two to four further parts (signed or encrypted), or at least the
 * payload.
 * @param run the last measured run, so that many triggers in one run need no new measurement
 */
export function jwtAt(text: string, start: number, run: { from: number; to: number }): Span | null {
  if (!text.startsWith('eyJ', start) || !isWordStart(text, start)) return null;
  if (start < run.from || start >= run.to)
    Object.assign(run, { from: start, to: endOfRun(text, start, text.length) });
  let end = run.to;
  if (end - start < 12 || end - start > 8000) return null;
  let parts = 1;
  let hasPayload = false;
  for (; parts < 5 && text[end] === '.'; parts++) {
    const next = endOfRun(text, end + 1, 64_000);
    if (next - end < 5) break;
    hasPayload ||= text.startsWith('eyJ', end + 1);
    end = next;
  }
  return parts >= 3 || (parts === 2 && hasPayload) ? { start, end, kind: 'jwt' } : null;
}
