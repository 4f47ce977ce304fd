/** Base64 that hides text. */

/** Plain text behind a run of base64 characters, or null when it decodes to bytes that are no text. */
export function decodeBase64(text: string, runStart: number, end: number): string | null {
  // The sign of a diff line or a slash before it is no part of it: text never starts with the bits of either.
  const start = /[+/-]/.test(text[runStart] ?? '') ? runStart + 1 : runStart;
  const begin = text.slice(start, start + 16);
  if (!/[A-Z]/.test(begin) || !/[a-z0-9]/.test(begin) || /^[a-z]*[A-Z]?[a-z]*$/.test(begin)) return null;
  const head = Buffer.from(begin, 'base64');
  if (isWide(head)) return Buffer.from(text.slice(start, end), 'base64').toString('utf16le');
  for (const byte of head) if (!isPrintable(byte)) return null;
  const bytes = Buffer.from(text.slice(start, end), 'base64');
  let odd = 0;
  for (const byte of bytes) if (!isPrintable(byte)) odd++;
  return odd * 20 > bytes.length ? null : bytes.toString('utf8');
}

const isPrintable = (byte: number): boolean =>
  (byte >= 32 && byte < 127) || byte === 10 || byte === 13 || byte === 9 || byte >= 0xc2;

/** UTF-16, as PowerShell encodes its commands. */
function isWide(head: Buffer): boolean {
  return head.length >= 8 && head[1] === 0 && head[3] === 0 && head[5] === 0 && head[7] === 0 && isPrintable(head[0] as number);
}
