/** What the judge is told of a sentence besides its words, in the way its labels were made. */
import type { Said } from '../../judge/index.js';
import type { Entry } from '../../types.js';

/** What stands around a message. */
export type Surroundings = Pick<Said, 'role' | 'lastOfTurn' | 'reply' | 'after' | 'place'>;

/** Characters of a reply that are looked at. */
const REPLY_CHARS = 160;

function isTyped(entry: Entry): boolean {
  return entry.role === 'user' && entry.origin === 'user' && entry.text.trim() !== '';
}

/** Of each entry with words of its own, by id. Entries must be in order. */
export function surroundingsOf(entries: readonly Entry[]): ReadonlyMap<string, Surroundings> {
  const out = new Map<string, Surroundings>();
  let reply: string | null = null;
  let spoken = true;
  for (let at = entries.length - 1; at >= 0; at -= 1) {
    const entry = entries[at]!;
    const before = entries[at - 1]?.role ?? null;
    const place = at / Math.max(1, entries.length);
    if (entry.role === 'user') out.set(entry.id, { role: 'user', lastOfTurn: false, reply: null, after: before, place });
    else if (entry.role === 'assistant' && entry.text.trim() !== '') {
      out.set(entry.id, { role: 'assistant', lastOfTurn: spoken, reply: spoken ? reply : null, after: before, place });
      spoken = false;
    } else if (entry.role === 'tool_call')
      out.set(entry.id, { role: 'assistant', lastOfTurn: false, reply: null, after: before, place });
    if (isTyped(entry)) [reply, spoken] = [entry.text.trim().slice(0, REPLY_CHARS), true];
  }
  return out;
}

/**
 * Tokens that tie a statement to one moment: a hash, a line number, a date, a pull request or an issue by number, a share, a
 * tick.
 */
const HASH = /(?<![\w/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])/;
const PLACE = /(?<!\p{L})lines? ~?\d+|\.\w{1,5}:\d+|\bL\d+\b/iu;
const DAY = /(?<!\w)(?:19|20)\d\d-\d\d-\d\d/;
const TICKET = /(?<!\w)(?:PR|pull request|MR|issue|commit|finding|task|step|phase|option|round)s? ?#?\d+|(?<![\w`/])#\d{1,6}\b/i;
const MARK = /[✓✔✅❌✗☑]/u;

/** Whether a statement holds such a token: it was true of that moment, and no later session can use it. */
export function isOfTheMoment(text: string): boolean {
  return [HASH, PLACE, DAY, TICKET, MARK].some((sign) => sign.test(text));
}
