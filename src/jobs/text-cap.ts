/** Longest text of a tool result; the middle of a longer one is left out. */
export const TEXT_CAP = 256 * 1024;
const REACH = 8192;

/**
 * Head and tail of a text over 256 KiB, cut at line ends or blanks so that no token is cut in two, with a mark that says how many
 * bytes (UTF-8) are missing.
 * @param reduce takes embedded files and private parts out first: half of one could not be recognised
 */
export const capText = (text: string, reduce: (text: string) => string): string => {
  if (text.length <= TEXT_CAP) return text;
  const plain = reduce(text);
  if (plain.length <= TEXT_CAP) return plain;
  const head = cutBefore(plain, TEXT_CAP / 2);
  const tail = cutAfter(plain, plain.length - TEXT_CAP / 2);
  return `${plain.slice(0, head)}\n[… ${Buffer.byteLength(plain.slice(head, tail))} bytes left out …]\n${plain.slice(tail)}`;
};

const cutBefore = (text: string, at: number): number => {
  const part = text.slice(at - REACH, at);
  const line = part.lastIndexOf('\n');
  const cut = line >= 0 ? line : part.lastIndexOf(' ');
  return cut < 0 ? at : at - REACH + cut;
};

const cutAfter = (text: string, at: number): number => {
  const part = text.slice(at, at + REACH);
  const line = part.indexOf('\n');
  const cut = line >= 0 ? line : part.indexOf(' ');
  return cut < 0 ? at : at + cut + 1;
};
