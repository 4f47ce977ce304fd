/** Five-hour blocks of Claude's plans, counted from the hours in which answers came. Pure. */
import type { HourSum } from '../../store/index.js';

const BLOCK_MS = 5 * 3_600_000;
/** Only Claude Code's answers count into a block. */
export const BLOCK_AGENT = 'claude-code';

/**
 * Hour -> start of its block, both ISO 8601 UTC. As ccusage counts them: a block begins with the
 * full hour of its first answer and lasts five hours; the next answer after it, or after five hours
 * of silence, begins another one.
 * @param hours in any order
 */
export function blocksOf(
  hours: readonly Pick<HourSum, 'key' | 'agent' | 'first' | 'last'>[],
): Map<string, string> {
  const spans = new Map<string, { first: number; last: number }>();
  for (const { key, agent, ...hour } of hours) {
    if (agent !== BLOCK_AGENT) continue;
    const [first, last] = [Date.parse(hour.first), Date.parse(hour.last)];
    const known = spans.get(key) ?? { first, last };
    spans.set(key, { first: Math.min(known.first, first), last: Math.max(known.last, last) });
  }
  const blocks = new Map<string, string>();
  let [start, before] = ['', Number.NEGATIVE_INFINITY];
  for (const [key, { first, last }] of [...spans].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (start === '' || first >= Date.parse(start) + BLOCK_MS || first - before > BLOCK_MS)
      start = key;
    blocks.set(key, start);
    before = last;
  }
  return blocks;
}

/** Milliseconds until a block ends; null when it has ended, or begins later. */
export function leftOf(start: string, now: Date): number | null {
  const left = Date.parse(start) + BLOCK_MS - now.getTime();
  return left > 0 && left <= BLOCK_MS ? left : null;
}
