/** Finds what followed earlier failures like the one in question. */
import { neutralise } from '../../context/index.js';
import { splitSentences } from '../../parse/sentences.js';
import {
  aftermathOf,
  failuresLike,
  rankWords,
  type Aftermath,
  type Db,
  type EarlierFailure,
} from '../../store/index.js';
import { failuresAt } from '../../store/search/answers.js';
import { hashTerm, normaliseQuery, termsOf } from '../../terms/index.js';
import { addsTo, untilThen, whatFollowed } from '../moments/followed.js';
import type { Names } from '../moments/names.js';
import { weightTogether } from '../passage.js';
import { wordsOf, type Question } from './question.js';
import { announces } from '../../text/announcement.js';
import { clipped, verbatim } from '../../text/verbatim.js';

export interface Cure {
  /** Id of the entry that failed. */
  id: string;
  text: string;
  day: string | null;
  agent: string;
  session: string;
  path: string;
  line: number;
}

/** Most similar failures that are read, and cures that are returned. */
const ALIKE = 6;
const MOST_CURES = 3;
/** Least share of the failure's weight in one passage of a similar failure. */
const LEAST_ALIKE = 0.5;

/**
 * What earlier sessions with this error did and said until the command passed: first failures with
 * the same signature, then those that share most of its words.
 * @returns isNewError: no earlier failure is like this one
 */
export async function curesOf(
  db: Db,
  question: Question,
  names: Names,
): Promise<{ cures: Cure[]; isNewError: boolean }> {
  const { project } = question;
  const same =
    names.signatures.length === 0 ? [] : await failuresLike(db, names.signatures, { project });
  const alike = await failuresByWords(db, question);
  const cures = new Map<string, Cure>();
  for (const failure of [...same, ...alike]) {
    if (cures.size === MOST_CURES) break;
    if (cures.has(failure.session)) continue;
    const after = untilThen(await aftermathOf(db, failure));
    const error = names.signatures[0] ?? '';
    const cure = cureOf(failure, after, question, error);
    if (cure !== null) cures.set(failure.session, cure);
  }
  return { cures: [...cures.values()], isNewError: same.length + alike.length === 0 };
}

async function failuresByWords(db: Db, question: Question): Promise<EarlierFailure[]> {
  const terms = normaliseQuery(wordsOf(question)).slice(0, 64);
  const { hits, weights } = await rankWords(db, {
    terms: terms.map(hashTerm),
    rarest: 32,
    roles: ['tool_result', 'user'],
    ...(question.project === null ? {} : { projects: [question.project] }),
    limit: ALIKE,
  });
  const most = Math.max(1, ...weights.values());
  const named = new Map(
    terms.flatMap((term) => {
      const weight = weights.get(hashTerm(term));
      return weight === undefined ? [] : [[term, weight > 0 ? weight : most] as const];
    }),
  );
  const near = hits.filter(({ text }) => weightTogether(text, named) >= LEAST_ALIKE);
  const failures = new Map(
    (
      await failuresAt(
        db,
        near.map(({ n }) => n),
      )
    ).map((failure) => [failure.id, failure]),
  );
  return near.flatMap(({ id }) => failures.get(id) ?? []);
}

/** Null if no passed run and no sentence shows how the session solved the failure. */
function cureOf(
  failure: EarlierFailure,
  after: Aftermath,
  question: Question,
  error: string,
): Cure | null {
  const { id, agent, session, time } = failure;
  const day = time?.slice(0, 10) ?? null;
  // After a person's report, the last failed step may be another failure.
  const followed =
    failure.command === null ? null : whatFollowed(failure, after, question.text, error);
  const conclusion = conclusionOf(after, `${error} ${failure.command ?? ''} ${wordsOf(question)}`);
  if (followed === null && conclusion === null) return null;
  const began =
    failure.command === null
      ? 'the user reported it'
      : `\`${clipped(verbatim(failure.command), 90)}\` failed so`;
  const what = followed?.text ?? `${began}${day === null ? '' : ` on ${day}`}`;
  const isNew = conclusion !== null && !what.includes(conclusion.text);
  const text = neutralise(isNew ? `${what}; the agent said: "${conclusion.text}"` : what);
  const place = followed ?? conclusion ?? failure;
  return { id, text, day, agent, session, path: place.path, line: place.line };
}

const MOST_SENTENCE = 240;
/** How many turns after the failure are read too. */
const TURNS = 1;
/** Most shared words that count. A named cause counts as much. */
const MOST_COMMON = 3;
const OF_CAUSE = 3;
/** An absolute path: its words are shared by all commands of a project. */
const FOLDER = /(?<![\w.~])\/\S+/g;
const IS_CAUSE =
  /\b(?:because|cause[ds]?|root cause|the (?:problem|issue|fix|reason) (?:is|was)|fixed|fix(?:es)? (?:it|this|that)|instead|needs? to|must|missing|should (?:be|prevent|fix|now)|turns? out|doesn['’]t exist|(?:is|are|was|were) (?:not|no longer))\b/i;

/** The agent's sentence that explains a failure best: by shared words or by naming a cause. */
function conclusionOf(after: Aftermath, about: string) {
  const wanted = termsOf(about);
  let best: { text: string; path: string; line: number; score: number } | null = null;
  let turns = 0;
  for (const { role, text, path, line } of after.texts) {
    if (role === 'user') turns += 1;
    if (turns > TURNS) break;
    if (role !== 'assistant') continue;
    for (const sentence of splitSentences(text)) {
      if (sentence.length > MOST_SENTENCE || /[:?]$/.test(sentence) || announces(sentence))
        continue;
      const terms = [...termsOf(sentence.replace(FOLDER, ' ')).keys()];
      const common = terms.filter((term) => wanted.has(term)).length;
      const score = Math.min(common, MOST_COMMON) + (IS_CAUSE.test(sentence) ? OF_CAUSE : 0);
      if (score >= OF_CAUSE && score > (best?.score ?? 0) && addsTo(about, sentence))
        best = { text: clipped(verbatim(sentence), MOST_SENTENCE), path, line, score };
    }
  }
  return best;
}
