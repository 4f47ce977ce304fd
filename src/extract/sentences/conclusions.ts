/** What the agent found out in a session: sentences of its own that the judge holds worth keeping and that stand alone. */
import { explain, judge, type Said } from '../../judge/index.js';
import type { Candidate } from '../../types.js';
import { isCuredLater, isGoneLater, type LogView, type AgentText } from '../agent-texts.js';
import type { Sentence } from './split.js';
import type { JudgedInput } from '../session.js';
import { countNamed, findEntities } from './entities.js';
import { foreignRuns, repeatsForeign, type ForeignRuns, reasonTag, toCandidate, contentWords, likeness } from './statement.js';
import { surroundingsOf, isOfTheMoment } from './surroundings.js';
import { asRetraction, goneIn, isWithdrawn, type Retraction } from '../withdrawals.js';
import { fit, plain, polish, tighten, withoutLines } from './wording.js';
import { nameSubject } from './subject.js';

/** Under this probability a sentence is kept nowhere: of those below, two in a hundred are worth keeping. */
export const LEAST_WORTH = 0.1;
/** Most that one session yields, best first. */
const MOST = 30;
/** Statements that share this much of their words are one. */
const SAME = 0.55;
/** Longer sentences are taken for dumps and left out. */
const LONGEST = 600;
const SHORTEST = 24;

interface Found {
  text: string;
  sentence: Sentence;
  said: Said;
  told: AgentText;
  worth: number;
  order: number;
  words: ReadonlySet<string>;
}

/** Words that deny, limit or report a failure: such a statement is a gotcha. */
export const BITES =
  /(?<!\p{L})(?:not|never|no|cannot|\p{L}+n['’]t|only|unless|must|fails?|breaks?|ignores?|errors?|silently|without)(?!\p{L})|不|無|无|ない|않/iu;

/** Best first. Entries must be in order. */
export function extractConclusions(session: JudgedInput, view: LogView): Candidate[] {
  const { found, retractions } = collect(session, view);
  const standing = found.filter((one) => !isWithdrawn(one, retractions));
  return chooseBest(standing).map((one) =>
    toCandidate(session, {
      ...(BITES.test(one.text.replace(/`[^`]*`/g, 'x')) ? { kind: 'gotcha', importance: 3 } : { kind: 'fact', importance: 2 }),
      text: one.text,
      quote: one.sentence.text,
      entry: one.told.entry,
      saidBy: 'agent',
      trust: 0.4,
      worth: one.worth,
      alone: true,
      tags: [one.told.source === 'rules' ? 'written-down' : 'conclusion', reasonTag(one.worth, explain(session.judge, one.said))],
    }),
  );
}

function collect(session: JudgedInput, view: LogView): { found: Found[]; retractions: Retraction[] } {
  const runs = foreignRuns(session.entries);
  const around = surroundingsOf(session.entries);
  const found: Found[] = [];
  const retractions: Retraction[] = [];
  let order = 0;
  for (const told of view.told) {
    const { sentences } = told;
    sentences.forEach((sentence, position) => {
      if (sentence.text.length > LONGEST) return;
      order += 1;
      const retraction = asRetraction(sentence.text, order);
      if (retraction) retractions.push(retraction);
      const gone = goneIn(sentence.text, told.entry, view);
      if (gone.size > 0)
        retractions.push({ order, names: new Set([...gone].map((name) => name.toLowerCase())), text: sentence.text });
      const said: Said = {
        ...around.get(told.entry.id)!,
        role: 'assistant',
        text: sentence.text,
        position,
        of: sentences.length,
      };
      const { worth } = judge(session.judge, said);
      if (worth < LEAST_WORTH) return;
      const text = wordConclusion(sentence, told);
      if (text === null || !mayStand(text, told, view, runs)) return;
      found.push({ text, sentence, said, told, worth, order, words: new Set(contentWords(text)) });
    });
  }
  return { found, retractions };
}

/** Tied to a thing that has a name, the agent's own, of no single moment, and not overtaken by what came later. */
function mayStand(text: string, { entry, source }: AgentText, view: LogView, runs: ForeignRuns): boolean {
  if (countNamed(findEntities(text)) === 0 || isOfTheMoment(text) || repeatsForeign(text, entry.seq, runs)) return false;
  return source === 'rules' || (!isCuredLater(text, entry, view) && !isGoneLater(text, entry, view));
}

const YOUR =
  /(?<![\p{L}])your(?= (?:terminal|shell|editor|machine|browser|system|local|global|environment|project|repo|code|app|config))/giu;

/** In a file of rules "this file" is that file. */
function sayWhichFile(text: string, { source, entry }: AgentText): string {
  const name = entry.files[0]?.split('/').at(-1);
  return name === undefined || source !== 'rules'
    ? text
    : text.replace(/(?<![\p{L}])this (?:file|document)(?![\p{L}])/giu, `\`${name}\``);
}

/** A sentence of the agent as a statement that stands alone, or null. */
function wordConclusion(sentence: Sentence, told: AgentText): string | null {
  if (/[:：?？]\s*$/u.test(sentence.text)) return null;
  const lean = tighten(withoutLines(plain(sayWhichFile(sentence.text, told))));
  const named = nameSubject(lean, {
    previous: sentence.previous === null ? null : withoutLines(plain(sentence.previous)),
    heading: sentence.heading,
  });
  const whole = named === null ? null : fit(polish(tighten(named.replace(YOUR, 'the'))));
  return whole !== null && whole.length >= SHORTEST ? whole : null;
}

/** Best first, no two on one point. */
function chooseBest(found: Found[]): Found[] {
  const kept: Found[] = [];
  for (const one of [...found].sort((a, b) => b.worth - a.worth || a.order - b.order)) {
    if (kept.length >= MOST) break;
    if (!kept.some((other) => likeness(one.words, other.words) >= SAME)) kept.push(one);
  }
  return kept;
}
