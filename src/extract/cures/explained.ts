import type { Candidate, Entry } from '../../types.js';
import { observed } from '../commands/candidate.js';
import { splitSentences } from '../sentences-split.js';
import type { SessionInput } from '../session.js';
import { entityKeys } from '../statement-entities.js';
import { foreignRuns, repeatsForeign } from '../statement-foreign.js';
import { keyOf } from '../statement-key.js';
import { fit, plain, polish, tighten } from '../wording.js';
import { dangles } from '../wording-subject.js';
import { saidBetween, sharedTerms, type Cured } from './failures.js';

/** Words that state a cause or a rule. */
const CAUSE = /\b(?:because|since|due to|caused by|root cause|the (?:cause|reason)|requires?|needs?|must|only (?:works?|when|if|accepts?|supports?)|(?:does|do|is|are|will|can)(?:n['’]t| not) (?:support|exist|accept|allow|work|find|resolve|include|provide|expose|available|installed)|cannot|not (?:supported|allowed|available|installed)|expects?|instead of|defaults? to|ignores?|overrides?|unless|until|conflicts?|incompatible|deprecated|removed in|renamed|no longer|fails? (?:when|if|because|with)|so that|which means|rejects?|forbids?|strict)\b/i;

/** The state of this moment, a plan, a guess or a report of work: not what holds next month. */
const PASSING = /\b(?:i['’]ll|i will|let me|let['’]s|i['’]m|i am|i need|i should|we need to|now|next|going to|maybe|perhaps|probably|might|seems?|looks like|should be|could be|i think|wait|hmm|actually|fixed|updated|added|changed|done|passed|passing|as expected|unrelated|remains?|still|pre-?existing|the user|tests? pass)\b|\?|[:：]$/i;

interface Said {
  entry: Entry;
  text: string;
  shared: number;
}

function explanationOf(session: SessionInput, cured: Cured): Said | null {
  const first = cured.failed[0]?.at ?? 0;
  const error = `${cured.error} ${(cured.failed.at(-1)?.call.result?.text ?? '').split('\n').filter((l) => /error|cannot|not|fail|expected/i.test(l)).slice(0, 6).join(' ').slice(0, 1200)}`;
  const said: Said[] = [];
  const foreign = foreignRuns(session.entries);
  for (const entry of saidBetween(session.entries, first, Math.min(cured.worked.at + 6, session.entries.length))) {
    for (const sentence of splitSentences(entry.text)) {
      if (!CAUSE.test(sentence.text) || PASSING.test(sentence.text) || sentence.text.length < 40) continue;
      const text = fit(polish(tighten(plain(sentence.text))));
      if (text === null || text.length < 40 || dangles(text) || /^(?:it|this|that|they|these|those|he|she|both|here|there|which|one|the (?:first|second|other|fix|change|test|error|issue|problem))\b/i.test(text)) continue;
      const shared = sharedTerms(text, error).length + (sharedTerms(text, cured.error).length > 0 ? 1 : 0);
      if (shared > 1 && entityKeys(text).size >= 2 && !repeatsForeign(text, entry.seq, foreign)) said.push({ entry, text, shared });
    }
  }
  return said.sort((a, b) => b.shared - a.shared || a.entry.seq - b.entry.seq)[0] ?? null;
}

/** The agent's own sentence between failure and cure that states a cause and shares a term with the error. */
export function explainedCure(session: SessionInput, cured: Cured): Candidate | null {
  if (cured.changes.length === 0 && cured.between.length === 0) return null;
  const said = explanationOf(session, cured);
  if (said === null) return null;
  return {
    ...observed(session, {
      kind: 'gotcha',
      text: said.text,
      key: keyOf(said.text),
      importance: cured.failed.length >= 3 ? 4 : 3,
      alone: true,
      worth: 0.5 + Math.min(0.2, 0.05 * said.shared) + Math.min(0.1, 0.03 * cured.failed.length),
      entry: said.entry,
      quote: said.text,
      trust: 0.4,
      tags: ['cure', 'explained'],
      files: [...new Set(cured.changes.map((c) => c.file))].slice(0, 4),
      commands: [],
    }),
    saidBy: 'agent',
  };
}
