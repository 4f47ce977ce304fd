/** A part of a text that must not be stored, and its kind. The end is exclusive. */
export interface Span {
  start: number;
  end: number;
  kind: string;
}

/** Joins overlapping spans. The kind is that of the first span, or of the longer one. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort(
    (a, b) => a.start - b.start || b.end - a.end || (a.kind < b.kind ? -1 : 1),
  );
  const merged: Span[] = [];
  for (const span of sorted) {
    const last = merged[merged.length - 1];
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

/** The text with each span replaced; spans are sorted and do not overlap. */
export function replaceSpans(
  text: string,
  spans: readonly Span[],
  replacement: (span: Span) => string,
): string {
  const parts: string[] = [];
  let at = 0;
  for (const span of spans) {
    parts.push(text.slice(at, span.start), replacement(span));
    at = span.end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}

// Long runs of base64 characters without blanks can contain encoded secrets and embedded files.

/** Shortest decoded run: about the length of `user:password` in base64. */
const SHORTEST = 24;

const members = new Uint8Array(0x10000);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-')
  members[char.charCodeAt(0)] = 1;

/**
 * Starts and ends, in turn, of every run of at least SHORTEST characters of `[A-Za-z0-9+/_-]`.
 * Looks at every 24th character and goes back from there, which is faster than a scan.
 */
export function longRuns(text: string): number[] {
  const runs: number[] = [];
  let start = 0;
  while (start + SHORTEST <= text.length) {
    let at = start + SHORTEST - 1;
    while (at >= start && members[text.charCodeAt(at)] === 1) at--;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    let end = start + SHORTEST;
    while (end < text.length && members[text.charCodeAt(end)] === 1) end++;
    runs.push(start, end);
    start = end + 1;
  }
  return runs;
}
