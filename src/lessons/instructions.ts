/** What a project's own instruction files (CLAUDE.md, AGENTS.md) say about its lessons: said already, or the opposite. */

import type { Lesson } from '../types.js';
import { isNegated, overlap, signatureOf, wordsOf, type Signature } from './wording.js';

/** Share of a lesson's words in one paragraph from which the paragraph says it already. */
const SAID_SHARE = 0.8;
/**
 * Words in common from which two statements are about the same thing, so that a negation or a number between them is a
 * contradiction.
 */
const SAME_TOPIC = 0.6;

interface Statement {
  words: Set<string>;
  signature: Signature;
  /** As they stand, with the commas. */
  tokens: string[];
  denial: Denial | null;
}

function statementOf(text: string): Statement {
  const tokens =
    text
      .replaceAll('`', '')
      .toLowerCase()
      .match(/[\p{L}\p{N}_@][\p{L}\p{N}_@./'’+-]*(?<![./'’+-])|,/gu) ?? [];
  return { words: wordsOf(text), signature: signatureOf(text), tokens, denial: denialIn(tokens) };
}

/** "Use pnpm, not npm" denies "use npm"; so does "never use npm". */
interface Denial {
  /** What is denied, and what stands before it where it would be said. */
  word: string;
  left: string;
  /** What holds in its place; null for a prohibition. */
  instead: string | null;
  before: Set<string>;
  after: Set<string>;
}

const CONTRAST = new Set(['not', 'instead', 'rather', 'never']);
const FORBIDS = new Set(['never', "don't", 'don’t', 'avoid', 'stop']);
/** They change nothing of what is said; "here" is where it is said. */
const FILLERS = new Set([',', 'the', 'a', 'an', 'our', 'always', 'only', 'just', 'please', 'do', 'we', 'you']);
const HERE = new Set(['here', 'repository', 'repo', 'project', 'codebase']);

function isContent(token: string): boolean {
  return token !== ',' && wordsOf(token).size > 0 && !FILLERS.has(token);
}
/** The word before a place that is no filler and no number; '' at the beginning. */
function leftOf(tokens: readonly string[], at: number): string {
  return tokens.slice(0, at).findLast((token) => !FILLERS.has(token) && !/^\d/.test(token)) ?? '';
}
function topicOf(tokens: readonly string[]): Set<string> {
  return new Set([...wordsOf(tokens.filter((token) => isContent(token)).join(' '))].filter((word) => !HERE.has(word)));
}

function denialIn(tokens: readonly string[]): Denial | null {
  const at = tokens.findIndex((token) => CONTRAST.has(token) || FORBIDS.has(token));
  const denied = tokens.findIndex((token, i) => i > at && isContent(token) && !CONTRAST.has(token));
  if (at < 0 || denied < 0) return null;
  const [word, after] = [tokens[denied]!, topicOf(tokens.slice(denied + 1))];
  const own = tokens[at - 1] === ',' ? at - 2 : at - 1;
  // "tabs, never spaces", but not "tests never wait".
  if (CONTRAST.has(tokens[at]!) && own >= 0 && isContent(tokens[own]!) && (own === at - 2 || tokens[at] !== 'never'))
    return { word, left: leftOf(tokens, own), instead: tokens[own]!, before: topicOf(tokens.slice(0, own)), after };
  const isRule = tokens.slice(0, at).every((token) => FILLERS.has(token));
  const rest = tokens.slice(at + 1);
  return isRule ? { word, left: leftOf(rest, rest.indexOf(word)), instead: null, before: new Set(), after } : null;
}

/** Does a statement say what another one denies, of the same thing? */
function affirms({ tokens, words }: Statement, { word, left, instead, before, after }: Denial): boolean {
  const at = tokens.indexOf(word);
  if (at < 0 || leftOf(tokens, at) !== left || isNegated(tokens.join(' '))) return false;
  if (instead !== null && tokens.includes(instead)) return false;
  const own = topicOf(tokens.slice(at + 1));
  // What is said without a qualification holds for what is qualified; a prohibition forbids what it names alone.
  const isAbout = after.size === 0 || (own.size === 0 ? instead !== null : shareIn(after, own) >= SAME_TOPIC);
  return isAbout && (before.size === 0 || shareIn(before, words) >= SAME_TOPIC);
}

/** Paragraphs and list items, since a rule may take two sentences. */
function paragraphsOf(text: string): string[] {
  return text.split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)|\n(?=#)/).filter((p) => /\p{L}/u.test(p));
}
function sentencesOf(paragraph: string): string[] {
  return paragraph.split(/(?<=[.!?;。！？])\s+|\n/).filter((s) => /\p{L}/u.test(s));
}

function shareIn(words: ReadonlySet<string>, said: ReadonlySet<string>): number {
  return [...words].filter((w) => said.has(w)).length / words.size;
}

function contradicts(a: Statement, b: Statement): boolean {
  if ((a.denial !== null && affirms(b, a.denial)) || (b.denial !== null && affirms(a, b.denial))) return true;
  if (overlap(a.words, b.words) < SAME_TOPIC || a.signature.named !== b.signature.named) return false;
  if (a.signature.negated !== b.signature.negated) return a.signature.numbers === b.signature.numbers;
  return (
    a.signature.numbers !== b.signature.numbers && a.signature.numbers.split(' ').length === b.signature.numbers.split(' ').length
  );
}

interface Compared {
  /** Ids of lessons that a paragraph already says. */
  alreadySaid: Set<string>;
  /** Ids of lessons that a sentence says the opposite of. */
  contradicted: Set<string>;
}

/**
 * Compares lessons with the texts of a project's own files.
 * @param deny whether a sentence of them may contradict a lesson; a README describes, it does not instruct
 */
export function compareWithInstructions(
  lessons: readonly Lesson[],
  texts: readonly string[],
  { deny = true }: { deny?: boolean } = {},
): Compared {
  const paragraphs = texts.flatMap(paragraphsOf);
  const isSaid = saidBy(paragraphs);
  const sentences = deny ? paragraphs.flatMap(sentencesOf).map(statementOf) : [];
  const compared: Compared = { alreadySaid: new Set(), contradicted: new Set() };
  for (const lesson of lessons) {
    const statement = statementOf(lesson.text);
    if (statement.words.size < 2) continue;
    if (lesson.kind !== 'command' && sentences.some((s) => contradicts(statement, s))) compared.contradicted.add(lesson.id);
    else if (isSaid(statement.words)) compared.alreadySaid.add(lesson.id);
  }
  return compared;
}

/** Tells whether one paragraph holds most of these words: thousands of lessons are asked about long files. */
function saidBy(paragraphs: readonly string[]): (words: ReadonlySet<string>) => boolean {
  const places = new Map<string, number[]>();
  for (const [at, paragraph] of paragraphs.entries())
    for (const word of wordsOf(paragraph)) {
      const list = places.get(word);
      if (list) list.push(at);
      else places.set(word, [at]);
    }
  return (words) => {
    const counts = new Map<number, number>();
    for (const word of words) for (const at of places.get(word) ?? []) counts.set(at, (counts.get(at) ?? 0) + 1);
    return [...counts.values()].some((count) => count / words.size >= SAID_SHARE);
  };
}
