/** Chooses lines under a token budget: the most valuable first, breadth before depth, no point twice. */

import type { Line } from './lines.js';
import { isOnePoint, likenessOf, rarityAmong, type Point, type Rarity } from './points.js';
import { crowding, placeOf, type Place, type Ranked } from './rank.js';

/** Most lessons that are compared with each other at a time; far fewer fit into a thousand tokens. */
const POOL = 400;
/** No line is shorter than this. */
const SHORTEST_LINE_TOKENS = 8;
/** After this many lines in a row that were too long for what is left, the budget counts as full. */
const MISSES = 25;

/** A choice under way: the points already made and how often each area was touched. */
export interface Choice {
  points: Point[];
  areas: Map<string, number>;
  rarity: Rarity;
}

/** @param ranked what will be chosen from, best first: tells which words are common here */
export function startChoice(ranked: readonly Ranked[]): Choice {
  return { points: [], areas: new Map(), rarity: rarityAmong(ranked.slice(0, POOL).map((r) => placeOf(r.lesson).point)) };
}

interface Waiting {
  ranked: Ranked;
  place: Place;
  /** Likeness to the nearest line chosen so far. */
  told: number;
  /** It makes a point that a chosen line makes. */
  said: boolean;
}

/** Notes how near a waiting lesson comes to newly chosen points. */
function compare(item: Waiting, points: readonly Point[], rarity: Rarity): void {
  for (const point of points) {
    const likeness = likenessOf(item.place.point, point, rarity);
    item.told = Math.max(item.told, likeness);
    item.said ||= isOnePoint(likeness, item.place.point, point);
  }
}

function worthNow({ ranked, place, told }: Waiting, choice: Choice): number {
  return ranked.lesson.pinned ? Infinity : ranked.value * crowding(place, choice.areas) * (1 - told);
}

/** Those with a point of their own, best at this moment first; among equals the one that ranked first. */
function orderPool(pool: readonly Waiting[], fresh: readonly Point[], choice: Choice): Waiting[] {
  for (const item of pool) compare(item, fresh, choice.rarity);
  const open = pool.filter((item) => !item.said).map((item) => ({ item, worth: worthNow(item, choice) }));
  return open.sort((a, b) => (a.worth === b.worth ? 0 : b.worth - a.worth)).map(({ item }) => item);
}

function note(place: Place, choice: Choice): void {
  choice.points.push(place.point);
  for (const area of place.areas) choice.areas.set(area, (choice.areas.get(area) ?? 0) + 1);
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
  const chosen: Line[] = [];
  let left = budget;
  let misses = 0;
  const isFull = (): boolean => left < SHORTEST_LINE_TOKENS || misses >= MISSES;
  for (let from = 0; from < ranked.length && !isFull(); from += POOL) {
    const slice = ranked
      .slice(from, from + POOL)
      .map((r): Waiting => ({ ranked: r, place: placeOf(r.lesson), told: 0, said: false }));
    let pool = orderPool(slice, choice.points, choice);
    for (let next = pool.shift(); next && !isFull(); next = pool.shift()) {
      const line = lineOf(next.ranked);
      if (!line) continue;
      if (line.tokens > left) {
        misses++;
        continue;
      }
      misses = 0;
      left -= line.tokens;
      chosen.push(line);
      note(next.place, choice);
      pool = orderPool(pool, [next.place.point], choice);
    }
  }
  return chosen;
}

/**
 * Lines in the order given, each that still fits; one in a lesson's own words stays out when its point is made already.
 * @param choice changed
 */
export function chooseInOrder(
  ranked: readonly Ranked[],
  lineOf: (ranked: Ranked) => Line | null,
  choice: Choice,
  budget: number,
): Line[] {
  const chosen: Line[] = [];
  let left = budget;
  for (const each of ranked) {
    if (left < SHORTEST_LINE_TOKENS) break;
    const item: Waiting = { ranked: each, place: placeOf(each.lesson), told: 0, said: false };
    if (each.ids.length === 1) compare(item, choice.points, choice.rarity);
    const line = item.said ? null : lineOf(each);
    if (line === null || line.tokens > left) continue;
    left -= line.tokens;
    chosen.push(line);
    note(item.place, choice);
  }
  return chosen;
}
