/** Chooses lines under a token budget, in the order given. */

import type { Line } from './lines.js';
import type { Ranked } from './rank.js';

/** No line is shorter than this. */
const SHORTEST_LINE_TOKENS = 8;
/** After this many lines in a row that were too long for what is left, the budget counts as full. */
const MISSES = 25;

/**
 * Each line that still fits.
 * @param ranked best first
 * @param lineOf renders a lesson, null when it cannot stand
 * @param budget tokens that the lines may take
 */
export function chooseLines(ranked: readonly Ranked[], lineOf: (ranked: Ranked) => Line | null, budget: number): Line[] {
  const lines: Line[] = [];
  let left = budget;
  let misses = 0;
  for (const each of ranked) {
    if (left < SHORTEST_LINE_TOKENS || misses >= MISSES) break;
    const line = lineOf(each);
    if (line === null) continue;
    misses = line.tokens > left ? misses + 1 : 0;
    if (line.tokens > left) continue;
    left -= line.tokens;
    lines.push(line);
  }
  return lines;
}
