import { explain, judge, type Said } from '../../judge/index.js';
import type { Candidate, Entry } from '../../types.js';
import { observed } from '../commands/candidate.js';
import { isOfTheMoment, surroundingsOf, type Surroundings } from '../sentences/surroundings.js';
import { LEAST_WORTH } from '../sentences/conclusions.js';
import { splitSentences } from '../sentences/split.js';
import type { JudgedInput } from '../session.js';
import { reasonTag, foreignRuns, repeatsForeign, type ForeignRuns, keyOf } from '../sentences/statement.js';
import { entityKeys } from '../sentences/entities.js';
import { fit, plain, polish, tighten } from '../sentences/wording.js';
import { dangles } from '../sentences/subject.js';
import { saidBetween, sharedTerms, type Cured } from './failures.js';

const SHORTEST = 40;
/** Names and terms of the error that tie a sentence to it. */
const LEAST_SHARED = 2;
/** The agent may state the cause within so many entries after the success. */
const BEHIND = 6;

interface Explanation {
  entry: Entry;
  text: string;
  worth: number;
  said: Said;
}

/** What is read of the whole session, once for all its cures. */
interface View {
  session: JudgedInput;
  foreign: ForeignRuns;
  around: ReadonlyMap<string, Surroundings>;
}

function explanationOf({ session, foreign, around }: View, cured: Cured): Explanation | null {
  const first = cured.failed[0]?.at ?? 0;
  const lines = (cured.failed.at(-1)?.call.result?.text ?? '')
    .split('\n')
    .filter((l) => /error|cannot|not|fail|expected/i.test(l));
  const error = `${cured.error} ${lines.slice(0, 6).join(' ').slice(0, 1200)}`;
  const found: Explanation[] = [];
  for (const entry of saidBetween(session.entries, first, Math.min(cured.worked.at + BEHIND, session.entries.length))) {
    const sentences = splitSentences(entry.text);
    sentences.forEach((sentence, position) => {
      const text = fit(polish(tighten(plain(sentence.text))));
      if (text === null || text.length < SHORTEST || dangles(text) || isOfTheMoment(text) || /[:：?？]$/u.test(text)) return;
      const shared = sharedTerms(text, error).length + (sharedTerms(text, cured.error).length > 0 ? 1 : 0);
      if (shared < LEAST_SHARED || entityKeys(text).size < 2 || repeatsForeign(text, entry.seq, foreign)) return;
      const said: Said = { ...around.get(entry.id)!, role: 'assistant', text: sentence.text, position, of: sentences.length };
      const { worth } = judge(session.judge, said);
      if (worth >= LEAST_WORTH) found.push({ entry, text, worth, said });
    });
  }
  return found.sort((a, b) => b.worth - a.worth || a.entry.seq - b.entry.seq)[0] ?? null;
}

/**
 * For each cure the agent's own sentence between failure and cure that shares terms with the error and that the judge holds most
 * worth keeping.
 */
export function explainCures(session: JudgedInput): (cured: Cured) => Candidate | null {
  let view: View | null = null;
  return (cured) => {
    if (cured.changes.length === 0 && cured.between.length === 0) return null;
    view ??= { session, foreign: foreignRuns(session.entries), around: surroundingsOf(session.entries) };
    const one = explanationOf(view, cured);
    return one === null ? null : candidateOf(session, cured, one);
  };
}

function candidateOf(session: JudgedInput, cured: Cured, one: Explanation): Candidate {
  return {
    ...observed(session, {
      kind: 'gotcha',
      text: one.text,
      key: keyOf(one.text),
      importance: cured.failed.length >= 3 ? 4 : 3,
      alone: true,
      worth: one.worth,
      entry: one.entry,
      quote: one.text,
      trust: 0.4,
      tags: ['cure', 'explained', reasonTag(one.worth, explain(session.judge, one.said))],
      files: [...new Set(cured.changes.map((c) => c.file))].slice(0, 4),
      commands: [],
    }),
    saidBy: 'agent',
  };
}
