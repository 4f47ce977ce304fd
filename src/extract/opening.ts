import { createHash } from 'node:crypto';
import type { Extraction } from '../types.js';
import type { SessionInput } from './session.js';

/** Characters that must be equal for two long first prompts to count as one. */
const HEAD = 200;

/**
 * The first prompt of a session: a hash of its first 200 characters (blanks made one), its length, and whether a person typed afterwards.
 * Three sessions with one long opening in which nobody typed later are machine-made; equal openings also show aborted duplicates.
 */
export function describeOpening(session: SessionInput): Extraction['opening'] {
  const at = session.entries.findIndex((e) => e.role === 'user' && e.origin === 'user' && !e.copied && e.text.trim() !== '');
  const first = session.entries[at];
  if (first === undefined) return null;
  const text = first.text.replace(/\s+/g, ' ').trim();
  const typedLater = session.entries.slice(at + 1).some((e) => e.role === 'user' && e.origin === 'user' && !e.copied && e.text.trim() !== '');
  return { hash: createHash('sha256').update(text.slice(0, HEAD)).digest('hex').slice(0, 16), length: text.length, typedLater };
}
