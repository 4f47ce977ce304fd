/** Which step of a shell text failed, by what its output shows. Pure. */
import { namesFailure } from '../text/error-signature.js';
import type { Step } from '../shell/index.js';

const FILTERS = new Set(
  'head tail cat tee less sed wc sort uniq cut awk tr column fold strings'.split(' '),
);
const QUIET = new Set(
  'cd echo export alias set true sleep printf mkdir source . pwd date : unset wait'.split(' '),
);
const SAYS = new Set(['echo', 'printf']);

/** Changes folder, waits or prints its arguments. */
export function isQuiet(step: Step): boolean {
  return step.words.length === 0 || QUIET.has(step.words[0] ?? '');
}

/**
 * Passes on lines that another program chose or prints fewer of them: it fails for no reason of its
 * own.
 */
export function isFilter(step: Step): boolean {
  return FILTERS.has(step.words[0] ?? '');
}

/** Does something that can fail: no waiting, no saying, no filter behind a pipe. */
export function isLoud(steps: readonly Step[], at: number): boolean {
  const step = steps[at]!;
  return !isQuiet(step) && !(steps[at - 1]?.joint === '|' && isFilter(step));
}

/**
 * The steps that can have made the status of the whole: of a pipe the last that does something, of
 * a chain of `&&` each one, behind `;` and `||` only what follows; with `set -e` each one.
 */
export function deciders(steps: readonly Step[]): number[] {
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
 * The one of several steps whose failure an output shows: an error line opens with its program;
 * else the words that an `echo` should have printed tell how far the chain came; else an error line
 * names what this step alone was given; else, of runs of one program, the last whose task opens a
 * line.
 */
export function blamedOf(
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

/** Lines of an output that open with a step's program: its own words about why it failed. */
export function linesOf(step: Step, output: readonly string[]): string[] {
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
 * Without the steps that an `echo` in the chain rules out: before one whose words are there, behind
 * one whose words are not.
 */
function reachedOf(
  steps: readonly Step[],
  candidates: readonly number[],
  output: readonly string[],
): number[] {
  let left = [...candidates];
  steps.forEach((step, at) => {
    const said = step.words.slice(1).join(' ').split('\n')[0]!.trim();
    if (
      !SAYS.has(step.words[0] ?? '') ||
      step.dynamic ||
      step.redirected ||
      step.silenced ||
      step.scripted ||
      said.length < 3
    )
      return;
    if (steps.slice(0, at).some((each) => each.words.join(' ').includes(said))) return;
    const isSaid = output.some((line) => line.includes(said));
    const ruled = left.filter((each) => (isSaid ? each > at : each < at));
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

/** Whether a text holds a word by itself. */
function names(text: string, word: string): boolean {
  const at = text.indexOf(word);
  return at >= 0 && !/\w/.test(text[at - 1] ?? '') && !/\w/.test(text[at + word.length] ?? '');
}

/** `[lint:go] what`, `> app@1.0.0 lint`, `$ lint`: runners print the task before what it says. */
function opensTask(line: string, word: string): boolean {
  const head = line.trimStart();
  return '[>$='.includes(head[0] ?? ' ') && names(head.slice(0, 60), word);
}
