/** What two writings of one sentence share: case, white space and punctuation do not count. */
import { createHash } from 'node:crypto';

/** The first hex characters of a hash: enough to tell one text from another. */
export function shortHash(text: string | Uint8Array, length = 12): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

export function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Opens the key of a claim. */
export const OF_TEXT = 'text:';

/** Key of a claim: of equal sentences the same, whoever says them. */
export function keyOfText(text: string): string {
  return `${OF_TEXT}${plainText(text) || shortHash(text)}`;
}

/** The same for two writings of one sentence, without its words. */
export function fingerprintOf(text: string): string {
  return shortHash(plainText(text));
}
