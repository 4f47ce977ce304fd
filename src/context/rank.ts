/** Which lessons are worth their tokens, best first, and why. */

import type { Lesson } from '../types.js';
import { areasOf, pointOf, type Point } from './points.js';
import { guessTokens } from './tokens.js';

/** Tokens of a line besides its words: dash, id, newline. */
const LINE_TOKENS = 6;
/** A shorter line is not worth more for it: below this it seldom names enough to be found by. */
const SHORTEST_TOKENS = 20;
/** Each line that an area already has makes the next one of it worth this much less. */
const AREA_CROWDING = 0.3;
/** What the project's own instruction files already say comes last. */
const ALREADY_SAID = 0.02;

/** What is worth less stands in detail/ and is found by search. */
const LEAST_SHOWN = 0.2;

export interface RankInput {
  lessons: readonly Lesson[];
  /** Ids of lessons that the project's CLAUDE.md or AGENTS.md already says. */
  alreadySaid?: ReadonlySet<string>;
}

export interface Ranked {
  lesson: Lesson;
  value: number;
  reasons: string[];
}

/** Many uses lift a lesson a little. */
export const usageLift = (uses: number): number => 1 + 0.1 * Math.log(1 + Math.max(0, uses));

/** confidence x importance x worth x usage lift, per token. */
export function valueOf(lesson: Lesson, alreadySaid: boolean): number {
  const tokens = Math.max(SHORTEST_TOKENS, guessTokens(lesson.text) + LINE_TOKENS);
  const value = (lesson.confidence * lesson.importance * lesson.worth * usageLift(lesson.uses)) / tokens;
  return value * (alreadySaid ? ALREADY_SAID : 1);
}

function reasonsOf(lesson: Lesson, value: number, alreadySaid: boolean): string[] {
  return [
    `confidence ${lesson.confidence.toFixed(2)} x importance ${lesson.importance} x worth ${lesson.worth.toFixed(2)} x usage ${usageLift(lesson.uses).toFixed(2)} per token = ${value.toFixed(4)}`,
    ...(lesson.pinned ? ['pinned: comes first'] : []),
    ...(alreadySaid ? ["the project's own instructions already say it: comes last"] : []),
  ];
}

const isShown = (l: Lesson): boolean => l.status === 'live' || l.status === 'conflict';

const compareRanked = (a: Ranked, b: Ranked): number =>
  Number(b.lesson.pinned) - Number(a.lesson.pinned) || b.value - a.value || (a.lesson.id < b.lesson.id ? -1 : 1);

/** Live lessons, most valuable per token first; pinned ones before all. */
export function rankLessons(input: RankInput): Ranked[] {
  return input.lessons
    .filter((l) => isShown(l) && (l.pinned || l.saidBy === 'user' || l.worth >= LEAST_SHOWN))
    .map((lesson) => {
      const said = input.alreadySaid?.has(lesson.id) ?? false;
      const value = valueOf(lesson, said);
      return { lesson, value, reasons: reasonsOf(lesson, value, said) };
    })
    .sort(compareRanked);
}

/** Where a lesson stands: its point and its areas. */
export interface Place {
  point: Point;
  areas: string[];
}

export const placeOf = (lesson: Lesson): Place => ({ point: pointOf(lesson.text), areas: areasOf(lesson) });

/** How much the crowd in its areas takes off a lesson's value, 0..1: breadth before depth. */
export const crowding = (place: Place, areas: ReadonlyMap<string, number>): number =>
  place.areas.reduce((factor, area) => factor / (1 + AREA_CROWDING * (areas.get(area) ?? 0)), 1);
