import { linesOf } from '../text/fields.js';

/** Limit on the path and changed lines of a stored edit. */
const EDIT_BYTES = 4096;

/**
 * Cuts a text at a line end so that it fits into `bytes` of UTF-8; cuts a long first line at a
 * character.
 */
export function cutLines(text: string, bytes: number = EDIT_BYTES): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  let end = Math.min(text.length, bytes);
  while (Buffer.byteLength(text.slice(0, end)) > bytes) end = Math.floor(end * 0.9);
  const newline = text.lastIndexOf('\n', end);
  if (newline > 0) return text.slice(0, newline);
  const last = text.charCodeAt(end - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? end - 1 : end);
}

/**
 * The changes between two texts: removed lines with `-`, added ones with `+`, without the equal
 * head and tail.
 */
export function changedLines(before: string, after: string): string[] {
  const old = before === '' ? [] : linesOf(before);
  const now = after === '' ? [] : linesOf(after);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail++;
  return [
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
  ];
}

/** Path and changed lines of an edit, within the byte limit. */
export function renderEdit(path: string | null, lines: string[]): string {
  return cutLines([path ?? '', ...lines].join('\n').trim());
}
