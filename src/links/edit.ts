/**
 * Puts our line into the bytes of a file that is not ours, and takes it out again. Pure: `withoutLine(withLine(bytes)) = bytes` for all
 * bytes, since the way in which the line is joined to the end tells how the file ended before:
 *
 *     no file         ->  LINE\n        the file goes when nothing else is left
 *     empty file      ->  LINE          the file stays, empty
 *     …\n             ->  …\nLINE\n
 *     … (no newline)  ->  …\nLINE
 */
import { isOurs, MARK } from './line.js';

/** One character a byte: whatever encoding the file has comes out as it went in. */
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

interface Found {
  start: number;
  /** Behind the line, before its end. */
  end: number;
  line: string;
}

const linesOf = (text: string): Found[] => {
  const out: Found[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const stop = newline < 0 ? text.length : newline;
    const end = newline > start && text[newline - 1] === '\r' ? newline - 1 : stop;
    out.push({ start, end, line: text.slice(start, end) });
    start = stop + 1;
  }
  return out;
};

const ourLines = (text: string): Found[] => linesOf(text).filter(({ line }) => isOurs(line));

/** The line of ours that a file holds, or null. */
export const lineIn = (bytes: Uint8Array | null): string | null => {
  const found = bytes === null ? undefined : ourLines(textOf(bytes))[0];
  return found === undefined ? null : bytesOf(found.line).toString('utf8');
};

/**
 * @param before null when there is no file
 * @param head opening of a file that is made anew
 * @returns the same bytes when the line is there, with our mark or written by hand; an older line of ours is replaced where it stands
 */
export const withLine = (before: Uint8Array | null, line: string, head = ''): Buffer => {
  if (before === null) return Buffer.from(`${head}${line}\n`, 'utf8');
  const text = textOf(before);
  const added = Buffer.from(line, 'utf8').toString('latin1');
  const byHand = added.slice(0, -MARK.length).trimEnd();
  const old = ourLines(text)[0];
  if (old) return bytesOf(text.slice(0, old.start) + added + text.slice(old.end));
  if (linesOf(text).some((each) => each.line.trim() === byHand)) return Buffer.from(before);
  if (text === '') return bytesOf(added);
  const newline = newlineOf(text);
  return bytesOf(text.endsWith('\n') ? text + added + newline : text + newline + added);
};

/** A lone carriage return at the end would melt with a bare newline into one ending. */
const newlineOf = (text: string): string => {
  const all = text.split('\n').length - 1;
  const windows = text.split('\r\n').length - 1;
  return windows * 2 > all || text.endsWith('\r') ? '\r\n' : '\n';
};

/** @returns null when the file was made by us and holds nothing else */
export const withoutLine = (before: Uint8Array, head = ''): Buffer | null => {
  let text = textOf(before);
  const wasEnded = text.endsWith('\n');
  const found = ourLines(text);
  if (found.length === 0) return Buffer.from(before);
  for (const { start, end } of found.reverse()) {
    const after = text.slice(end).replace(/^\r?\n/, '');
    const isLast = end === text.length;
    text = (isLast ? text.slice(0, start).replace(/\r?\n$/, '') : text.slice(0, start)) + after;
  }
  return wasEnded && text === Buffer.from(head, 'utf8').toString('latin1') ? null : bytesOf(text);
};
