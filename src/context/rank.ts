/** Which lessons are worth their tokens, best first, and why. */

import { TOLD_AT_MOMENTS, isShown, type Lesson, type Offered } from '../types.js';
import { guessTokens } from './tokens.js';

/** Tokens of a line besides its words: dash and newline. */
const LINE_TOKENS = 2;
/** A shorter line is not worth more for it: below this it seldom names enough to be found by. */
const SHORTEST_TOKENS = 20;

/** Facts that help at one moment alone are shown then. */
export function isForThePage(lesson: Lesson): boolean {
  if (!isShown(lesson)) return false;
  if (lesson.pinned) return true;
  return lesson.fact === null
    ? lesson.saidBy === 'user' || !isOfOneHome(lesson)
    : !TOLD_AT_MOMENTS.includes(lesson.fact);
}

/**
 * Whether a claim names a file below one person's home: true on that machine alone, and wrong for
 * whoever else reads the page. Recall and detail/ have it.
 */
function isOfOneHome({ text }: Lesson): boolean {
  return /(?<![\w.~/\\-])(?:\/home\/|\/Users\/|[A-Za-z]:\\Users\\)\w/.test(text);
}

interface RankInput {
  lessons: readonly Lesson[];
  /**
   * The page as a model chose it; a place on it counts as long as its lesson's text is the same.
   */
  offered?: readonly Offered[];
  /** Ids of rules that were broken twice since they were said. */
  broken?: ReadonlySet<string>;
}

/**
 * When a lesson's turn comes: a rule that agents break, what is pinned, what the user said since a
 * model chose the page, the page in its order, everything by value, and last what the model passed
 * over.
 */
type Turn = 'broken' | 'pinned' | 'new' | 'page' | 'value' | 'passed over';
const TURNS: readonly Turn[] = ['broken', 'pinned', 'new', 'page', 'value', 'passed over'];

/** A lesson and when its turn comes. */
export interface Ranked {
  lesson: Lesson;
  turn: Turn;
  value: number;
  reasons: string[];
}

/** Many uses lift a lesson a little. */
function usageLift(uses: number): number {
  return 1 + 0.1 * Math.log(1 + Math.max(0, uses));
}

/** confidence x importance x worth x usage lift, per token. */
function valueOf({ text, confidence, importance, worth, uses }: Lesson): number {
  const tokens = Math.max(SHORTEST_TOKENS, guessTokens(text) + LINE_TOKENS);
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

function compareRanked(a: Ranked, b: Ranked): number {
  return (
    TURNS.indexOf(a.turn) - TURNS.indexOf(b.turn) ||
    b.value - a.value ||
    (a.lesson.id < b.lesson.id ? -1 : 1)
  );
}

/**
 * Live lessons, most valuable per token first; pinned ones before all, and the page that a model
 * chose in its own order.
 */
export function rankLessons(input: RankInput): Ranked[] {
  const shown = input.lessons.filter(isForThePage);
  const offers = offersOf(shown, input.offered ?? []);
  const last = Math.max(0, ...[...offers.values()].map(({ line }) => line ?? 0));
  // What ranks under all that was offered was there before: it is no news.
  const least = Math.min(...shown.filter(({ id }) => offers.has(id)).map(valueOf));
  const ranked = shown.map((lesson) =>
    input.broken?.has(lesson.id) === true
      ? placeBroken(lesson)
      : place(lesson, offers, { last, least }),
  );
  return ranked.sort(compareRanked);
}

function placeBroken(lesson: Lesson): Ranked {
  const value = valueOf(lesson);
  const reasons = [
    ...reasonsOf(lesson, value),
    'the rule was broken twice since it was said: comes first',
  ];
  return { lesson, turn: 'broken', value, reasons };
}

function place(
  lesson: Lesson,
  offers: ReadonlyMap<string, Offered>,
  { last, least }: { last: number; least: number },
): Ranked {
  const value = valueOf(lesson);
  const reasons = reasonsOf(lesson, value);
  const offer = offers.get(lesson.id);
  if (lesson.pinned) return { lesson, turn: 'pinned', value, reasons };
  // Higher for earlier places: the order is the model's.
  if (offer !== undefined && offer.line !== null)
    return {
      lesson,
      turn: 'page',
      value: last - offer.line + 1,
      reasons: [`line ${offer.line + 1} of the page that the model chose`],
    };
  if (offer !== undefined)
    return {
      lesson,
      turn: 'passed over',
      value,
      reasons: [...reasons, 'the model passed it over: comes after all that it took'],
    };
  if (offers.size > 0 && lesson.saidBy === 'user' && value >= least)
    return {
      lesson,
      turn: 'new',
      value,
      reasons: [...reasons, 'the user said it since the model chose the page: comes in beside it'],
    };
  return { lesson, turn: 'value', value, reasons };
}

/** What was offered and still reads the same, by lesson. */
function offersOf(shown: readonly Lesson[], offered: readonly Offered[]): Map<string, Offered> {
  const texts = new Map(shown.map(({ id, text }) => [id, text]));
  return new Map(
    offered
      .filter(({ lesson, before }) => texts.get(lesson) === before)
      .map((offer) => [offer.lesson, offer]),
  );
}
