/** Which lessons are worth their tokens, best first, and why. */

import { TOLD_AT_MOMENTS, isShown, type Lesson, type Offered } from '../types.js';
import { lineOf } from './lines.js';
import { guessTokens } from './tokens.js';

/** Tokens of a line besides its words: dash and newline. */
const LINE_TOKENS = 2;
/** A shorter line is not worth more for it: below this it seldom names enough to be found by. */
const SHORTEST_TOKENS = 20;
/** Facts that help at one moment alone are told then. */
export function isForThePage(lesson: Lesson): boolean {
  return isShown(lesson) && (lesson.pinned || lesson.fact === null || !TOLD_AT_MOMENTS.includes(lesson.fact));
}

interface RankInput {
  lessons: readonly Lesson[];
  /** The page as a model wrote it; a line of it counts as long as its lessons' texts are the same. */
  offered?: readonly Offered[];
  /** Ids of lessons that the project's own files contradict. */
  contradicted?: ReadonlySet<string>;
}

/**
 * When a lesson's turn comes: what is pinned, what the user said since a model wrote the page, the page in its order, everything
 * by value, and last what the model passed over.
 */
type Turn = 'pinned' | 'new' | 'page' | 'value' | 'passed over';
const TURNS: readonly Turn[] = ['pinned', 'new', 'page', 'value', 'passed over'];

/** A line to be: one lesson, or several in one wording. */
export interface Ranked {
  /** The first of its lessons, in the words of the line. */
  lesson: Lesson;
  /** Of all lessons that it stands for. */
  ids: string[];
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

function reasonsOf({ confidence, importance, worth, uses, pinned }: Lesson, value: number): string[] {
  return [
    `confidence ${confidence.toFixed(2)} x importance ${importance} x worth ${worth.toFixed(2)} ` +
      `x usage ${usageLift(uses).toFixed(2)} per token = ${value.toFixed(4)}`,
    ...(pinned ? ['pinned: comes first'] : []),
  ];
}

function compareRanked(a: Ranked, b: Ranked): number {
  return TURNS.indexOf(a.turn) - TURNS.indexOf(b.turn) || b.value - a.value || (a.lesson.id < b.lesson.id ? -1 : 1);
}

/** Live lessons, most valuable per token first; pinned ones before all, and the page that a model wrote in its own order. */
export function rankLessons(input: RankInput): Ranked[] {
  const shown = input.lessons.filter(isForThePage);
  const offers = offersOf(shown, input.offered ?? []);
  const page = linesOf(shown, offers, input);
  const composed = new Set(page.flatMap(({ ids }) => ids));
  const single = shown
    .filter((lesson) => !composed.has(lesson.id))
    .map((lesson): Ranked => {
      const value = valueOf(lesson);
      return { lesson, ids: [lesson.id], turn: 'value', value, reasons: reasonsOf(lesson, value) };
    });
  // What ranks under all that was offered was there before: it is no news.
  const least = Math.min(...shown.filter(({ id }) => offers.has(id)).map(valueOf));
  for (const each of single) {
    const { lesson, value, reasons } = each;
    if (lesson.pinned) each.turn = 'pinned';
    else if (offers.has(lesson.id)) {
      each.turn = 'passed over';
      reasons.push('the model passed it over: comes after all that it took');
    } else if (offers.size > 0 && lesson.saidBy === 'user' && value >= least) {
      each.turn = 'new';
      reasons.push('the user said it since the model wrote the page: comes in beside it');
    }
  }
  return [...single, ...page].sort(compareRanked);
}

// The page that a model wrote: lines in its order, as far as they still hold.

/** What was offered and still reads the same, by lesson. */
function offersOf(shown: readonly Lesson[], offered: readonly Offered[]): Map<string, Offered> {
  const texts = new Map(shown.map(({ id, text }) => [id, text]));
  return new Map(offered.filter(({ lesson, before }) => texts.get(lesson) === before).map((offer) => [offer.lesson, offer]));
}

function linesOf(shown: readonly Lesson[], offers: ReadonlyMap<string, Offered>, input: RankInput): Ranked[] {
  const byId = new Map(shown.map((lesson) => [lesson.id, lesson]));
  // With those whose lesson changed: they end the line for the others, too.
  const groups = new Map<number, Offered[]>();
  for (const offer of [...(input.offered ?? [])].sort((a, b) => (a.lesson < b.lesson ? -1 : 1)))
    if (offer.line !== null) groups.set(offer.line, [...(groups.get(offer.line) ?? []), offer]);
  const lines = [...groups]
    .sort(([a], [b]) => a - b)
    .flatMap(([line, group]) => {
      const members = group
        .flatMap(({ lesson }) => (offers.has(lesson) ? (byId.get(lesson) ?? []) : []))
        .filter(({ pinned }) => !pinned);
      const isWhole = members.length === group.length && holds(members, group[0]!.text, input);
      return isWhole ? [onPage(members, group[0]!.text, line)] : members.map((lesson) => onPage([lesson], lesson.text, line));
    });
  // Higher for earlier lines: the order is the model's.
  return lines.map((line, i) => ({ ...line, value: lines.length - i }));
}

/** Whether one wording may stand for these lessons: one speaker and scope, no doubt in some of them, nothing a person worded. */
function holds(lessons: readonly Lesson[], text: string, { contradicted }: RankInput): boolean {
  const [first] = lessons;
  const isUnsure = ({ id, status }: Lesson): boolean => status === 'conflict' || (contradicted?.has(id) ?? false);
  if (!first || (lessons.length === 1 && text === first.text)) return first !== undefined;
  return (
    lessons.every(
      (each) =>
        each.learnt === undefined &&
        (each.saidBy === 'user') === (first.saidBy === 'user') &&
        each.scope === first.scope &&
        each.project === first.project &&
        (lessons.length === 1 || !isUnsure(each)),
    ) && lineOf({ ...first, text }, isUnsure(first)) !== null
  );
}

function onPage(lessons: readonly Lesson[], text: string, line: number): Ranked {
  const ids = lessons.map(({ id }) => id).sort();
  const several = ids.length > 1 ? `, which stands for ${ids.map((id) => `^${id}`).join(', ')}` : '';
  const reasons = [
    `line ${line + 1} of the page that the model wrote${several}`,
    ...(lessons.length === 1 && lessons[0]!.text === text ? [] : [`it reads: ${text}`]),
  ];
  return { lesson: { ...lessons[0]!, text }, ids, turn: 'page', value: 0, reasons };
}
