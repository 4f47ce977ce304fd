/** A stretch of text that must not be stored, and what it is. Ends are exclusive. */
export interface Span {
  start: number;
  end: number;
  kind: string;
}

/** Joins overlapping spans; the one that starts first (of those, the longer) names the kind. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end || (a.kind < b.kind ? -1 : 1));
  const merged: Span[] = [];
  for (const span of sorted) {
    const last = merged[merged.length - 1];
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

/** The text with each span (sorted, disjoint) replaced. */
export function replaceSpans(text: string, spans: readonly Span[], replacement: (span: Span) => string): string {
  const parts: string[] = [];
  let at = 0;
  for (const span of spans) {
    parts.push(text.slice(at, span.start), replacement(span));
    at = span.end;
  }
  parts.push(text.slice(at));
  return parts.join('');
}
