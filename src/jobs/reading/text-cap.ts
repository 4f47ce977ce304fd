/** Longest text of a tool result; a longer one loses its middle. */
export const TEXT_CAP = 256 * 1024;
const REACH = 8192;

/**
 * Keeps head and tail of a text that is too long, cut at line ends or blanks so that no token is
 * divided, with a mark for the missing bytes (UTF-8).
 * @param reduce removes embedded files and private parts first, because half of one could not be
 * recognised
 */
export function capText(text: string, reduce: (text: string) => string): string {
  if (text.length <= TEXT_CAP) return text;
  const plain = reduce(text);
  return plain.length <= TEXT_CAP ? plain : cutMiddle(plain, TEXT_CAP);
}

/**
 * Longest text in the database, in bytes (UTF-8). The engine loads thousands of neighbouring texts
 * together, so this limits its memory.
 */
export const STORED_BYTES = 64 * 1024;

/** The text for the database. Ids, hashes and terms come from the whole text. */
export function storedText(text: string): string {
  if (text.length * 3 <= STORED_BYTES) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= STORED_BYTES) return text;
  // Leaves space for the mark, and for characters that are longer than average.
  const cut = cutMiddle(text, Math.floor(((STORED_BYTES - MARK_BYTES) / bytes) * text.length));
  return Buffer.byteLength(cut) <= STORED_BYTES
    ? cut
    : cutMiddle(text, Math.floor((STORED_BYTES - MARK_BYTES) / 3));
}

const MARK_BYTES = 64;

function cutMiddle(text: string, kept: number): string {
  const head = cutBefore(text, Math.floor(kept / 2));
  const tail = cutAfter(text, text.length - Math.floor(kept / 2));
  const middle = text.slice(head, tail);
  // Adds the bytes that an earlier cut left out.
  const earlier = /\n\[… (\d+) bytes left out …\]\n/.exec(middle);
  const missing =
    Buffer.byteLength(middle) +
    (earlier === null ? 0 : Number(earlier[1]) - Buffer.byteLength(earlier[0]));
  return `${text.slice(0, head)}\n[… ${missing} bytes left out …]\n${text.slice(tail)}`;
}

function cutBefore(text: string, at: number): number {
  const part = text.slice(Math.max(0, at - REACH), at);
  const line = part.lastIndexOf('\n');
  const cut = line >= 0 ? line : part.lastIndexOf(' ');
  return cut < 0 ? at : Math.max(0, at - REACH) + cut;
}

function cutAfter(text: string, at: number): number {
  const part = text.slice(at, at + REACH);
  const line = part.indexOf('\n');
  const cut = line >= 0 ? line : part.indexOf(' ');
  return cut < 0 ? at : at + cut + 1;
}
