/**
 * Decides how each step of a shell text ended, from the exit status and the output of the whole
 * text.
 */
import { namedError, namesFailure, outputLines, verdictOf } from '../text/errors.js';
import type { Step } from '../shell/index.js';
import type { Entry } from '../types.js';

export type Verdict = 'ok' | 'failed' | 'unknown';

/** Whether a program selects lines of the output, so that a missing line proves nothing. */
function isSifted(steps: Step[], at: number): boolean {
  for (let i = at; i < steps.length && steps[i]?.joint === '|'; i += 1) {
    const next = steps[i + 1];
    if (next !== undefined && next.words.length > 0 && !isFilter(next)) return true;
  }
  return false;
}

/**
 * Whether the status of the whole text does not depend on the step: a pipe, `;`, `||` or `&`
 * follows.
 */
function isHidden(steps: Step[], at: number): boolean {
  for (let i = at; i < steps.length; i += 1) {
    const joint = steps[i]?.joint ?? '';
    if (joint === '|' || joint === '||' || joint === '&') return true;
    if (joint === ';' && steps.slice(i + 1).some((s) => s.words.length > 0)) return true;
  }
  return false;
}

/**
 * How each step ended. A hidden status counts as success only if the output shows no failure. At
 * most one step counts as failed: the only possible one, or the one that the output shows.
 */
export function judgeSteps(
  steps: Step[],
  { outcome, exit, text: output, marks }: Pick<Entry, 'outcome' | 'exit' | 'text' | 'marks'>,
): Verdict[] {
  if (outcome === 'rejected' || outcome === 'interrupted') return steps.map(() => 'unknown');
  const failed = outcome === 'failed' || (exit !== null && exit !== 0);
  const read = verdictOf(output);
  // A running command is unknown unless its output shows a result: a server is ready, a watcher's
  // tests passed.
  if (marks.includes('running') && !read.failure && !read.success)
    return steps.map(() => 'unknown');
  const verdicts = steps.map((_, at) =>
    judgeAlone(steps, at, {
      failed,
      known: failed || outcome !== null || exit !== null,
      exit,
      output,
      read,
    }),
  );
  const decided = failed ? deciders(steps) : [];
  const loud = steps.flatMap((_, at) =>
    verdicts[at] === 'failed' && isLoud(steps, at) ? [at] : [],
  );
  const suspects = decided.length > 0 ? decided : loud;
  const blamed =
    suspects.length === 1 ? suspects[0]! : blamedOf(steps, suspects, outputLines(output));
  const isCleared = (at: number): boolean =>
    decided.length > 0 && blamed !== null && decided.includes(at) && at < blamed;
  return verdicts.map((verdict, at) => {
    if (at === blamed) return 'failed';
    return isCleared(at) ? 'ok' : verdict === 'failed' ? 'unknown' : verdict;
  });
}

interface Shown {
  failed: boolean;
  known: boolean;
  exit: number | null;
  output: string;
  read: { failure: boolean; success: boolean };
}

/** How a step ended, if no other step can have failed. */
function judgeAlone(
  steps: Step[],
  at: number,
  { failed, known, exit, output, read }: Shown,
): Verdict {
  const step = steps[at]!;
  if (step.joint === '&') return 'unknown';
  if (!isHidden(steps, at)) {
    if (failed) return 'failed';
    return known
      ? exit === null && read.failure && !read.success
        ? 'unknown'
        : 'ok'
      : judgeByOutput(read, output);
  }
  const sifted = isSifted(steps, at);
  // A failing program prints why, so an empty output is a success, unless output was discarded or a
  // pipe took the status.
  const isPiped = step.joint === '|';
  if (
    output.trim() === '' &&
    known &&
    !failed &&
    !isPiped &&
    !step.redirected &&
    !step.silenced &&
    !isQuiet(step)
  )
    return 'ok';
  if (isPiped && !read.failure && !read.success && isAlone(steps, at) && isMessage(output))
    return 'unknown';
  if (sifted) return read.failure ? 'unknown' : read.success ? 'ok' : 'unknown';
  return judgeByOutput(read, step.redirected ? '' : output);
}

function isAlone(steps: Step[], at: number): boolean {
  return steps.every((_, other) => other === at || !isLoud(steps, other));
}

/**
 * Whether an output is only a line or two of words. A failed program might print this, so it proves
 * no success.
 */
function isMessage(output: string): boolean {
  return outputLines(output).length <= 2 && namedError(output) !== null;
}

/** Signature of a step's error, from lines of its program, else from the whole output. */
export function errorOf(step: Step, output: string): string | null {
  return namedError(linesOf(step, outputLines(output)).join('\n')) ?? namedError(output);
}

const BACKGROUND =
  /\brunning in (?:the )?background\b|process still running|^Process running with session/i;

function judgeByOutput(read: { failure: boolean; success: boolean }, output: string): Verdict {
  if (!read.failure && !read.success && BACKGROUND.test(output.slice(0, 400))) return 'unknown';
  if (read.failure) return 'failed';
  return read.success || output.trim() !== '' ? 'ok' : 'unknown';
}

// Finds the failed step of a shell text from the output.

const FILTERS = new Set(
  'head tail cat tee less sed wc sort uniq cut awk tr column fold strings'.split(' '),
);
const QUIET = new Set(
  'cd echo export alias set true sleep printf mkdir source . pwd date : unset wait'.split(' '),
);
const SAYS = new Set(['echo', 'printf']);

/** Whether a step only changes folder, waits, sets a variable or prints its arguments. */
export function isQuiet(step: Step): boolean {
  return step.words.length === 0 || QUIET.has(step.words[0] ?? '');
}

/** Whether a step only passes on lines, so that it hardly fails itself. */
function isFilter(step: Step): boolean {
  return FILTERS.has(step.words[0] ?? '');
}

/** Whether a step may fail: it is not quiet, and not a filter after a pipe. */
function isLoud(steps: readonly Step[], at: number): boolean {
  const step = steps[at]!;
  return !isQuiet(step) && !(steps[at - 1]?.joint === '|' && isFilter(step));
}

/**
 * The steps that may determine the exit status: in a pipe the last loud one, in a chain of `&&`
 * each one, but only those after the last `;`, `||` or `&`, unless `set -e` is set.
 */
function deciders(steps: readonly Step[]): number[] {
  const stops = steps.some(({ words }) => words[0] === 'set' && /^-\w*e/.test(words[1] ?? ''));
  const found: number[] = [];
  let inPipe = false;
  for (let at = steps.length - 1; at >= 0; at -= 1) {
    const { joint, words } = steps[at]!;
    const isLast = at === steps.length - 1 || words.length === 0;
    if (!isLast && !stops && (joint === ';' || joint === '||' || joint === '&')) break;
    if (joint !== '|') inPipe = false;
    if (inPipe || !isLoud(steps, at) || joint === '&') continue;
    found.unshift(at);
    inPipe = true;
  }
  return found;
}

/**
 * The step whose failure the output shows: by its program at the start of an error line, by a
 * missing `echo`, by its arguments, or by its task.
 */
function blamedOf(
  steps: readonly Step[],
  candidates: readonly number[],
  output: readonly string[],
): number | null {
  const informative = output.filter(namesFailure);
  const opened = candidates.filter((at) =>
    informative.some((line) => opensWith(line, programOf(steps[at]!))),
  );
  const left = reachedOf(steps, opened.length > 0 ? opened : candidates, output);
  if (left.length <= 1) return left[0] ?? null;
  const own = (at: number): string[] => ownWords(steps, at, left);
  const named = left.filter((at) =>
    informative.some((line) => own(at).some((word) => word.length >= 4 && names(line, word))),
  );
  if (named.length === 1) return named[0]!;
  if (new Set(left.map((at) => programOf(steps[at]!))).size > 1) return null;
  return (
    left
      .filter((at) => own(at).some((word) => output.some((line) => opensTask(line, word))))
      .at(-1) ?? null
  );
}

/** Lines of an output that begin with a step's program, so that they explain its failure. */
function linesOf(step: Step, output: readonly string[]): string[] {
  return output.filter((line) => opensWith(line, programOf(step)));
}

function programOf(step: Step): string {
  return (step.words[0] ?? '').replace(/^.*\//, '');
}

/** `grep: what`, `/bin/bash: line 1: grep: what`, `zsh:1: command not found: grep`. */
function opensWith(line: string, program: string): boolean {
  const head = line.slice(0, 200).split(': ');
  const names = head.slice(0, 3).map((part) => part.trim().replace(/^.*\//, ''));
  return (
    program.length > 1 &&
    names.some((name, at) => name === program && (at < head.length - 1 || at > 0))
  );
}

/**
 * Removes the steps that cannot have failed: those before an `echo` that printed its words, and
 * those after an `echo` that did not.
 */
function reachedOf(
  steps: readonly Step[],
  candidates: readonly number[],
  output: readonly string[],
): number[] {
  let left = [...candidates];
  steps.forEach((step, at) => {
    const printed = step.words.slice(1).join(' ').split('\n')[0]!.trim();
    if (
      !SAYS.has(step.words[0] ?? '') ||
      step.dynamic ||
      step.redirected ||
      step.silenced ||
      step.scripted ||
      printed.length < 3
    )
      return;
    if (steps.slice(0, at).some((each) => each.words.join(' ').includes(printed))) return;
    const isPrinted = output.some((line) => line.includes(printed));
    const ruled = left.filter((each) => (isPrinted ? each > at : each < at));
    if (ruled.length > 0) left = ruled;
  });
  return left;
}

function ownWords(steps: readonly Step[], at: number, candidates: readonly number[]): string[] {
  const others = new Set(
    candidates.filter((each) => each !== at).flatMap((each) => steps[each]!.words),
  );
  return steps[at]!.words.slice(1).filter((word) => !others.has(word) && !word.startsWith('-'));
}

/** Whether a text contains a whole word. */
function names(text: string, word: string): boolean {
  const at = text.indexOf(word);
  return at >= 0 && !/\w/.test(text[at - 1] ?? '') && !/\w/.test(text[at + word.length] ?? '');
}

/** `[lint:go] …`, `> app@1.0.0 lint`, `$ lint`: runners print the task before its output. */
function opensTask(line: string, word: string): boolean {
  const head = line.trimStart();
  return '[>$='.includes(head[0] ?? ' ') && names(head.slice(0, 60), word);
}
