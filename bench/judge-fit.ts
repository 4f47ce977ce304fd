/**
 * Fitting of the judge's weights: ridge regression on hashed words by conjugate gradients, Platt's calibration, and the measures.
 */

/** Rows of hashed words (each row scaled by 1 / sqrt of their number) beside dense numbers. */
export interface Rows {
  /** Row r has the places `words[starts[r]] … words[starts[r + 1] - 1]`. */
  starts: Uint32Array;
  words: Uint32Array;
  /** 1 / sqrt of the row's words, counted before the rare ones were left out. */
  norms: Float64Array;
  dense: Float64Array;
  width: number;
  hashed: number;
}

export interface Fit {
  words: Float64Array;
  dense: Float64Array;
  bias: number;
}

/** Dense numbers count this much of a word: a tenth of them are on at a time. */
const DENSE_SCALE = 0.5;
const STEPS = 40;
const PRECISE = 1e-4;

/** Score of one row, without the bias. */
export function applyRow(rows: Rows, row: number, words: Float64Array, dense: Float64Array): number {
  let sum = 0;
  for (let at = rows.starts[row]!; at < rows.starts[row + 1]!; at += 1) sum += words[rows.words[at]!]!;
  sum *= rows.norms[row]!;
  for (let j = 0, from = row * rows.width; j < rows.width; j += 1) sum += dense[j]! * rows.dense[from + j]! * DENSE_SCALE;
  return sum;
}

function addRow(rows: Rows, row: number, factor: number, words: Float64Array, dense: Float64Array): void {
  const scaled = factor * rows.norms[row]!;
  for (let at = rows.starts[row]!; at < rows.starts[row + 1]!; at += 1) words[rows.words[at]!]! += scaled;
  for (let j = 0, from = row * rows.width; j < rows.width; j += 1) dense[j]! += factor * rows.dense[from + j]! * DENSE_SCALE;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += a[at]! * b[at]!;
  return sum;
}

function addTimes(to: Float64Array, factor: number, from: Float64Array): void {
  for (let at = 0; at < to.length; at += 1) to[at]! += factor * from[at]!;
}

/** Minimises the weighted squared error plus `ridge` times the squared weights; the same rows give the same bits. */
export function fitRidge(
  rows: Rows,
  chosen: readonly number[],
  target: ArrayLike<number>,
  weight: ArrayLike<number>,
  ridge: number,
): Fit {
  const size = rows.hashed + rows.width;
  const split = (all: Float64Array): [Float64Array, Float64Array] => [all.subarray(0, rows.hashed), all.subarray(rows.hashed)];
  let total = 0;
  let mean = 0;
  for (const row of chosen) {
    total += weight[row]!;
    mean += weight[row]! * target[row]!;
  }
  mean /= Math.max(1e-9, total);
  const normal = (vector: Float64Array): Float64Array => {
    const out = new Float64Array(size);
    const [words, dense] = split(vector);
    const [outWords, outDense] = split(out);
    for (const row of chosen) addRow(rows, row, weight[row]! * applyRow(rows, row, words, dense), outWords, outDense);
    addTimes(out, ridge, vector);
    return out;
  };
  const solution = new Float64Array(size);
  const rest = new Float64Array(size);
  for (const row of chosen) addRow(rows, row, weight[row]! * (target[row]! - mean), ...split(rest));
  const way = rest.slice();
  let left = dot(rest, rest);
  const enough = left * PRECISE * PRECISE;
  for (let step = 0; step < STEPS && left > enough; step += 1) {
    const image = normal(way);
    const length = left / dot(way, image);
    addTimes(solution, length, way);
    addTimes(rest, -length, image);
    const after = dot(rest, rest);
    for (let at = 0; at < size; at += 1) way[at] = rest[at]! + (after / left) * way[at]!;
    left = after;
  }
  const [words, dense] = split(solution);
  return { words, dense: dense.map((value) => value * DENSE_SCALE), bias: mean };
}

/** Score of a row under a fit. */
export function scoreRow(rows: Rows, row: number, fit: Fit): number {
  let sum = 0;
  for (let at = rows.starts[row]!; at < rows.starts[row + 1]!; at += 1) sum += fit.words[rows.words[at]!]!;
  sum = fit.bias + sum * rows.norms[row]!;
  for (let j = 0, from = row * rows.width; j < rows.width; j += 1) sum += fit.dense[j]! * rows.dense[from + j]!;
  return sum;
}

function ranked(scores: readonly number[]): number[] {
  return scores.map((_, row) => row).sort((a, b) => scores[b]! - scores[a]! || a - b);
}

/** A probability that rests on fewer rows moves too much from project to project. */
const LEAST_IN_STEP = 30;

/**
 * Rising probabilities by score (isotonic regression over groups of neighbours): the best tenth of the rows is looked at as
 * closely as all the rest, since lines are chosen there. A line through the log odds said 0.5 where 0.35 was true.
 * @returns exactly `steps` scores and probabilities; the last is repeated when fewer are needed
 */
export function fitCalibration(
  scores: readonly number[],
  positive: readonly boolean[],
  steps: number,
): { scores: Float32Array; probabilities: Float32Array } {
  const order = ranked(scores).reverse();
  const tail = Math.floor(order.length * 0.9);
  const half = Math.floor(steps / 2);
  const most = (from: number, to: number): number => Math.max(LEAST_IN_STEP, Math.ceil((to - from) / half));
  const groups: { rows: number; score: number; yes: number }[] = [];
  for (let from = 0; from < order.length;) {
    const to = from < tail ? Math.min(tail, from + most(0, tail)) : Math.min(order.length, from + most(tail, order.length));
    const rows = order.slice(from, to);
    groups.push({
      rows: rows.length,
      score: rows.reduce((sum, row) => sum + scores[row]!, 0),
      yes: rows.filter((row) => positive[row]!).length,
    });
    for (
      let last = groups.at(-1)!, before = groups.at(-2);
      before && before.yes * last.rows >= last.yes * before.rows;
      last = groups.at(-1)!, before = groups.at(-2)
    ) {
      groups.splice(-2, 2, { rows: before.rows + last.rows, score: before.score + last.score, yes: before.yes + last.yes });
    }
    from = to;
  }
  const step = (at: number): (typeof groups)[number] => groups[Math.min(at, groups.length - 1)] ?? { rows: 1, score: 0, yes: 0 };
  const numbers = (of: (group: (typeof groups)[number]) => number): Float32Array =>
    Float32Array.from({ length: steps }, (_, at) => of(step(at)));
  return { scores: numbers(({ score, rows }) => score / rows), probabilities: numbers(({ yes, rows }) => yes / rows) };
}

/** Average precision; equal scores count in the order of rows. */
export function averagePrecision(scores: readonly number[], positive: readonly boolean[]): number {
  let hits = 0;
  let sum = 0;
  ranked(scores).forEach((row, place) => {
    if (positive[row]!) sum += (hits += 1) / (place + 1);
  });
  return hits === 0 ? NaN : sum / hits;
}

/** Area under the ROC curve; ties count half. */
export function areaUnderCurve(scores: readonly number[], positive: readonly boolean[]): number {
  const order = ranked(scores).reverse();
  let rankSum = 0;
  for (let from = 0; from < order.length;) {
    let to = from;
    while (to < order.length && scores[order[to]!] === scores[order[from]!]) to += 1;
    for (let at = from; at < to; at += 1) if (positive[order[at]!]!) rankSum += (from + to + 1) / 2;
    from = to;
  }
  const yes = positive.filter(Boolean).length;
  return (rankSum - (yes * (yes + 1)) / 2) / (yes * (positive.length - yes));
}

/** Mean distance between probability and share of positives over ten bins of equal size. */
export function calibrationError(probabilities: readonly number[], positive: readonly boolean[]): number {
  const order = ranked(probabilities);
  let sum = 0;
  for (let bin = 0; bin < 10; bin += 1) {
    const rows = order.slice(Math.floor((bin * order.length) / 10), Math.floor(((bin + 1) * order.length) / 10));
    const p = rows.reduce((all, row) => all + probabilities[row]!, 0);
    sum += Math.abs(p - rows.filter((row) => positive[row]!).length);
  }
  return sum / Math.max(1, order.length);
}
