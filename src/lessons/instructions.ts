/**
 * What a project's own instruction files (CLAUDE.md, AGENTS.md) say about its lessons: said
 * already, or the opposite.
 */

import { contentWords } from '../text/words.js';
import type { Lesson } from '../types.js';
import { contradicts, statementOf } from './wording.js';

/** Share of a lesson's words in one paragraph from which the paragraph says it already. */
const SAID_SHARE = 0.8;

/** Paragraphs and list items, since a rule may take two sentences. */
function paragraphsOf(text: string): string[] {
  return text.split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)])\s)|\n(?=#)/).filter((p) => /\p{L}/u.test(p));
}
function sentencesOf(paragraph: string): string[] {
  return paragraph.split(/(?<=[.!?;。！？])\s+|\n/).filter((s) => /\p{L}/u.test(s));
}

interface Compared {
  /** Ids of lessons that a paragraph already says. */
  alreadySaid: Set<string>;
  /** Ids of lessons that a sentence says the opposite of. */
  contradicted: Set<string>;
}

/**
 * Compares lessons with the texts of a project's own files.
 * @param deny whether a sentence of them may contradict a lesson; a README describes, it does not
 * instruct
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
    const words = new Set(contentWords(lesson.text));
    if (words.size < 2) continue;
    const statement = statementOf(lesson.text);
    if (lesson.kind !== 'command' && sentences.some((each) => contradicts(statement, each)))
      compared.contradicted.add(lesson.id);
    else if (isSaid(words)) compared.alreadySaid.add(lesson.id);
  }
  return compared;
}

/**
 * Tells whether one paragraph holds most of these words: thousands of lessons are asked about long
 * files.
 */
function saidBy(paragraphs: readonly string[]): (words: ReadonlySet<string>) => boolean {
  const places = new Map<string, number[]>();
  for (const [at, paragraph] of paragraphs.entries())
    for (const word of new Set(contentWords(paragraph))) {
      const list = places.get(word);
      if (list) list.push(at);
      else places.set(word, [at]);
    }
  return (words) => {
    const counts = new Map<number, number>();
    for (const word of words)
      for (const at of places.get(word) ?? []) counts.set(at, (counts.get(at) ?? 0) + 1);
    return [...counts.values()].some((count) => count / words.size >= SAID_SHARE);
  };
}
