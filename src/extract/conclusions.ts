import type { Candidate, Entry } from '../types.js';
import { holdingClause } from './conclusions-clause.js';
import { answerTo, confirm, isCuredLater, isEditedLater, viewLog, type LogView } from './conclusions-log.js';
import { recast } from './conclusions-recast.js';
import { readConclusion, type Reading } from './conclusions-score.js';
import { agentTexts, type AgentText, type Source } from './conclusions-sources.js';
import { asRetraction, isWithdrawn, type Retraction } from './conclusions-withdrawn.js';
import { splitSentences, type Sentence } from './sentences-split.js';
import { tableSentences } from './sentences-table.js';
import type { SessionInput } from './session.js';
import { foreignRuns, repeatsForeign, type ForeignRuns } from './statement-foreign.js';
import { contentWords, likeness } from './statement-key.js';
import { toCandidate } from './statement.js';
import { goneIn } from './withdrawals.js';
import { fit, plain, polish, tighten, withoutLines } from './wording.js';
import { nameSubject } from './wording-subject.js';

/** Under this worth, or without the grammar of a statement, a sentence is kept for detail/ and search only (measured: of such lines one in three is worth keeping). */
const LEAST_WORTH = 0.36;
const LEAST_MINOR = 0.12;
/** What such a sentence keeps of its worth: far behind every other lesson. */
const MINOR = 0.2;
/** Most conclusions that one session yields, best first, and most minor ones. */
const MOST = 20;
const MOST_MINOR = 24;
/** Statements that share this much of their words are one. */
const SAME = 0.55;

/** Longer sentences are dumps. */
const LONGEST = 600;

interface Found {
  text: string;
  sentence: Sentence;
  entry: Entry;
  source: Source;
  reading: Reading;
  worth: number;
  order: number;
  words: ReadonlySet<string>;
}

/** What the agent found out in a session: statements of cause, constraint or rule that name a thing, best first. Entries must be in order. */
export function extractConclusions(session: SessionInput): Candidate[] {
  const view = viewLog(session.entries);
  const runs = foreignRuns(session.entries);
  const { found, retractions } = collect(agentTexts(session.entries), view, runs);
  const standing = found.filter((one) => !isWithdrawn({ text: one.text, seq: one.entry.seq, order: one.order }, retractions));
  return chooseBest(standing).map((one) =>
    toCandidate(session, {
      kind: kindOf(one.reading),
      text: one.text,
      quote: one.sentence.said ?? one.sentence.text,
      entry: one.entry,
      saidBy: 'agent',
      importance: kindOf(one.reading) === 'gotcha' ? 3 : 2,
      trust: 0.4,
      worth: isMinor(one) ? MINOR * one.worth : one.worth,
      alone: !isMinor(one),
      tags: [one.source === 'rules' ? 'written-down' : 'conclusion', ...(isMinor(one) ? ['minor'] : [])],
    }),
  );
}

function collect(texts: AgentText[], view: LogView, runs: ForeignRuns): { found: Found[]; retractions: Retraction[] } {
  const found: Found[] = [];
  const retractions: Retraction[] = [];
  const said = texts.map(({ entry, text }) => ({ entry, words: new Set(contentWords(text)) }));
  let order = 0;
  for (const { entry, source, text } of texts) {
    const answer = answerTo(entry, view);
    for (const sentence of [...splitSentences(text), ...(source === 'final' || source === 'rules' ? tableSentences(text) : [])]) {
      if (sentence.text.length > LONGEST) continue;
      order += 1;
      const retraction = asRetraction(sentence.text, order);
      if (retraction) retractions.push(retraction);
      const gone = goneIn(sentence.text, entry, view);
      if (gone.size > 0) retractions.push({ order, names: new Set([...gone].map((name) => name.toLowerCase())), text: sentence.text });
      const worded = wordConclusion(sayWhichFile(sentence, source, entry));
      if (worded === null || repeatsForeign(worded, entry.seq, runs)) continue;
      const reading = readConclusion(worded, sentence, source);
      if (!reading) continue;
      if (source !== 'rules' && isCuredLater(worded, entry, view)) continue;
      const words = new Set(contentWords(worded));
      let worth = reading.score + confirm(worded, entry, view);
      if (source !== 'rules' && answer.denied) worth -= [...words].some((word) => answer.words.has(word)) ? 0.25 : source === 'talk' || source === 'turning' ? 0.16 : 0.08;
      if (source !== 'rules' && !reading.rule && isEditedLater(reading.subject, entry, view)) worth -= 0.12;
      if (answer.agreed && (source === 'final' || source === 'plan')) worth += 0.05;
      worth += Math.min(0.12, 0.04 * timesSaid(words, entry, said));
      if (worth >= LEAST_MINOR) found.push({ text: worded, sentence, entry, source, reading, worth, order, words });
    }
  }
  return { found, retractions };
}

/** In how many other texts of the session most words of a statement come again: what the work turned about. */
function timesSaid(words: ReadonlySet<string>, entry: Entry, said: readonly { entry: Entry; words: ReadonlySet<string> }[]): number {
  const wanted = words.size * 0.6;
  return said.filter((one) => one.entry !== entry && [...words].filter((word) => one.words.has(word)).length >= wanted).length;
}

const YOUR = /(?<![\p{L}])your(?= (?:terminal|shell|editor|machine|browser|system|local|global|environment|project|repo|code|app|config))/giu;

/** In a file of rules or a document "this file" is that file. */
function sayWhichFile(sentence: Sentence, source: Source, entry: Entry): Sentence {
  const name = entry.files[0]?.split('/').at(-1);
  if (name === undefined || (source !== 'rules' && source !== 'document')) return sentence;
  return { ...sentence, text: sentence.text.replace(/(?<![\p{L}])this (?:file|document)(?![\p{L}])/giu, `\`${name}\``) };
}

/** A sentence of the agent as a statement that stands alone, or null. */
function wordConclusion(sentence: Sentence): string | null {
  if ((sentence.text.length < 20 && !/[^\x00-\x7f]/.test(sentence.text)) || sentence.text.length > LONGEST || /[:：]\s*$/.test(sentence.text)) return null;
  const lean = tighten(withoutLines(plain(sentence.text)));
  const named = nameSubject(lean, { previous: sentence.previous === null ? null : withoutLines(plain(sentence.previous)), heading: sentence.heading });
  const whole = named === null ? null : fit(polish(tighten(holdingClause(recast(named.replace(YOUR, 'the'))))));
  return whole !== null && whole.length >= 24 ? whole : null;
}

const isMinor = (one: { reading: Reading; worth: number }): boolean => one.reading.loose || one.worth < LEAST_WORTH;

function kindOf(reading: Reading): 'gotcha' | 'fact' {
  return reading.behaves && (reading.cause || reading.rule) ? 'gotcha' : 'fact';
}

/** Near-equal words, or one subject and half of them. */
function isSamePoint(one: Found, other: Found): boolean {
  const shared = likeness(one.words, other.words);
  return shared >= SAME || (shared >= SAME / 2 && one.reading.subject !== '' && one.reading.subject.toLowerCase().trim() === other.reading.subject.toLowerCase().trim());
}

/** Best first, no two on one point; a point that comes again gains a little. */
function chooseBest(found: Found[]): Found[] {
  const sorted = [...found].sort((a, b) => Number(isMinor(a)) - Number(isMinor(b)) || b.worth - a.worth || a.order - b.order);
  const kept: Found[] = [];
  for (const one of sorted) {
    const twin = kept.find((other) => isSamePoint(one, other));
    if (twin) twin.worth = Math.min(1, twin.worth + (one.entry.id === twin.entry.id ? 0 : 0.02));
    else if (kept.filter((k) => isMinor(k) === isMinor(one)).length < (isMinor(one) ? MOST_MINOR : MOST)) kept.push(one);
  }
  return kept;
}
