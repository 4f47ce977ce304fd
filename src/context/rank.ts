/** Which lessons are worth their tokens, best first, and why. */

import { ONCE_TAG, SHOWN_AT_MOMENTS, isShown, type Lesson } from '../types.js';
import { countTokens } from '../text/tokens.js';

/** Tokens of a line's dash and newline. */
const LINE_TOKENS = 2;
/**
 * A shorter line counts as this long, since it often lacks words by which a search could find it.
 */
const SHORTEST_TOKENS = 20;

/** Leaves out facts that are useful only at a moment, since hooks show those. */
export function isForThePage(lesson: Lesson): boolean {
  if (!isShown(lesson)) return false;
  if (lesson.pinned) return true;
  if (lesson.tags.includes(ONCE_TAG) && lesson.sessions < 2) return false;
  return lesson.fact === null
    ? lesson.said_by === 'user' || !isOfOneHome(lesson)
    : !SHOWN_AT_MOMENTS.includes(lesson.fact);
}

/** Whether a claim names a file below a person's home, so that it is true only on one machine. */
function isOfOneHome({ text }: Lesson): boolean {
  return /(?<![\w.~/\\-])(?:\/home\/|\/Users\/|[A-Za-z]:\\Users\\)\w/.test(text);
}

/** The order of lessons: rules that agents break, pinned lessons, then all others by value. */
type Turn = 'broken' | 'pinned' | 'value';
const TURNS: readonly Turn[] = ['broken', 'pinned', 'value'];

/** A lesson and its place in the order. */
export interface RankedLesson {
  lesson: Lesson;
  turn: Turn;
  value: number;
  reasons: string[];
}

/** Many uses raise the value of a lesson a little. */
function usageLift(uses: number): number {
  return 1 + 0.1 * Math.log(1 + Math.max(0, uses));
}

/** confidence x importance x worth x usage lift, per token. */
function valueOf({ text, confidence, importance, worth, uses }: Lesson): number {
  const tokens = Math.max(SHORTEST_TOKENS, countTokens(text) + LINE_TOKENS);
  return (confidence * importance * worth * usageLift(uses)) / tokens;
}

function reasonsOf(
  { confidence, importance, worth, uses, pinned }: Lesson,
  value: number,
): string[] {
  return [
    `confidence ${confidence.toFixed(2)} x importance ${importance} x worth ${worth.toFixed(2)} ` +
      `x usage ${usageLift(uses).toFixed(2)} per token = ${value.toFixed(4)}`,
    ...(pinned ? ['pinned: comes first'] : []),
  ];
}

function compareRanked(a: RankedLesson, b: RankedLesson): number {
  return (
    TURNS.indexOf(a.turn) - TURNS.indexOf(b.turn) ||
    b.value - a.value ||
    (a.lesson.id < b.lesson.id ? -1 : 1)
  );
}

/**
 * Live lessons: rules that agents broke, pinned ones, then the most valuable per token.
 * @param broken ids of rules that were broken twice since they were said
 */
export function rankLessons(
  lessons: readonly Lesson[],
  broken: ReadonlySet<string> = new Set(),
): RankedLesson[] {
  return lessons
    .filter(isForThePage)
    .map((lesson) => place(lesson, broken.has(lesson.id)))
    .sort(compareRanked);
}

function place(lesson: Lesson, isBroken: boolean): RankedLesson {
  const value = valueOf(lesson);
  const reasons = reasonsOf(lesson, value);
  if (isBroken) reasons.push('the rule was broken twice since it was said: comes first');
  return { lesson, turn: isBroken ? 'broken' : lesson.pinned ? 'pinned' : 'value', value, reasons };
}
