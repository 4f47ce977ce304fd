import { explain, judge, type Said } from '../judge/index.js';
import { LASTS_TAG, type Candidate, type Entry } from '../types.js';
import { BITES } from './sentences/conclusions.js';
import { splitParagraph, splitSentences } from './sentences/split.js';
import type { JudgedInput } from './session.js';
import { foreignRuns, repeatsForeign, reasonTag, toCandidate } from './sentences/statement.js';
import { countNamed, findEntities } from './sentences/entities.js';
import { surroundingsOf, type Surroundings } from './sentences/surroundings.js';
import { fit, plain, polish, tighten } from './sentences/wording.js';
import { dangles } from './sentences/subject.js';

const NOTE = /^\s*(?:[-*>]\s+)?(?:\*\*|__|`)?remember(?:\*\*|__|`)?\s*[:：](?:\*\*|__|`)?\s*(\S.*)$/iu;

/** Longer lines are taken for dumps and left out. */
const LONGEST = 800;

/**
 * From this probability on a note stands by itself, and is then worth what the stop line of context.md asks for: who writes it
 * says that it holds on. Of invented notes at the end of an answer all twelve that hold on reach it, and two of twelve of the
 * moment.
 */
const STANDS = 0.03;
const EXPLICIT_WORTH = 0.5;

/** A sentence of a note with its surroundings in the answer, as the judge expects any sentence. */
function saidIn(entry: Entry, sentence: string, around: ReadonlyMap<string, Surroundings>): Said {
  const all = splitSentences(entry.text);
  const found = all.findIndex(({ text }) => text.includes(sentence));
  const position = found < 0 ? Math.max(0, all.length - 1) : found;
  return { ...around.get(entry.id)!, role: 'assistant', text: sentence, position, of: Math.max(1, all.length) };
}

function noteOf(session: JudgedInput, entry: Entry, line: string, text: string, said: Said): Candidate {
  const { worth } = judge(session.judge, said);
  const named = countNamed(findEntities(text));
  const stands = named > 0 && worth >= STANDS;
  const kind = BITES.test(text.replace(/`[^`]*`/g, 'x')) && named > 0 ? 'gotcha' : 'fact';
  return toCandidate(session, {
    kind,
    text,
    quote: line.trim(),
    entry,
    saidBy: 'agent',
    importance: kind === 'gotcha' ? 3 : 2,
    trust: 0.4,
    worth: stands ? Math.max(worth, EXPLICIT_WORTH) : worth,
    alone: stands,
    tags: ['note', ...(stands ? [LASTS_TAG] : []), reasonTag(worth, explain(session.judge, said))],
  });
}

/** What agents left for their successors: lines `Remember: …` in their answers. Entries must be in order. */
export function extractNotes(session: JudgedInput): Candidate[] {
  const runs = foreignRuns(session.entries);
  const around = surroundingsOf(session.entries);
  const out = new Map<string, Candidate>();
  for (const entry of session.entries) {
    if (entry.role !== 'assistant' || entry.origin !== 'agent' || entry.copied) continue;
    for (const line of entry.text.replace(/```[\s\S]*?(?:```|$)/g, '').split('\n')) {
      const said = NOTE.exec(line)?.[1];
      if (!said || said.length > LONGEST) continue;
      for (const sentence of splitParagraph(plain(said))) {
        const text = fit(polish(tighten(sentence)));
        if (text === null || text.length < 12 || dangles(text) || /[?？]$/u.test(text) || repeatsForeign(text, entry.seq, runs))
          continue;
        const note = noteOf(session, entry, line, text, saidIn(entry, sentence, around));
        out.set(`${note.kind}\0${note.key}`, note);
      }
    }
  }
  return [...out.values()];
}
