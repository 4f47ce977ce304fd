/** What an output says about success by itself, whatever the exit status of the pipe says. */

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
const HARMLESS = /\b(?:0|no) (?:errors?|failed|failures|failing|issues)\b|errors?: 0\b|\bfailed: 0\b/i;

/** Longest output that is looked at: its head and its end. */
const REACH = 20_000;

/** Longest line that is looked at: minified code tells nothing and is dear to match. */
const LINE = 1000;

/** Lines of an output, without terminal colours. */
export function outputLines(output: string): string[] {
  const text = output.length <= 2 * REACH ? output : `${output.slice(0, REACH)}\n${output.slice(-REACH)}`;
  return text
    .replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '')
    .split(/\r?\n/)
    .map((l) => (l.length > LINE ? l.slice(0, LINE) : l));
}

/** Whether an output shows a failure, a success, both or neither. */
export function readOutput(output: string): { failure: boolean; success: boolean } {
  const lines = outputLines(output);
  const telling = lines.filter((l) => l.trim() !== '' && l.length < 600);
  return {
    failure: telling.some((l) => !HARMLESS.test(l) && FAILURE.some((p) => p.test(l))),
    success: telling.some((l) => SUCCESS.some((p) => p.test(l))),
  };
}
