/** A lesson as one line of context.md. */
import type { Lesson } from '../types.js';
import { neutralise } from './neutralise.js';
import { countTokens } from '../text/tokens.js';

/** Longest line, from its dash to its end. */
export const MAX_LINE = 320;

/** A longer text does not fit into a line even without its markup. */
const MAX_RAW = 2 * MAX_LINE;

export interface PageLine {
  lesson: Lesson;
  /** Without the newline. */
  text: string;
  /** With the newline. */
  tokens: number;
}

/**
 * Text of a lesson's line; cuts a long note. Null if nothing remains, and for a long text of the
 * person, since half a rule misleads.
 */
function pageLine(lesson: Pick<Lesson, 'text' | 'said_by' | 'evidence'>): string | null {
  const { text, said_by } = lesson;
  const denied = deniedIn(lesson);
  const most = MAX_LINE - '- '.length - denied.length;
  if (said_by === 'user' && text.length > MAX_RAW) return null;
  const words = neutralise(text.slice(0, MAX_RAW));
  const isWhole = words.length <= most && text.length <= MAX_RAW;
  if (words === '' || (said_by === 'user' && !isWhole)) return null;
  return `- ${isWhole ? words : cutAt(words, most)}${denied}`;
}

/** Mark with the day when an agent's claim was contradicted after its last support, or ''. */
export function deniedIn({ said_by, evidence }: Pick<Lesson, 'said_by' | 'evidence'>): string {
  const last = (supports: boolean): string =>
    evidence.reduce((day, e) => (e.supports === supports && e.day > day ? e.day : day), '');
  const day = last(false);
  return said_by !== 'agent' || day === '' || day < last(true) ? '' : ` (contradicted on ${day})`;
}

/** The whole sentences that fit, else the first words with an ellipsis. */
function cutAt(text: string, most: number): string {
  const start = text.slice(0, most);
  const sentences = /^.{40,}[.!?](?=\s)|^.{20,}[。！？]/u.exec(`${start} `)?.[0];
  const words = start.slice(0, most - 1).replace(/\s+\S*$/, '');
  return neutralise(sentences ?? `${words}…`).slice(0, most);
}

/** Why a lesson cannot be a line of the page; null if it can. */
export function whyNoLine(lesson: Pick<Lesson, 'text' | 'said_by' | 'evidence'>): string | null {
  if (pageLine(lesson) !== null) return null;
  return neutralise(lesson.text) === ''
    ? 'nothing of it is left without its markup'
    : `longer than a line of the page (${MAX_LINE} characters): detail/, search and recall have it, the page does not`;
}

/** The line of a lesson with its tokens; null if {@link pageLine} is null. */
export function lineOf(lesson: Lesson): PageLine | null {
  const text = pageLine(lesson);
  return text === null ? null : { lesson, text, tokens: countTokens(`${text}\n`) };
}

// Ids short enough for a line of context.md.

const SHORTEST = 3;

function sharedPrefix(a: string, b: string): number {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
}

/** The shortest unique prefix of each id, with at least `least` characters. */
export function shortIds(ids: Iterable<string>, least: number = SHORTEST): Map<string, string> {
  const sorted = [...new Set(ids)].sort();
  return new Map(
    sorted.map((id, i) => {
      const near = Math.max(
        sharedPrefix(id, sorted[i - 1] ?? ''),
        sharedPrefix(id, sorted[i + 1] ?? ''),
      );
      return [id, id.slice(0, Math.max(least, near + 1))];
    }),
  );
}
