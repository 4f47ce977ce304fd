/**
 * Finds errors in program output: the line that names an error, a signature that equal errors
 * share, and whether an output shows a failure or a success. Pure.
 */
import { ORDERS } from './signs.js';
import { clipped, verbatim } from './verbatim.js';
import { parse } from './fields.js';

/** Errors are near the start of an output or, in test runs, near its end. */
const HALF = 32_768;
/** The rest of a longer line has no error, and patterns take long on it. */
const LINE = 400;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The non-empty lines of an output, without control sequences of a terminal. */
export function outputLines(output: string): string[] {
  const text =
    output.length <= 2 * HALF ? output : `${output.slice(0, HALF)}\n${output.slice(-HALF)}`;
  return unfoldResults(text)
    .replace(ORDERS, '')
    .split('\n')
    .map((line) => line.slice(0, LINE).replace(CONTROLS, '').trimEnd())
    .filter((line) => line !== '');
}

/** Fields of a result object with the command's output. */
const PRINTED = ['output', 'aggregated_output', 'stdout', 'stderr'] as const;

/**
 * Replaces each result object that a script printed on one line by the lines in it. The stored text
 * stays the same, since a changed entry would be a new revision.
 */
function unfoldResults(text: string): string {
  return text.includes('{"') ? text.split('\n').map(printedBy).join('\n') : text;
}

function printedBy(line: string): string {
  if (!line.startsWith('{"')) return line;
  const result = parse(line);
  const printed = PRINTED.map((name) => result[name]).filter((each) => typeof each === 'string');
  return printed.length === 0 ? line : printed.join('\n');
}

/** In a failed command's output of so few lines, one line mostly gives the reason. */
const SHORT_LINES = 12;
/** So few lines contain only the reason. */
const SAYS_WHY_LINES = 2;

/**
 * Signature of a failed result, equal at another place and time: of a line that names something,
 * else the strongest line, else in a short output the line that most likely gives the reason.
 */
export function failureSignature(result: string): string | null {
  const lines = outputLines(result);
  const named = namedOf(lines);
  if (named !== null) return named;
  const strongest = strongestOf(lines, strengthOf);
  if (strongest !== null && !STATUS_ONLY.test(strongest.trim())) return normaliseError(strongest);
  const says = lines.filter(
    (line) => /\p{L}{2}/u.test(line) && !HARMLESS.test(line) && !STATUS_ONLY.test(line.trim()),
  );
  const why =
    says.length > SHORT_LINES
      ? undefined
      : (says.find((line) => NAMES_WHAT.test(line.trim())) ?? says.at(-1));
  const line = why ?? strongest;
  return line === null ? null : normaliseError(line);
}

/**
 * Signature of a failed command's output: the strongest line that names something; in a short
 * output also `name: what`; else null. Headings and warnings come last.
 */
export function namedError(output: string): string | null {
  return namedOf(outputLines(output));
}

function namedOf(lines: readonly string[]): string | null {
  const strongest = strongestOf(lines, (line) =>
    namesFailure(line) ? Math.min(strengthOf(line), WARNS.test(line) ? 1 : 3) : 0,
  );
  if (strongest !== null) return normaliseError(strongest);
  const short = lines.filter((line) => !STATUS_ONLY.test(line.trim()));
  if (short.length > SHORT_LINES) return null;
  const says = short.filter((line) => !HARMLESS.test(line) && namesFailure(line));
  // If a failed command prints one or two lines, the first gives the reason, in any words.
  const why =
    says.find((line) => NAMES_WHAT.test(line.trim())) ??
    (short.length <= SAYS_WHY_LINES ? says[0] : undefined);
  return why === undefined ? null : normaliseError(why);
}

/** The first line with the greatest strength; null if no line has any. */
function strongestOf(lines: readonly string[], strength: (line: string) => number): string | null {
  let found: string | null = null;
  let most = 0;
  for (const line of lines) {
    const value = strength(line);
    if (value > most) [found, most] = [line, value];
    if (most === 3) break;
  }
  return found;
}

const MOST_ERROR_LINES = 3;

/**
 * The last lines of a failed output that name its error, each once, at most `most` characters
 * together. Warnings are left out if there are errors.
 */
export function errorLines(output: string, most: number): string {
  const found = outputLines(output).filter(namesError).map(verbatim);
  const errors = found.filter((line) => !WARNS.test(line));
  const kept = [...new Set(errors.length > 0 ? errors : found)].slice(-MOST_ERROR_LINES);
  while (kept.length > 1 && kept.join(' | ').length > most) kept.shift();
  return clipped(kept.join(' | '), most);
}

/** `file:line: what is wrong`; a listing has no blank there, or several. */
const PLACED = /^\s*[\w./\\@-]+\.\w{1,5}:\d+(?::\d+)?: \S/;

/** Whether a line names what failed, not only that something failed. */
export function namesError(line: string): boolean {
  return (strengthOf(line) > 0 || PLACED.test(line)) && namesFailure(line);
}

/** Whether an output shows a failure, a success, both or neither. */
export function verdictOf(output: string): { failure: boolean; success: boolean } {
  const lines = outputLines(output);
  return {
    failure: lines.some(isFailing),
    success: lines.some((line) => SUCCESS.some((pattern) => pattern.test(line))),
  };
}

/** Words of statuses and headings: a line of only these does not name what failed. */
const STATUS_WORDS = new Set(
  (
    'a an and at by during following for in of on the to while with aborted error errors err fail failed failing failure fatal ' +
    'panic exit exited exiting code status returned finished occurred stopped found issue issues problem problems warning ' +
    'warnings build check lint test tests run running command job line make process recipe script step target task'
  ).split(' '),
);
/** A failed test or expectation: its subject changes from day to day. */
const OF_A_TEST = /^(?:(?:E\s+)?assert|expected\b|--- FAIL|FAIL\b|not ok|[✕✗×✖])/i;
const LEAST_WORDS = 2;

/**
 * Whether a line names what is wrong: at least two words besides those of a status, and not the
 * failure of a single test.
 */
export function namesFailure(line: string): boolean {
  if (OF_A_TEST.test(line.trim())) return false;
  const words = line.replace(/<\w+>/g, ' ').match(/\p{L}[\p{L}\p{N}_.@/-]+/gu) ?? [];
  return (
    new Set(words.map((word) => word.toLowerCase()).filter((word) => !STATUS_WORDS.has(word)))
      .size >= LEAST_WORDS
  );
}

/** "Exit code 1": gives no reason. */
const STATUS_ONLY =
  /^\W*(?:\w+ ){0,4}(?:exit(?:ed)?(?: with)?)[ _](?:code|status):? ?(?:<n>|\d{1,6})\W*$/i;

/** "Subject: what is wrong" on one line; not a URL or a time. */
const NAMES_WHAT = /^[\p{L}_(.'"`][^:]{1,80}:\s\S.{2,}$/u;

const WARNS = /\bwarning\b/i;

/** An error line without the parts that change from run to run. */
function normaliseError(line: string): string {
  return line
    .trim()
    .replace(
      /^(?:[>|•✖✗×❯●]|E {2,7}|\[?\d{1,2}:\d{2}:\d{2}[.,\d]{0,8}\]?|\d{4}-\d\d-\d\dT?[\d:.Z+]{0,20}|\d{1,6}:\d{1,6}\s)\s{0,8}/u,
      '',
    )
    .replace(/^[^\s:]{0,120}?([^\s:/\\]{1,60}):\s?line \d{1,7}: /, '')
    .replace(/\bfile:\/\/(?=\/)/g, '')
    .replace(/\bhttps?:\/\/[^\s'")]{1,300}/g, '<url>')
    .replace(
      /(?:[A-Za-z]:)?(?:[~.\w@+-]{0,80}[/\\]){1,20}[\w@+.-]{0,120}(?:\(\d{1,7},\d{1,7}\)|:\d{1,7}(?::\d{1,7})?)?/g,
      fileOnly,
    )
    .replace(/(\.[A-Za-z]{1,5})(?:\(\d{1,7},\d{1,7}\)|:\d{1,7}(?::\d{1,7})?)/g, '$1')
    .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<id>')
    .replace(/\b0x[0-9a-f]{1,16}\b/gi, '<n>')
    .replace(/\b(?=[0-9a-f]{0,40}[0-9])[0-9a-f]{7,64}\b/gi, '<id>')
    .replace(
      /(?<![A-Za-z0-9_.])\d{1,20}(?:[.,:]\d{1,20}){0,6}(?:\s?(?:ms|s|m|min|kB|KB|MB|GB|%))?(?![A-Za-z0-9_])/g,
      '<n>',
    )
    .replace(/\s{1,80}/g, ' ')
    .slice(0, 160)
    .trim();
}

/**
 * `/home/a/x/src/app.ts:3:4` -> `app.ts`, because the folder and line change. A path without a name
 * becomes `<path>`.
 */
function fileOnly(path: string): string {
  const plain = path.replace(/(?:\(\d{1,7},\d{1,7}\)|:\d{1,7}(?::\d{1,7})?)$/, '');
  const name = plain.slice(Math.max(plain.lastIndexOf('/'), plain.lastIndexOf('\\')) + 1);
  return name === '' || name.length > 60 ? '<path>' : name;
}

// Strength of a line: 3 names an error, 2 has a runner's mark or a hint of a failure, 1 counts
// failures, 0 is anything else.

/** Error statements of compilers, interpreters, runners and shells. */
const STATEMENTS: readonly RegExp[] = [
  /\b(?:error|warning) TS\d{3,5}: /,
  /^\s{0,8}error(?:\[E\d{4}\])?: (?!could not compile|aborting|process didn't exit|test failed|Recipe|Command failed|script )/,
  /^\s{0,8}(?:E {2,7})?(?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception|Warning|Exit|Interrupt|Fault)\b(?:\s\[[A-Z_]{3,40}\])?: \S/,
  /^(?:E {2,7})(?:assert|[A-Za-z_][\w.]{0,80}(?:Error|Exception))\b/,
  /^(?:Uncaught |Unhandled |Caused by: |Exception in thread "[^"]{1,60}" )/,
  /\b(?:command not found|No such file or directory|Permission denied|Operation not permitted|Is a directory|Not a directory)\b/,
  /is not recognized as an internal or external command/,
  /^npm (?:ERR!|error) (?:code |Missing script|404 |[A-Z]{4,}\b)/,
  /^(?:fatal|panic|FATAL|PANIC): \S/,
  /^thread '[^']{1,80}'(?: \(\d{1,9}\))? panicked at/,
  /^[\w./\\-]{1,200}\.go:\d{1,7}(?::\d{1,7})?: \S/,
  /^[\w./\\-]{1,200}\.(?:c|cc|cpp|h|hpp|m|swift|java|kt|scala|rs|zig):\d{1,7}(?::\d{1,7})?: (?:fatal )?error: /,
  /^e: (?:file:\/\/)?\S{1,300}\.kts?:\d/,
  /\bERR_[A-Z_]{4,60}\b|\bE(?:CONNREFUSED|ADDRINUSE|ACCES|NOENT|NOSPC|PERM|RESOLVE|TIMEDOUT|NOTFOUND|EXIST)\b/,
  /^ {0,8}\d{1,6}:\d{1,6}\s{1,8}error\s{1,8}\S/,
  /^SyntaxError|^Segmentation fault|^Killed$|\bundefined reference to\b|\bcannot find (?:module|package|symbol)\b/i,
  /^ERROR(?:: |\s\[|\s{1,4}in\s)\S/,
  /^\[ERROR\] (?!-> |\[|For more|To see|Re-run|BUILD|Failed to execute)\S/,
  /^Error response from daemon: /,
];

/** Marks that runners and tools print before a failure. */
const MARKS: readonly RegExp[] = [
  /^\s{0,8}(?:error|Error|ERROR)\b\S?|.{0,120}\b[Ee]rror: /,
  /^\s{0,8}(?:--- FAIL: |FAIL(?:ED)?\b|✕ |✗ |✖ |× |❌ |not ok \d)/u,
  /^> (?:Task|Could not|Process) \S.{0,80}(?:FAILED|resolve|finished with)/,
  /^make(?:\[\d{1,3}\])?: (?:\*\*\* |No rule)/,
  /^(?:Missing script|Unknown (?:command|option)|unrecognized (?:arguments|subcommand)|Traceback \(most recent)/i,
];

/** Words that often mean a failure, but as often something else. */
const HINTS: readonly RegExp[] = [
  /\b(?:unexpected token|is not defined|is not a function|cannot read propert|does not exist|not found|failed to|could not|couldn't|unable to|timed out|refused)\b/i,
  /^\s{0,8}(?:assert\w{0,20}|expected\b.{0,80}\b(?:got|received|to\b))/i,
];

/** Last lines and counts of failed runs. */
const COUNTS: readonly RegExp[] = [
  /\b[1-9]\d{0,5} (?:failed|failing|failures?|errors?(?! ignored))\b|\b(?:failed|failures|errors?): [1-9]/i,
  /\bBUILD FAILED\b|\bFAILURE:|^\[\w{1,40}\] ERROR|\bELIFECYCLE\b/,
  /\b(?:exit(?:ed with)?|returned) (?:code|status|non-zero)[: ]*[1-9]/i,
];

/** Lines that look like an error but report that there is none, or quote source code. */
const HARMLESS =
  /\b(?:(?:0|no) (?:errors?|failed|failures|failing|issues)|without errors?|error-free|(?:errors?|failed): 0)\b|^\s{0,8}(?:at |File "|\d{1,6}\s{0,4}[|│→]|\d{1,6}:\s|\d{1,6}\t|import |export |const |let |var |return |def |class |func |fn |if |\/\/|\*|#|<|\{|\}|\+|-(?!-))/;

function strengthOf(line: string): 0 | 1 | 2 | 3 {
  if (HARMLESS.test(line)) return 0;
  if (isOneOf(STATEMENTS, line)) return 3;
  if (isOneOf(MARKS, line) || isOneOf(HINTS, line)) return 2;
  return isOneOf(COUNTS, line) ? 1 : 0;
}

/** Whether a line shows a failure, whatever the exit status is. */
function isFailing(line: string): boolean {
  return !HARMLESS.test(line) && [STATEMENTS, MARKS, COUNTS].some((each) => isOneOf(each, line));
}

function isOneOf(patterns: readonly RegExp[], line: string): boolean {
  return patterns.some((pattern) => pattern.test(line));
}

/** Signs of success, whatever the exit status is: a pipe can hide it. */
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

/**
 * An error as a code span: no backticks, whole words, at most `most` characters, and without
 * placeholders of numbers at the end.
 */
export function errorSpan(error: string, most: number): string {
  const clean = error
    .replace(/`/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/(?<![\s:,])(?:[\s:,]*<[a-z]{1,8}>){1,20}$/, '');
  if (clean.length <= most) return `\`${clean}\``;
  const cut = clean.slice(0, Math.max(clean.lastIndexOf(' ', most - 1), Math.floor(most * 0.6)));
  return `\`${cut.replace(/(?<![\s,;:([{'"-])[\s,;:([{'"-]+$/, '')}\``;
}
