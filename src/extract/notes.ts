import type { Candidate } from '../types.js';
import { BITES } from './conclusions.js';
import { splitParagraph } from './sentences-split.js';
import type { SessionInput } from './session.js';
import { foreignRuns, repeatsForeign } from './statement-foreign.js';
import { countNamed, findEntities } from './statement-entities.js';
import { toCandidate } from './statement.js';
import { fit, plain, polish, tighten } from './wording.js';
import { dangles } from './wording-subject.js';

const NOTE = /^\s*(?:[-*>]\s+)?(?:\*\*|__|`)?remember(?:\*\*|__|`)?\s*[:：](?:\*\*|__|`)?\s*(\S.*)$/iu;

/** Longer lines are dumps. */
const LONGEST = 800;

/** What agents left for their successors: lines `Remember: …` in their answers. Entries must be in order. */
export function extractNotes(session: SessionInput): Candidate[] {
  const runs = foreignRuns(session.entries);
  const out = new Map<string, Candidate>();
  for (const entry of session.entries) {
    if (entry.role !== 'assistant' || entry.origin !== 'agent' || entry.copied) continue;
    for (const line of entry.text.replace(/```[\s\S]*?(?:```|$)/g, '').split('\n')) {
      const said = NOTE.exec(line)?.[1];
      if (!said || said.length > LONGEST) continue;
      for (const sentence of splitParagraph(plain(said))) {
        const text = fit(polish(tighten(sentence)));
        if (text === null || text.length < 12 || dangles(text) || /[?？]$/u.test(text) || repeatsForeign(text, entry.seq, runs)) continue;
        const bare = text.replace(/`[^`]*`/g, 'x');
        const named = countNamed(findEntities(text));
        const kind = BITES.test(bare) && named > 0 ? 'gotcha' : 'fact';
        const candidate = toCandidate(session, {
          kind,
          text,
          quote: line.trim(),
          entry,
          saidBy: 'agent',
          importance: kind === 'gotcha' ? 3 : 2,
          trust: 0.4,
          worth: named > 0 ? 0.75 : 0.6,
          alone: named > 0,
          tags: ['note'],
        });
        out.set(`${kind}\0${candidate.key}`, candidate);
      }
    }
  }
  return [...out.values()];
}
