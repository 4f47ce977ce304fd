/** Sessions that wait to be asked about: which comes first, and what all of them would cost. */
import type { OpenQuestion } from '../../store/index.js';

/** So many of the newest are looked at; the rest waits until these were asked about. */
export const MOST_OPEN = 10_000;

/** After so many days without a newer session, what was learnt in one is worth half. */
const HALF_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * The most valuable first, so that a small budget already shows: new ones, those that a person led, those in which the person
 * had to correct much. Pure; the same sessions in any order give the same.
 */
export function rankBacklog<Q extends OpenQuestion>(open: readonly Q[]): Q[] {
  const newest = Math.max(...open.map(timeOf), 0);
  const valueOf = (question: Q): number =>
    0.5 ** ((newest - timeOf(question)) / DAY_MS / HALF_DAYS) *
    (1 + Math.log2(1 + question.typed)) *
    (1 + Math.log2(1 + question.corrections));
  return open
    .map((question) => ({ question, value: valueOf(question) }))
    .sort((a, b) => b.value - a.value || timeOf(b.question) - timeOf(a.question) || compareNames(a.question, b.question))
    .map(({ question }) => question);
}

function timeOf({ newest }: OpenQuestion): number {
  const time = newest === null ? Number.NaN : Date.parse(newest);
  return Number.isNaN(time) ? 0 : time;
}

function compareNames(a: OpenQuestion, b: OpenQuestion): number {
  const [one, other] = [`${a.agent}\0${a.session}`, `${b.agent}\0${b.session}`];
  return one < other ? -1 : one > other ? 1 : 0;
}
