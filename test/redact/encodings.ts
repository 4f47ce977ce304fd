/** How a made-up secret stands in a text. */
import type { Kind } from './made-up.js';

export function textOf(kind: Kind, secret: string): string {
  return kind.place ? kind.place(secret) : `I used ${secret} for it`;
}

/** Ways in which a text may be written down; what must not survive is written the same way. */
export const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'JSON string': (text) => JSON.stringify(text),
  'JSON twice': (text) => JSON.stringify(JSON.stringify(text)),
  'unicode escapes': (text) =>
    [...text]
      .map((char) => (/[a-zA-Z0-9]/.test(char) ? `\\u00${char.charCodeAt(0).toString(16)}` : char))
      .join(''),
  'URL-encoded': (text) => encodeURIComponent(text),
  'URL-encoded letters': (text) =>
    [...text].map((char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`).join(''),
  base64: (text) => Buffer.from(text).toString('base64'),
};
