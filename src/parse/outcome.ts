import { namedError } from '../text/error-signature.js';
import type { Entry } from '../types.js';
import { blamedOf, deciders, isFilter, isLoud, isQuiet, linesOf } from './blame.js';
import type { Step } from '../shell/index.js';

export type Verdict = 'ok' | 'failed' | 'unknown';

/** The output goes through something that chooses lines: a line that is missing proves nothing. */
function isSifted(steps: Step[], at: number): boolean {
  for (let i = at; i < steps.length && steps[i]?.joint === '|'; i += 1) {
    const next = steps[i + 1];
    if (next !== undefined && next.words.length > 0 && !isFilter(next)) return true;
  }
  return false;
}

/**
 * Whether the status of the whole text says nothing about the step: piped away, or followed by `;`,
 * `||` or `&`.
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
 * How each step of a shell text ended, by the status of the whole and by what its output says. A
 * hidden status counts as success only if the output shows no failure. At most one step is blamed:
 * the only one that can be it, or the one that the output shows; else nobody knows.
 */
export function judgeSteps(
  steps: Step[],
  { outcome, exit, text: output, marks }: Pick<Entry, 'outcome' | 'exit' | 'text' | 'marks'>,
): Verdict[] {
  if (outcome === 'rejected' || outcome === 'interrupted') return steps.map(() => 'unknown');
  const failed = outcome === 'failed' || (exit !== null && exit !== 0);
  const read = readOutput(output);
  // What goes on has not ended well, unless it says so: a server that is ready, a watcher whose
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

/** How a step ended, had it been the only one that can have failed. */
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
  // A failing program prints why, so an empty output is a success, unless output was discarded, or
  // a pipe took the status: behind one, errors may have gone elsewhere (`tool -l . | head` was
  // silent and had failed).
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
 * Whether an output is a line or two of words and nothing else: from a program that failed it would
 * be the reason. Of 393 steps that a pipe hid and that counted as successes, it was so of 5: two
 * errors of `gh`, one empty output, two successes. Too few to call it a failure, enough to claim no
 * success; in longer outputs no such line was an error.
 */
function isMessage(output: string): boolean {
  return informativeLines(output).length <= 2 && namedError(output) !== null;
}

/** Signature of why a step failed: what its program says of itself, else what the output says. */
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

// Signs of success and failure in an output, whatever the exit status of its pipe was.

const FAILURE: readonly RegExp[] = [
  /^(?:npm (?:ERR!|error)|error(?:\[\w+\])?:|Error:|ERROR[: ]|FAILED\b|FAIL\b|--- FAIL|panic:|fatal:|Traceback \(most recent|BUILD FAILED|FAILURE:|make(?:\[\d+\])?: \*\*\*|make: No rule|E {3}\w)/,
  /(?:command not found|No such file or directory|Permission denied|Cannot find module|ModuleNotFoundError|ImportError|SyntaxError|not recognized as an internal)/,
  /\b[1-9]\d* (?:failed|failing|failures?|errors?(?! ignored))\b/i,
  /\b(?:failed|failures|errors?): [1-9]/i,
  /\berror TS\d+|: error:? |\berror\[E\d+\]|^\s+\d+:\d+\s+error\s/,
  /^\s*(?:✗|✖|×|❌|not ok)\s/u,
  /\b(?:exit(?:ed with)?|returned) (?:code|status|non-zero)[: ]*[1-9]/i,
  /^(?:Missing script|Unknown (?:command|option)|unrecognized (?:arguments|subcommand)|error: (?:unrecognized|unexpected|no such))/i,
  /^\[(?:\w+)\] ERROR|ELIFECYCLE|ERR_PNPM_/,
];

const SUCCESS: readonly RegExp[] = [
  /\b[1-9]\d* (?:passed|passing|tests? passed|examples?, 0 failures)\b/i,
  /^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)/,
  /^(?:PASS|PASSED|OK)\b/,
  /\btest result: ok\b/,
  /\b(?:All checks passed|no issues found|no (?:errors|problems|warnings|issues)|0 errors|0 issues|0 problems|BUILD SUCCESS(?:FUL)?|Compiled successfully|build succeeded|successfully (?:built|compiled|generated|installed))\b/i,
  /^\s*(?:✓|✔|✅|√)\s/u,
  /\b(?:built in|Finished `?\w+`? (?:profile|\[)|Build complete|already formatted|left unchanged|files? (?:are )?formatted|Done in)\b/i,
  /\b(?:ready in|listening (?:on|at)|Local:\s+https?:|running (?:on|at) https?:)/i,
  /\bTests?:\s+(?:\d+ skipped, )?\d+ passed, \d+ total/,
];

/** Lines whose "error" words mean none. */
const HARMLESS =
  /\b(?:0|no) (?:errors?|failed|failures|failing|issues)\b|errors?: 0\b|\bfailed: 0\b/i;

/** Longest output that is looked at: its head and its end. */
const REACH = 20_000;

/** Longest line that is looked at: minified code says nothing and takes long to match. */
const LINE = 1000;

/** Lines of an output, without terminal colours. */
function outputLines(output: string): string[] {
  const text =
    output.length <= 2 * REACH ? output : `${output.slice(0, REACH)}\n${output.slice(-REACH)}`;
  return text
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
    .split(/\r?\n/)
    .map((l) => (l.length > LINE ? l.slice(0, LINE) : l));
}

/**
 * Says that something failed, and not what: a status, a count, a wrapper that passes on the failure
 * of what it ran.
 */
const NAMES_NOTHING =
  /^\W*(?:(?:\w+ ){0,4}exit(?:ed)?(?: with)?[ _](?:code|status):? ?-?(?:\d{1,6}|<n>)\W*$|\d+ (?:failed|failing|errors?)\b|FAIL(?:ED|URE)?(?:\s+\S+)?(?:\s+[\d.]+s)?\s*$|BUILD FAILED|make(?:\[\d+\])?: \*\*\* \[|\[?\w+\]? ERROR task failed|ELIFECYCLE)/i;
/**
 * `file:line: what is wrong`, as compilers and test runners say it; a listing has no blank there,
 * or several.
 */
const PLACED = /^\s*[\w./\\@-]+\.\w{1,5}:\d+(?::\d+)?: \S/;
const MOST_ERROR_LINES = 3;

/**
 * The lines of a failing output that name its error, in their order and each once, at most `most`
 * characters together; empty when none does. A failing run says why near its end, so the last ones
 * are taken.
 */
export function errorLines(output: string, most: number): string {
  const found = informativeLines(output)
    .filter(namesError)
    .map((line) => line.replace(/\s+/g, ' ').trim());
  const kept = [...new Set(found)].slice(-MOST_ERROR_LINES);
  while (kept.length > 1 && kept.join(' | ').length > most) kept.shift();
  const text = kept.join(' | ');
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Whether a line tells what failed, not only that something did. */
export function namesError(line: string): boolean {
  return (
    !NAMES_NOTHING.test(line) && (isFailing(line) || (PLACED.test(line) && !HARMLESS.test(line)))
  );
}

function informativeLines(output: string): string[] {
  return outputLines(output).filter((l) => l.trim() !== '' && l.length < 600);
}

function isFailing(line: string): boolean {
  return !HARMLESS.test(line) && FAILURE.some((p) => p.test(line));
}

/** Whether an output shows a failure, a success, both or neither. */
function readOutput(output: string): { failure: boolean; success: boolean } {
  const informative = informativeLines(output);
  return {
    failure: informative.some(isFailing),
    success: informative.some((l) => SUCCESS.some((p) => p.test(l))),
  };
}
