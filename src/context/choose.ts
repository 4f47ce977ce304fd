/** Chooses lines under a token budget: the most valuable first, breadth before depth, no point twice. */

import type { Line } from './lines.js';
import { crowding, isSaid, noteChosen, placeOf, type Choice, type Place, type Ranked } from './rank.js';

/** Lessons compared with each other at a time; the best of a project that fit a thousand tokens are far fewer. */
const POOL = 400;
/** No line is shorter than this. */
const SHORTEST_LINE_TOKENS = 8;
/** After this many lines in a row that were too long for what is left, the budget counts as full. */
const MISSES = 25;

interface Waiting {
  ranked: Ranked;
  place: Place;
}

const worthNow = ({ ranked, place }: Waiting, choice: Choice): number => (ranked.lesson.pinned ? Infinity : ranked.value * crowding(place, choice));

/** Best at this moment first; among equals the one that ranked first. */
function orderPool(pool: readonly Waiting[], choice: Choice): Waiting[] {
  const worth = new Map(pool.map((item) => [item, worthNow(item, choice)] as const));
  return [...pool].sort((a, b) => (worth.get(a)! === worth.get(b)! ? 0 : worth.get(b)! - worth.get(a)!));
}

/**
 * @param ranked best first
 * @param lineOf renders a lesson, null when it cannot stand
 * @param choice points and areas of lines chosen before; changed
 * @param budget tokens that the lines may take
 * @returns lines in the order of choosing
 */
export function chooseLines(ranked: readonly Ranked[], lineOf: (ranked: Ranked) => Line | null, choice: Choice, budget: number): Line[] {
  const chosen: Line[] = [];
  let left = budget;
  let misses = 0;
  const isFull = (): boolean => left < SHORTEST_LINE_TOKENS || misses >= MISSES;
  for (let from = 0; from < ranked.length && !isFull(); from += POOL) {
    let pool: Waiting[] = orderPool(ranked.slice(from, from + POOL).map((r) => ({ ranked: r, place: placeOf(r.lesson) })), choice);
    for (let next = pool.shift(); next && !isFull(); next = pool.shift()) {
      if (isSaid(next.place, choice)) continue;
      const line = lineOf(next.ranked);
      if (!line) continue;
      if (line.tokens > left) {
        misses++;
        continue;
      }
      misses = 0;
      left -= line.tokens;
      chosen.push(line);
      noteChosen(next.place, choice);
      pool = orderPool(pool, choice);
    }
  }
  return chosen;
}
