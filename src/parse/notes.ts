import type { Candidate } from '../types.js';
import { lineOf } from '../text/verbatim.js';
import type { SessionInput } from './session.js';
import { foreignRuns, repeatsForeign, toCandidate } from './sentences/statement.js';

const NOTE =
  /^\s*(?:[-*>]\s+)?(?:\*\*|__|`)?remember(?:\*\*|__|`)?\s*[:：](?:\*\*|__|`)?\s*(\S.*)$/iu;
/** The same behind another sentence, as the last words of an answer. */
const LAST_NOTE = /[.!?;。！？]\s+((?:\*\*|__)?remember(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*\S.*)$/iu;
const SHORTEST = 12;

/**
 * What agents left for their successors: lines `Remember: ...` in their answers, or their last
 * sentence, word for word. Code fences, questions, and what repeats the words of a tool or a page
 * are left out. Entries must be in order.
 */
export function extractNotes(session: SessionInput): Candidate[] {
  const runs = foreignRuns(session.entries);
  const notes = new Map<string, Candidate>();
  for (const entry of session.entries) {
    if (entry.role !== 'assistant' || entry.origin !== 'agent' || entry.copied) continue;
    const lines = entry.text
      .replace(/```[\s\S]*?(?:```|$)/g, '')
      .trimEnd()
      .split('\n');
    const last = NOTE.test(lines.at(-1)!) ? [] : (LAST_NOTE.exec(lines.at(-1)!)?.[1] ?? []);
    for (const line of lines.concat(last)) {
      const said = NOTE.exec(line)?.[1];
      const text = said === undefined ? null : lineOf(said);
      if (
        text === null ||
        text.length < SHORTEST ||
        /[?？]$/u.test(text) ||
        repeatsForeign(text, entry.seq, runs)
      )
        continue;
      const parts = {
        kind: 'fact',
        text,
        quote: line.trim(),
        entry,
        saidBy: 'agent',
        importance: 3,
        trust: 0.4,
      } as const;
      const note = toCandidate(session, { ...parts, worth: 0.5, alone: true, tags: ['note'] });
      notes.set(note.key, note);
    }
  }
  return [...notes.values()];
}
