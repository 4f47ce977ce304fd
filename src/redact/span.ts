/** A stretch of text that must not be stored, and what it is. Ends are exclusive. */
export interface Span {
  start: number;
  end: number;
  kind: string;
}

/** Joins overlapping spans; the one that starts first (of those, the longer) names the kind. */
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

/** The text with each span (sorted, disjoint) replaced. */
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

// Long unbroken runs of base64 characters: where encoded secrets and embedded files hide.

/** Shortest run that is decoded: `user:password` in base64 has about this length. */
const SHORTEST = 24;

const members = new Uint8Array(0x10000);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-')
  members[char.charCodeAt(0)] = 1;

/**
 * Starts and ends, in turn, of every run of at least SHORTEST characters of `[A-Za-z0-9+/_-]`. It
 * looks at every 24th character and walks back, which is faster than a scan.
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
