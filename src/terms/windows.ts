/**
 * Cuts a text into the windows that get a vector each; an entry is as near to a query as its
 * nearest window.
 */

/**
 * Measured: windows of about 250 characters of prose rank better than whole entries or
 * 1,200-character chunks.
 */
const WINDOW = 250;

/** A break is looked for in the last part of the window: paragraph, line, sentence, then word. */
const BREAKS = [/\n\s*\n/g, /\n/g, /[.!?。！？]\s+/g, /\s+/g];

interface Window {
  /** Index in the text, in UTF-16 units. */
  start: number;
  text: string;
}

function lastBreak(text: string, from: number, to: number): number {
  const part = text.slice(from, to);
  for (const pattern of BREAKS) {
    let end = -1;
    for (const match of part.matchAll(pattern)) end = match.index + match[0].length;
    if (end > 0) return from + end;
  }
  return to;
}

/**
 * @param limit most windows to give back; a very long text keeps its first ones
 * @returns windows in order, trimmed, none empty, each at most 250 characters
 */
export function windowsOf(text: string, limit = 40): Window[] {
  const windows: Window[] = [];
  let at = 0;
  while (at < text.length && windows.length < limit) {
    const end =
      at + WINDOW >= text.length ? text.length : lastBreak(text, at + (WINDOW >> 1), at + WINDOW);
    const piece = text.slice(at, end);
    const trimmed = piece.trim();
    if (trimmed !== '') windows.push({ start: at + piece.indexOf(trimmed), text: trimmed });
    at = end;
  }
  return windows;
}
