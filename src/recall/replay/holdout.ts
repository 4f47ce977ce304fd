/**
 * Sessions of days with memory against those of days without. Days were drawn, not sessions, so
 * whole days are drawn again: the cluster bootstrap with percentile intervals (Davison and Hinkley,
 * Bootstrap Methods and their Application, 1997, sections 3.8 and 5.3), with a fixed seed. Pure.
 */
import { grouped } from './replay.js';

/** What one session took. */
export interface TrialSession {
  /** UTC day on which it began. */
  day: string;
  failed: number;
  repeated: number;
  corrections: number;
  tokens: number;
  turns: number;
}

const MEASURES = ['failed', 'repeated', 'corrections', 'tokens', 'turns'] as const;
export type Measure = (typeof MEASURES)[number];

/**
 * Fewer on one side show nothing. An interval from fewer drawn days would be too narrow, however
 * many sessions they have.
 */
export const LEAST_SESSIONS = 30;
export const LEAST_DAYS = 8;

const DRAWS = 2000;
const SEED = 20261101;

/** A mean a session, or a difference of two, with its interval of 95 %. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

export interface Comparison {
  measure: Measure;
  withMemory: Estimate;
  without: Estimate;
  /** `without` less `withMemory`: what memory saved. */
  saved: Estimate;
  /** The interval of the difference does not hold 0. */
  isSeen: boolean;
}

interface Side {
  sessions: number;
  days: number;
}

export interface Trial {
  withMemory: Side;
  without: Side;
  /** Null while one side is too small. */
  measures: Comparison[] | null;
}

export function compareSides(
  sessions: readonly TrialSession[],
  isWithout: (day: string) => boolean,
): Trial {
  const days = [...grouped(sessions, ({ day }) => day)].sort(([a], [b]) => (a < b ? -1 : 1));
  const [held, told] = [true, false].map((without) =>
    days.flatMap(([day, of]) => (isWithout(day) === without ? [of] : [])),
  );
  const [without, withMemory] = [sideOf(held!), sideOf(told!)];
  const isEnough = [without, withMemory].every(
    (side) => side.sessions >= LEAST_SESSIONS && side.days >= LEAST_DAYS,
  );
  return {
    withMemory,
    without,
    measures: isEnough ? MEASURES.map((measure) => compare(measure, told!, held!)) : null,
  };
}

type Day = readonly TrialSession[];

function sideOf(days: readonly Day[]): Side {
  return { sessions: days.reduce((sum, { length }) => sum + length, 0), days: days.length };
}

function compare(measure: Measure, told: readonly Day[], held: readonly Day[]): Comparison {
  const random = seeded(SEED);
  const [sumsTold, sumsHeld] = [told, held].map((days) =>
    days.map((day) => ({ sum: day.reduce((sum, each) => sum + each[measure], 0), n: day.length })),
  );
  const draws = Array.from({ length: DRAWS }, () => [
    meanOf(redrawn(sumsTold!, random)),
    meanOf(redrawn(sumsHeld!, random)),
  ]);
  const withMemory = estimate(
    meanOf(sumsTold!),
    draws.map(([mean]) => mean!),
  );
  const without = estimate(
    meanOf(sumsHeld!),
    draws.map(([, mean]) => mean!),
  );
  const saved = estimate(
    without.value - withMemory.value,
    draws.map(([a, b]) => b! - a!),
  );
  return { measure, withMemory, without, saved, isSeen: saved.low > 0 || saved.high < 0 };
}

interface Sum {
  sum: number;
  n: number;
}

function meanOf(days: readonly Sum[]): number {
  return days.reduce((all, { sum }) => all + sum, 0) / days.reduce((all, { n }) => all + n, 0);
}

function redrawn(days: readonly Sum[], random: () => number): Sum[] {
  return days.map(() => days[Math.floor(random() * days.length)]!);
}

function estimate(value: number, draws: number[]): Estimate {
  const sorted = draws.sort((a, b) => a - b);
  return {
    value,
    low: sorted[Math.floor(DRAWS * 0.025)]!,
    high: sorted[Math.ceil(DRAWS * 0.975) - 1]!,
  };
}

/** mulberry32 (Tommy Ettinger, public domain): uniform in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
