/** Chooses lines under a token budget: the most valuable first, breadth before depth, no point twice. */

import type { Line } from './lines.js';
import { crowding, isSaid, noteChosen, pointOfLesson, type Choice, type Ranked } from './rank.js';

/** A line this long does not fit and the next ones may; after this many in a row the budget counts as full. */
const MISSES = 40;

interface Waiting {
  ranked: Ranked;
  /** Value at the crowding of the last look; it can only have fallen since. */
  value: number;
}

/** Puts back into its place by value; ties keep the rank order. */
function insert(queue: Waiting[], item: Waiting, from: number): void {
  let low = from;
  let high = queue.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (queue[mid]!.value > item.value) low = mid + 1;
    else high = mid;
  }
  queue.splice(low, 0, item);
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
  const pinned = ranked.filter((r) => r.lesson.pinned);
  let queue: Waiting[] = [...pinned, ...ranked.filter((r) => !r.lesson.pinned)].map((r) => ({ ranked: r, value: r.lesson.pinned ? Infinity : r.value }));
  let left = budget;
  let misses = 0;
  let head = 0;
  while (head < queue.length && misses < MISSES) {
    const item = queue[head++]!;
    const { lesson } = item.ranked;
    const now = lesson.pinned ? Infinity : item.ranked.value * crowding(lesson, choice);
    if (now < item.value && head < queue.length && now < queue[head]!.value) {
      insert(queue, { ranked: item.ranked, value: now }, head);
      if (head > 4096) {
        queue = queue.slice(head);
        head = 0;
      }
      continue;
    }
    const point = pointOfLesson(lesson);
    if (isSaid(point, choice)) continue;
    const line = lineOf(item.ranked);
    if (!line) continue;
    if (line.tokens > left) {
      misses++;
      continue;
    }
    misses = 0;
    left -= line.tokens;
    chosen.push(line);
    noteChosen(lesson, point, choice);
  }
  return chosen;
}
