import { createHmac } from 'node:crypto';

/** Marks that redaction leaves: `[REDACTED:github-token:1f3a9c]`, `[REDACTED:timeout]`. */
const MARK = /\[REDACTED:([a-z0-9-]{1,40}):[0-9a-f]{6}\]/g;

/** Makes marks of secrets: kind and 6 hex of a keyed hash, so that equal secrets stay recognisable and none can be guessed back. */
export function createMarker(key: string | Uint8Array): (kind: string, secret: string) => string {
  return (kind, secret) => `[REDACTED:${kind}:${createHmac('sha256', key).update(secret).digest('hex').slice(0, 6)}]`;
}

/** Marks reduced to their kind: equal on two machines with different keys. Ids and content hashes are made of this. */
export function reduceMarks(text: string): string {
  return text.includes('[REDACTED:') ? text.replace(MARK, '[REDACTED:$1]') : text;
}

/** The mark of a text that could not be looked through in time; nothing of it is kept. */
export const TIMEOUT_MARK = '[REDACTED:timeout]';
