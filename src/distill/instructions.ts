/** What a project's own instruction files (CLAUDE.md, AGENTS.md) say about its lessons: said already, or the opposite. */

import type { Lesson } from '../types.js';
import { overlap, signatureOf, wordsOf, type Signature } from './wording.js';

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
}

function statementOf(text: string): Statement {
  return { words: wordsOf(text), signature: signatureOf(text) };
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

/** Compares lessons with the texts of a project's instruction files. */
export function compareWithInstructions(lessons: readonly Lesson[], texts: readonly string[]): Compared {
  const paragraphs = texts.flatMap(paragraphsOf);
  const said = paragraphs.map(wordsOf);
  const sentences = paragraphs.flatMap(sentencesOf).map(statementOf);
  const compared: Compared = { alreadySaid: new Set(), contradicted: new Set() };
  for (const lesson of lessons) {
    const statement = statementOf(lesson.text);
    if (statement.words.size < 2) continue;
    if (lesson.kind !== 'command' && sentences.some((s) => contradicts(statement, s))) compared.contradicted.add(lesson.id);
    else if (said.some((words) => shareIn(statement.words, words) >= SAID_SHARE)) compared.alreadySaid.add(lesson.id);
  }
  return compared;
}
