/** From labelled sentences to the judge's weights, and how they do on a project that they did not see. */
import { calibrate, featuresOf, HASH_BITS, placeOfWord, STEPS, type Head, type Said, type Weights } from '../src/judge/index.js';
import {
  areaUnderCurve,
  averagePrecision,
  calibrationError,
  fitCalibration,
  fitRidge,
  scoreRow,
  type Fit,
  type Rows,
} from './judge-fit.js';

/** One line of the file of labels. */
export interface Labelled {
  project: string;
  agent: string | null;
  entry: number | null;
  entries: number | null;
  role: 'user' | 'assistant';
  text: string;
  position: number;
  of: number;
  last_of_turn: boolean;
  reply: string | null;
  after: string | null;
  grade: number;
}

export function saidOf(row: Labelled): Said {
  return {
    role: row.role,
    text: row.text,
    position: row.position,
    of: row.of,
    lastOfTurn: row.last_of_turn,
    reply: row.reply,
    after: row.after,
    place: row.entry === null || row.entries === null ? null : row.entry / Math.max(1, row.entries),
  };
}

/** From this grade on a sentence is worth keeping. */
const KEPT = 2;
/** A kept sentence weighs this much more than another: one in twenty is kept. */
const KEPT_WEIGHT = 3;
const RIDGE = 3;
/**
 * Invented wishes and tasks are as many; weighed so, their mean is that of what people send, and only their words tell them
 * apart.
 */
const INVENTED_WEIGHT = { kept: 0.6, other: 4 };
/** A word that one sentence alone has says nothing of other sentences. */
const LEAST_ROWS = 2;
const MOST_WEIGHT = 127;

/** The rows as numbers. */
export function toRows(labelled: readonly Labelled[]): Rows {
  const features = labelled.map((row) => featuresOf(saidOf(row)));
  const seen = new Map<string, number>();
  for (const { words } of features) for (const word of words) seen.set(word, (seen.get(word) ?? 0) + 1);
  const starts = [0];
  const words: number[] = [];
  for (const one of features) {
    for (const word of one.words) if (seen.get(word)! >= LEAST_ROWS) words.push(placeOfWord(word));
    starts.push(words.length);
  }
  const width = features[0]?.dense.length ?? 0;
  return {
    starts: Uint32Array.from(starts),
    words: Uint32Array.from(words),
    norms: Float64Array.from(features, (one) => 1 / Math.sqrt(Math.max(1, one.words.length))),
    dense: Float64Array.from(features.flatMap((one) => one.dense.map(([, value]) => value))),
    width,
    hashed: 1 << HASH_BITS,
  };
}

type Role = Labelled['role'];

function weightOf({ project, grade }: Labelled): number {
  if (project === INVENTED) return grade >= KEPT ? INVENTED_WEIGHT.kept : INVENTED_WEIGHT.other;
  return grade >= KEPT ? KEPT_WEIGHT : 1;
}

function fitOn(rows: Rows, labelled: readonly Labelled[], chosen: readonly number[]): Fit {
  return fitRidge(
    rows,
    chosen,
    labelled.map((row) => row.grade),
    labelled.map(weightOf),
    RIDGE,
  );
}

/** Invented sentences of many languages: { language: { standing, once } }. */
export type Invented = Record<string, { standing: readonly string[]; once: readonly string[] }>;

const INVENTED = 'invented';

/** As rows of a project that is in all weights and measured by none; grade 3 or 0, said in the middle of a session. */
export function inventedRows(invented: Invented): Labelled[] {
  const row = (text: string, grade: number): Labelled => ({
    project: INVENTED,
    agent: null,
    entry: null,
    entries: null,
    role: 'user',
    text,
    position: 0,
    of: 1,
    last_of_turn: false,
    reply: null,
    after: 'assistant',
    grade,
  });
  return Object.values(invented).flatMap(({ standing, once }) => [
    ...standing.map((text) => row(text, 3)),
    ...once.map((text) => row(text, 0)),
  ]);
}

function projectsOf(labelled: readonly Labelled[]): string[] {
  return [...new Set(labelled.map((row) => row.project))].filter((project) => project !== INVENTED);
}

function places(labelled: readonly Labelled[], wanted: (row: Labelled) => boolean): number[] {
  return labelled.flatMap((row, at) => (wanted(row) ? [at] : []));
}

/**
 * Scores of each sentence by weights that did not see its project; agents' and people's sentences are learnt apart, which ranks
 * both better.
 */
function scoreLeftOut(rows: Rows, labelled: readonly Labelled[], role: Role): Float64Array {
  const scores = new Float64Array(labelled.length);
  for (const project of projectsOf(labelled)) {
    const fit = fitOn(
      rows,
      labelled,
      places(labelled, (row) => row.project !== project && row.role === role),
    );
    for (const at of places(labelled, (row) => row.project === project)) scores[at] = scoreRow(rows, at, fit);
  }
  return scores;
}

function toHead(fit: Fit, calibration: Pick<Head, 'scores' | 'probabilities'>): Head {
  const scale = fit.words.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1e-9) / MOST_WEIGHT;
  return {
    scale,
    bias: fit.bias,
    ...calibration,
    dense: Float32Array.from(fit.dense),
    words: Int8Array.from(fit.words, (weight) => Math.round(weight / scale)),
  };
}

export type OutOfFold = Record<Role, Float64Array>;

/** Weights from all rows; calibrated on the scores that each project got from weights without it. */
export function learnJudge(labelled: readonly Labelled[]): { weights: Weights; outOfFold: OutOfFold } {
  const rows = toRows(labelled);
  const outOfFold = { assistant: scoreLeftOut(rows, labelled, 'assistant'), user: scoreLeftOut(rows, labelled, 'user') };
  const head = (role: Role): Head => {
    const asked = places(labelled, (row) => row.role === role);
    const real = asked.filter((at) => labelled[at]!.project !== INVENTED);
    const calibration = fitCalibration(
      real.map((at) => outOfFold[role][at]!),
      real.map((at) => labelled[at]!.grade >= KEPT),
      STEPS,
    );
    return toHead(fitOn(rows, labelled, asked), calibration);
  };
  return { weights: { assistant: head('assistant'), user: head('user') }, outOfFold };
}

function round(figure: number): number | null {
  return Number.isFinite(figure) ? Math.round(figure * 1000) / 1000 : null;
}

/** Probability of each asked row, calibrated on the other projects alone. */
function probabilitiesLeftOut(labelled: readonly Labelled[], scores: Float64Array, role: Role): Float64Array {
  const out = new Float64Array(labelled.length);
  for (const project of projectsOf(labelled)) {
    const others = places(labelled, (row) => row.project !== project && row.project !== INVENTED && row.role === role);
    const calibration = fitCalibration(
      others.map((at) => scores[at]!),
      others.map((at) => labelled[at]!.grade >= KEPT),
      STEPS,
    );
    for (const at of places(labelled, (row) => row.project === project)) out[at] = calibrate(calibration, scores[at]!);
  }
  return out;
}

interface Measured {
  sentences: number;
  kept: number;
  average_precision: number | null;
  area_under_curve: number | null;
  calibration_error: number | null;
}

function measureRows(labelled: readonly Labelled[], p: Float64Array, chosen: readonly number[]): Measured {
  const [scores, kept] = [chosen.map((at) => p[at]!), chosen.map((at) => labelled[at]!.grade >= KEPT)];
  return {
    sentences: chosen.length,
    kept: kept.filter(Boolean).length,
    average_precision: round(averagePrecision(scores, kept)),
    area_under_curve: round(areaUnderCurve(scores, kept)),
    calibration_error: round(calibrationError(scores, kept)),
  };
}

/** Fewer kept sentences than that give no figure of a project's own. */
const LEAST_KEPT = 9;
const THRESHOLDS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5];

function measure(labelled: readonly Labelled[], scores: Float64Array, role: Role): unknown {
  const p = probabilitiesLeftOut(labelled, scores, role);
  const names = projectsOf(labelled);
  const by = Object.fromEntries(
    names.map((name) => [
      name,
      measureRows(
        labelled,
        p,
        places(labelled, (row) => row.project === name && row.role === role),
      ),
    ]),
  );
  const full = Object.values(by).filter(({ kept }) => kept >= LEAST_KEPT);
  const over = (pick: (one: Measured) => number | null): { mean: number | null; worst: number | null } => {
    const all = full.map((one) => pick(one) ?? 0);
    return { mean: round(all.reduce((sum, one) => sum + one, 0) / all.length), worst: round(Math.min(...all)) };
  };
  const asked = places(labelled, (row) => row.project !== INVENTED && row.role === role);
  const thresholds = THRESHOLDS.map((least) => {
    const chosen = asked.filter((at) => p[at]! >= least);
    const share = (grade: number): number | null =>
      round(chosen.filter((at) => labelled[at]!.grade >= grade).length / chosen.length);
    return {
      least,
      sentences: chosen.length,
      kept: share(KEPT),
      true_and_lasting: share(1),
      recall: round(
        chosen.filter((at) => labelled[at]!.grade >= KEPT).length / asked.filter((at) => labelled[at]!.grade >= KEPT).length,
      ),
    };
  });
  return {
    average_precision: over((one) => one.average_precision),
    area_under_curve: over((one) => one.area_under_curve),
    all: measureRows(labelled, p, asked),
    by_project: by,
    thresholds,
  };
}

/** Figures of each project with weights and a calibration that did not see it. */
export function measureJudge(labelled: readonly Labelled[], outOfFold: OutOfFold): unknown {
  return { agents: measure(labelled, outOfFold.assistant, 'assistant'), people: measure(labelled, outOfFold.user, 'user') };
}
