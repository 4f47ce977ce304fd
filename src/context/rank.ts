/** Which lessons are worth their tokens, best first, and why. */

import { isShown, shownWorth, type Lesson, type Offered } from '../types.js';
import { areasOf, pointOf, type Point } from './points.js';
import { guessTokens } from './tokens.js';

/** Tokens of a line besides its words: dash and newline. */
const LINE_TOKENS = 2;
/** A shorter line is not worth more for it: below this it seldom names enough to be found by. */
const SHORTEST_TOKENS = 20;
/** Each line that an area already has makes the next one of it worth this much less. */
const AREA_CROWDING = 0.3;
/** What the project's own instruction files already say comes last. */
const ALREADY_SAID = 0.02;

/**
 * The stop line: what is worth less stands in detail/ and is found by search, however much room is left (figures:
 * docs/decisions/judge.md).
 */
export const LEAST_SHOWN = 0.36;
/**
 * What an agent said in passing, in one session: of eight such lines between .36 and .37 that a reader held against the logs
 * none was useful (three were wrong, three of one moment), while what agents had written down for later was. They stay in
 * detail/ and search.
 */
const LEAST_SPOKEN = 0.5;
/** What a person said in so many sessions needs less worth. Repeated requests, like committing, are below this line too. */
const SAID_AGAIN = 2;
const LEAST_SAID_AGAIN = 0.1;

/** Whether a lesson may be shown at all. */
export function isAboveTheLine(lesson: Lesson, least = LEAST_SHOWN): boolean {
  return lesson.pinned || shownWorth(lesson) >= leastWorth(lesson, least);
}

/** The line that holds for this lesson. */
export function leastWorth(
  { saidBy, sessions, tags }: Pick<Lesson, 'saidBy' | 'sessions' | 'tags'>,
  least = LEAST_SHOWN,
): number {
  if (saidBy === 'agent' && sessions < SAID_AGAIN && tags.includes('conclusion')) return Math.max(least, LEAST_SPOKEN);
  return saidBy === 'user' && sessions >= SAID_AGAIN ? Math.min(least, LEAST_SAID_AGAIN) : least;
}

/**
 * Factors for what a model took or left of its offer. They do not decide alone: new words of the user still rank above its
 * choice.
 */
const TAKEN = 4;
const PASSED_OVER = 0.25;

interface RankInput {
  lessons: readonly Lesson[];
  /** What a model was offered; it counts for lessons whose text is still the same. */
  offered?: readonly Offered[];
  /** Ids of lessons that the project's CLAUDE.md or AGENTS.md already says. */
  alreadySaid?: ReadonlySet<string>;
  /** The stop line, when another is measured. */
  leastWorth?: number;
}

export interface Ranked {
  lesson: Lesson;
  value: number;
  reasons: string[];
}

/** Many uses lift a lesson a little. */
function usageLift(uses: number): number {
  return 1 + 0.1 * Math.log(1 + Math.max(0, uses));
}

/** How a lesson ranks beside its own worth. */
interface Standing {
  alreadySaid: boolean;
  /** Null: a model was not offered it. */
  taken: boolean | null;
}

/** confidence x importance x worth x usage lift, per token. */
function valueOf(lesson: Lesson, { alreadySaid, taken }: Standing): number {
  const tokens = Math.max(SHORTEST_TOKENS, guessTokens(lesson.text) + LINE_TOKENS);
  const value = (lesson.confidence * lesson.importance * shownWorth(lesson) * usageLift(lesson.uses)) / tokens;
  return value * (alreadySaid ? ALREADY_SAID : 1) * (taken === null ? 1 : taken ? TAKEN : PASSED_OVER);
}

function reasonsOf(lesson: Lesson, value: number, { alreadySaid, taken }: Standing): string[] {
  return [
    `confidence ${lesson.confidence.toFixed(2)} x importance ${lesson.importance} x worth ${shownWorth(lesson).toFixed(2)} ` +
      `x usage ${usageLift(lesson.uses).toFixed(2)} per token = ${value.toFixed(4)}`,
    ...(lesson.pinned ? ['pinned: comes first'] : []),
    ...(alreadySaid ? ["the project's own instructions already say it: comes last"] : []),
    ...(taken === null ? [] : [taken ? `the model chose it: x ${TAKEN}` : `the model passed it over: x ${PASSED_OVER}`]),
  ];
}

function compareRanked(a: Ranked, b: Ranked): number {
  return Number(b.lesson.pinned) - Number(a.lesson.pinned) || b.value - a.value || (a.lesson.id < b.lesson.id ? -1 : 1);
}

/** Live lessons, most valuable per token first; pinned ones before all. */
export function rankLessons(input: RankInput): Ranked[] {
  const texts = new Map(input.lessons.map(({ id, text }) => [id, text]));
  const offers = new Map(
    (input.offered ?? []).filter(({ lesson, before }) => texts.get(lesson) === before).map((offer) => [offer.lesson, offer]),
  );
  return input.lessons
    .filter((l) => isShown(l) && (isAboveTheLine(l, input.leastWorth) || offers.get(l.id)?.taken === true))
    .map((known) => {
      const offer = offers.get(known.id);
      const lesson = offer?.taken === true ? { ...known, text: offer.text } : known;
      const standing = { alreadySaid: input.alreadySaid?.has(lesson.id) ?? false, taken: offer?.taken ?? null };
      const value = valueOf(lesson, standing);
      return { lesson, value, reasons: reasonsOf(lesson, value, standing) };
    })
    .sort(compareRanked);
}

/** Where a lesson stands: its point and its areas. */
export interface Place {
  point: Point;
  areas: string[];
}

export function placeOf(lesson: Lesson): Place {
  return { point: pointOf(lesson.text), areas: areasOf(lesson) };
}

/** How much the crowd in its areas takes off a lesson's value, 0..1: breadth before depth. */
export function crowding(place: Place, areas: ReadonlyMap<string, number>): number {
  return place.areas.reduce((factor, area) => factor / (1 + AREA_CROWDING * (areas.get(area) ?? 0)), 1);
}
