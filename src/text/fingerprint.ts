/** Compares sentences without case, white space and punctuation. */
import { createHash } from 'node:crypto';

/** The first hex characters of a hash, enough to distinguish texts. */
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

/** Start of a claim's key. */
export const OF_TEXT = 'text:';

/** The key of a claim. It depends on the sentence alone, not on who wrote it. */
export function keyOfText(text: string): string {
  return `${OF_TEXT}${plainText(text) || shortHash(text)}`;
}

/** Equal for two spellings of one sentence, and contains no words of it. */
export function fingerprintOf(text: string): string {
  return shortHash(plainText(text));
}

/**
 * FNV-1a of 64 bits over UTF-16 units as 16 hex characters: recognises a text, but does not protect
 * against an attacker.
 */
export function textHash(value: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let at = 0; at < value.length; at++) {
    const unit = value.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ ((unit << 7) | (unit >> 3)), 0x85ebca6b);
  }
  return (low >>> 0).toString(16).padStart(8, '0') + (high >>> 0).toString(16).padStart(8, '0');
}
