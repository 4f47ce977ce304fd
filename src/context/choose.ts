/** Chooses lines under a token budget: the most valuable first, breadth before depth, no point twice. */

import type { Line } from './lines.js';
import { isOnePoint, likenessOf, rarityAmong, type Rarity } from './points.js';
import { crowding, placeOf, type Place, type Ranked } from './rank.js';

/** Most lessons that are compared with each other at a time; far fewer fit into a thousand tokens. */
const POOL = 400;
/** No line is shorter than this. */
const SHORTEST_LINE_TOKENS = 8;
/** After this many lines in a row that were too long for what is left, the budget counts as full. */
const MISSES = 25;

/** A choice under way: the lines already chosen and how often each area was touched. */
export interface Choice {
  places: Place[];
  areas: Map<string, number>;
  rarity: Rarity;
}

/** @param ranked what will be chosen from, best first: tells which words are common here */
export function startChoice(ranked: readonly Ranked[]): Choice {
  return { places: [], areas: new Map(), rarity: rarityAmong(ranked.slice(0, POOL).map((r) => placeOf(r.lesson).point)) };
}

interface Waiting {
  ranked: Ranked;
  place: Place;
  /** Likeness to the nearest line chosen so far. */
  told: number;
  /** It makes a point that a chosen line makes. */
  said: boolean;
}

/** Notes how near a waiting lesson comes to newly chosen lines. The other side of a conflict is a point of its own. */
function compare(item: Waiting, places: readonly Place[], rarity: Rarity): void {
  for (const { lesson, point } of places) {
    if (lesson.conflictsWith.includes(item.place.lesson.id)) continue;
    const likeness = likenessOf(item.place.point, point, rarity);
    item.told = Math.max(item.told, likeness);
    item.said ||= isOnePoint(likeness, item.place.point, point);
  }
}

function worthNow({ ranked, place, told }: Waiting, choice: Choice): number {
  return ranked.lesson.pinned ? Infinity : ranked.value * crowding(place, choice.areas) * (1 - told);
}

/** Those with a point of their own, best at this moment first; among equals the one that ranked first. */
function orderPool(pool: readonly Waiting[], fresh: readonly Place[], choice: Choice): Waiting[] {
  for (const item of pool) compare(item, fresh, choice.rarity);
  const open = pool.filter((item) => !item.said).map((item) => ({ item, worth: worthNow(item, choice) }));
  return open.sort((a, b) => (a.worth === b.worth ? 0 : b.worth - a.worth)).map(({ item }) => item);
}

/** Lines taken so far under a budget of tokens. */
class Filling {
  readonly lines: Line[] = [];

  constructor(
    private readonly choice: Choice,
    public left: number,
  ) {}

  get isFull(): boolean {
    return this.left < SHORTEST_LINE_TOKENS;
  }

  /** @returns whether the line fits; its point then counts as made */
  take(line: Line, place: Place): boolean {
    if (line.tokens > this.left) return false;
    this.left -= line.tokens;
    this.lines.push(line);
    this.choice.places.push(place);
    for (const area of place.areas) this.choice.areas.set(area, (this.choice.areas.get(area) ?? 0) + 1);
    return true;
  }
}

function waitingOf(ranked: Ranked): Waiting {
  return { ranked, place: placeOf(ranked.lesson), told: 0, said: false };
}

/**
 * @param ranked best first
 * @param lineOf renders a lesson, null when it cannot stand
 * @param choice points and areas of lines chosen before; changed
 * @param budget tokens that the lines may take
 * @returns lines in the order of choosing
 */
export function chooseLines(
  ranked: readonly Ranked[],
  lineOf: (ranked: Ranked) => Line | null,
  choice: Choice,
  budget: number,
): Line[] {
  const filling = new Filling(choice, budget);
  let misses = 0;
  const isFull = (): boolean => filling.isFull || misses >= MISSES;
  for (let from = 0; from < ranked.length && !isFull(); from += POOL) {
    let pool = orderPool(ranked.slice(from, from + POOL).map(waitingOf), choice.places, choice);
    for (let next = pool.shift(); next && !isFull(); next = pool.shift()) {
      const line = lineOf(next.ranked);
      if (!line) continue;
      const fits = filling.take(line, next.place);
      misses = fits ? 0 : misses + 1;
      if (fits) pool = orderPool(pool, [next.place], choice);
    }
  }
  return filling.lines;
}

/** At least this share of a page that a model chose is for what came up in several sessions. */
const SEVERAL_SHARE = 1 / 3;

/**
 * Lines in the order given, each that still fits and whose point is not made yet. What was seen in one session alone leaves a
 * third of the room to what came up in several, as far as there is any.
 * @param choice changed
 */
export function chooseInOrder(
  ranked: readonly Ranked[],
  lineOf: (ranked: Ranked) => Line | null,
  choice: Choice,
  budget: number,
): Line[] {
  const filling = new Filling(choice, budget);
  const items = ranked.map(waitingOf);
  let kept = Math.min(budget * SEVERAL_SHARE, spentOn(ranked.filter(isSeveral), lineOf));
  const later: Waiting[] = [];
  for (const item of items) {
    const line = tryLine(item, choice, lineOf);
    if (line === null) continue;
    if (!isSeveral(item.ranked) && line.tokens > filling.left - kept) later.push(item);
    else if (filling.take(line, item.place) && isSeveral(item.ranked)) kept = Math.max(0, kept - line.tokens);
  }
  for (const item of later) {
    const line = tryLine(item, choice, lineOf);
    if (line !== null) filling.take(line, item.place);
  }
  return filling.lines;
}

function isSeveral({ lesson }: Ranked): boolean {
  return lesson.sessions > 1 || lesson.pinned;
}

function spentOn(ranked: readonly Ranked[], lineOf: (ranked: Ranked) => Line | null): number {
  return ranked.reduce((sum, each) => sum + (lineOf(each)?.tokens ?? 0), 0);
}

function tryLine(item: Waiting, choice: Choice, lineOf: (ranked: Ranked) => Line | null): Line | null {
  compare(item, choice.places, choice.rarity);
  return item.said ? null : lineOf(item.ranked);
}
