/** What an earlier session did between a failure and the next success, as one line. Pure. */
import { splitSentences } from '../../parse/sentences/split.js';
import { termsOf } from '../../terms/index.js';
import type { Aftermath, EarlierFailure, NextStep } from '../../store/index.js';

/** Calls behind a failure among which its cure is looked for. */
const CALLS = 14;
const MOST_SENTENCE = 240;
const MOST_COMMAND = 90;

export interface WhatFollowed {
  text: string;
  path: string;
  line: number;
  /** Files that were edited until it passed. */
  files: readonly string[];
}

/**
 * What of it had happened by an instant (ISO 8601; absent: all of it); a row without a time counts
 * as later.
 */
export function untilThen(after: Aftermath, asOf?: string): Aftermath {
  if (asOf === undefined) return after;
  const isKnown = ({ time }: { time: string | null }): boolean => time !== null && time < asOf;
  const [steps, edits, texts] = [
    after.steps.filter(isKnown),
    after.edits.filter(isKnown),
    after.texts.filter(isKnown),
  ];
  return { ...after, steps, edits, texts };
}

/**
 * @param command that fails now: it is never its own cure
 * @returns null when the session did not get further, or nothing tells how
 */
export function whatFollowed(
  failure: EarlierFailure,
  after: Aftermath,
  command: string,
  error: string,
): WhatFollowed | null {
  const { failed } = after;
  if (failed === null) return null;
  const passed = after.steps.find((step) => isSuccess(step, failed));
  if (passed === undefined) return null;
  const ran = after.steps
    .filter(
      (step) => step.seq <= passed.seq && step.outcome === 'ok' && isCure(step, failed, command),
    )
    .map(({ words }) => words.join(' '));
  const edited = [
    ...new Set(after.edits.filter(({ seq }) => seq < passed.seq).map(({ file }) => file)),
  ];
  const explained = explanationOf(after, passed.seq, `${failed.words.join(' ')} ${error}`);
  const cures = [
    ...[...new Set(ran)].slice(-2).map((text) => `ran \`${cut(text, MOST_COMMAND)}\``),
    ...(edited.length === 0
      ? []
      : [
          `edited ${edited
            .slice(0, 2)
            .map((file) => `\`${file}\``)
            .join(', ')}`,
        ]),
  ];
  if (cures.length === 0 && explained === null) return null;
  const day = failure.time === null ? '' : ` on ${failure.time.slice(0, 10)}`;
  const what = `\`${cut(failed.words.join(' '), MOST_COMMAND)}\` failed so${day}`;
  const then = cures.length === 0 ? '' : `; then ${cures.join(', ')}, and it passed`;
  const place = explained ?? failure;
  const text = `${what}${then}${explained === null ? '' : `: "${explained.sentence}"`}`;
  return { text, path: place.path, line: place.line, files: edited };
}

function isSuccess(step: NextStep, failed: NextStep): boolean {
  return (
    step.outcome === 'ok' &&
    step.at - failed.at <= CALLS &&
    step.at > failed.at &&
    step.form === failed.form
  );
}

function isCure(step: NextStep, failed: NextStep, command: string): boolean {
  const text = step.words.join(' ');
  return (
    step.shown &&
    step.form !== failed.form &&
    !['read', 'search'].includes(step.class) &&
    !command.includes(text)
  );
}

/** The agent's sentence behind the failure that shares most with it; null when none does. */
function explanationOf(after: Aftermath, until: number, about: string) {
  const wanted = termsOf(about);
  let best: { sentence: string; path: string; line: number; common: number } | null = null;
  for (const { seq, role, text, path, line } of after.texts) {
    if (seq > until || role !== 'assistant') continue;
    for (const sentence of splitSentences(text)) {
      if (sentence.length > MOST_SENTENCE || sentence.endsWith(':')) continue;
      const common = [...termsOf(sentence).keys()].filter((term) => wanted.has(term)).length;
      if (common >= 2 && common > (best?.common ?? 0)) best = { sentence, path, line, common };
    }
  }
  return best;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
