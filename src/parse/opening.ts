import { createHash } from 'node:crypto';
import type { Extraction } from '../types.js';
import type { SessionInput } from './session.js';

/** Characters that must be equal for two long first prompts to count as one. */
const HEAD = 200;

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/**
 * The first prompt of a session: a hash of its first 200 characters (blanks made one), its length,
 * and whether a person typed afterwards; the same characters again are a program's next prompt.
 * Three sessions with one long opening in which nobody typed later are automated; equal openings
 * also show aborted duplicates.
 */
export function describeOpening(session: SessionInput): Extraction['opening'] {
  const [first, ...later] = session.entries.filter(
    (e) => e.role === 'user' && e.origin === 'user' && !e.copied && e.text.trim() !== '',
  );
  if (first === undefined) return null;
  const text = oneLine(first.text);
  const typedLater = later.some(
    (entry) => oneLine(entry.text).slice(0, HEAD) !== text.slice(0, HEAD),
  );
  return { hash: hashed(text.slice(0, HEAD)), length: text.length, typedLater };
}
