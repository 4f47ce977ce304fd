/**
 * The one reader of errors in what programs print: the line that names an error, what two errors
 * have in common, and whether an output shows a failure or a success. Pure.
 */
import { ORDERS } from './signs.js';
import { clipped, verbatim } from './verbatim.js';

/** Lines looked at: errors stand near the top or, in test runs, near the end. */
const LINES = 6000;
const TAIL = 64 * 1024;

/**
 * Signature of the first real error line, equal for the same error at another place and time: paths
 * shortened to the file's extension, numbers, hashes, addresses, times and quoted values taken out;
 * at most 160 characters. Understands npm, tsc, eslint, node, python, pytest, go, cargo, jest,
 * vitest, gradle, maven, git, docker, make and shells.
 * @returns null when the text shows no error line
 */
export function errorSignature(text: string): string | null {
  const found = best(text.slice(0, TAIL)) ?? (text.length > TAIL ? best(text.slice(-TAIL)) : null);
  return found === null ? null : normaliseError(found);
}

/** Lines of a short output, which says little else than why it failed. */
const SHORT_LINES = 12;
/** So short an output holds nothing but the reason. */
const SAYS_WHY_LINES = 2;

/**
 * Signature of a result that is known to have failed: its error line, else, when the output is
 * short, the line by which its program most likely says why: the first that names something and
 * what is wrong with it (`name: what`), else the last one. No list holds all error words (`Unknown
 * JSON field: "x"`, `read-only variable: status`), but a short failing output says why.
 */
export function failureSignature(result: string): string | null {
  const text = unfoldResults(result);
  const known = errorSignature(text);
  if (known !== null && !STATUS_ONLY.test(known)) return known;
  const says = (line: string): boolean =>
    /\p{L}{2}/u.test(line) && !HARMLESS.test(line) && !STATUS_ONLY.test(line.trim());
  const lines = [...plainLines(text, SHORT_LINES + 2)].filter(says);
  if (lines.length > SHORT_LINES) return known;
  const informative = lines.find((line) => NAMES_WHAT.test(line.trim())) ?? lines.at(-1);
  return informative === undefined ? known : normaliseError(informative);
}

/** Words of statuses and headings: of these alone a line says that something failed, not what. */
const STATUS_WORDS = new Set(
  (
    'a an and at by during following for in of on the to while with aborted error errors err fail failed failing failure fatal ' +
    'panic exit exited exiting code status returned finished occurred stopped found issue issues problem problems warning ' +
    'warnings build check lint test tests run running command job line make process recipe script step target task'
  ).split(' '),
);
/** A test that failed, or its expectation: what it is about changes from day to day. */
const OF_A_TEST = /^(?:(?:E\s+)?assert|expected\b|--- FAIL|FAIL\b|not ok|[✕✗×✖])/i;
const LEAST_WORDS = 2;

/**
 * Whether a line tells what is wrong: more than one word beside those of a status, and no single
 * test's failure.
 */
export function namesFailure(line: string): boolean {
  if (OF_A_TEST.test(line.trim())) return false;
  const words = line.replace(/<\w+>/g, ' ').match(/\p{L}[\p{L}\p{N}_.@/-]+/gu) ?? [];
  return (
    new Set(words.map((word) => word.toLowerCase()).filter((word) => !STATUS_WORDS.has(word)))
      .size >= LEAST_WORDS
  );
}

/**
 * Signature of what is wrong in the output of a failed command: the strongest line that names
 * something, of a short output also the first of the kind `name: what`; null when no line does. A
 * heading (`error during build:`) yields to the line that tells.
 */
export function namedError(output: string): string | null {
  const text = unfoldResults(output);
  const found =
    best(text.slice(0, TAIL), namesFailure) ??
    (text.length > TAIL ? best(text.slice(-TAIL), namesFailure) : null);
  if (found !== null) return normaliseError(found);
  const lines = [...plainLines(text, SHORT_LINES + 1)].filter(
    (line) => !STATUS_ONLY.test(line.trim()),
  );
  if (lines.length > SHORT_LINES) return null;
  const says = lines.filter((line) => !HARMLESS.test(line) && namesFailure(line));
  // Of a command that failed and printed a line or two, the first says why, whatever its words are.
  const informative =
    says.find((line) => NAMES_WHAT.test(line.trim())) ??
    (lines.length <= SAYS_WHY_LINES ? says[0] : undefined);
  return informative === undefined ? null : normaliseError(informative);
}

/** Fields in which a result object says what its command printed. */
const PRINTED = ['output', 'aggregated_output', 'stdout', 'stderr'] as const;

/**
 * What a line prints: a result object (`{"output":"...","exit_code":1}`) what its fields hold, any
 * other line itself.
 */
function printedBy(line: string): string {
  if (!line.startsWith('{"')) return line;
  try {
    const result = JSON.parse(line) as Record<string, unknown>;
    const told = PRINTED.map((name) => result[name]).filter((value) => typeof value === 'string');
    return told.length === 0 ? line : told.join('\n');
  } catch {
    return line;
  }
}

/**
 * Results that a script printed one on a line, with their own lines: escaped on one line no error
 * is found. Only here, never in the stored text: an entry that read otherwise than before would
 * come back as a new revision of itself.
 */
function unfoldResults(text: string): string {
  return text.includes('{"') ? text.split('\n').map(printedBy).join('\n') : text;
}

/** "Exit code 1": that it failed, not why. */
const STATUS_ONLY =
  /^\W*(?:\w+ ){0,4}(?:exit(?:ed)?(?: with)?)[ _](?:code|status):? ?(?:<n>|\d{1,6})\W*$/i;

/** "Subject: what is wrong", on one line; not a URL, not a time. */
const NAMES_WHAT = /^[\p{L}_(.'"`][^:]{1,80}:\s\S.{2,}$/u;

/**
 * The strongest of the lines that count; of equals the first. A warning beside an error is not why
 * a command failed.
 */
function best(text: string, counts: ((line: string) => boolean) | null = null): string | null {
  let line: string | null = null;
  let strength = 0;
  for (const next of plainLines(text, LINES)) {
    const value =
      counts !== null && WARNS.test(next) ? Math.min(1, strengthOf(next)) : strengthOf(next);
    if (value > strength && (counts === null || counts(next))) {
      line = next;
      strength = value;
      if (value === 3) break;
    }
  }
  return line;
}

const WARNS = /\bwarning\b/i;

/** An error line with its accidents taken out. */
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
 * `/home/a/x/src/app.ts:3:4` -> `app.ts`: the name says what failed, the place changes. A path
 * without a name becomes `<path>`.
 */
function fileOnly(path: string): string {
  const plain = path.replace(/(?:\(\d{1,7},\d{1,7}\)|:\d{1,7}(?::\d{1,7})?)$/, '');
  const name = plain.slice(Math.max(plain.lastIndexOf('/'), plain.lastIndexOf('\\')) + 1);
  return name === '' || name.length > 60 ? '<path>' : name;
}

// How much a line looks like the statement of an error: 3 names the error itself, 2 is a likely
// error, 1 a summary of failure, 0 nothing.

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

/** Lines that are likely the failure, but often only point to it. */
const LIKELY: readonly RegExp[] = [
  /^(?:\s{0,8}(?:error|Error|ERROR)\b|.{0,120}\b[Ee]rror: )\S?/,
  /^(?:--- FAIL: |FAIL:? |FAILED\b|✕ |✗ |× |not ok \d)/u,
  /^> (?:Task|Could not|Process) \S.{0,80}(?:FAILED|resolve|finished with)/,
  /^make(?:\[\d{1,3}\])?: \*\*\* /,
  /\b(?:unexpected token|is not defined|is not a function|cannot read propert|does not exist|not found|failed to|could not|couldn't|unable to|timed out|refused)\b/i,
  /^\s{0,8}(?:assert\w{0,20}|expected\b.{0,80}\b(?:got|received|to\b))/i,
];

/** Tails and counts of failing runs. */
const SUMMARIES: readonly RegExp[] = [
  /\b\d{1,6} (?:failed|failing|errors?)\b/,
  /\bBUILD FAILED\b|\bFAILURE:/,
  /\b[Ee]xit (?:code|status):? [1-9]/,
];

/** What looks like an error but reports that there is none, or quotes source code. */
const HARMLESS =
  /\b(?:0 (?:errors?|failed|failures|failing)|no errors?|without errors?|error-free|errors?: 0)\b|^\s{0,8}(?:at |File "|\d{1,6}\s{0,4}[|│→]|\d{1,6}:\s|\d{1,6}\t|import |export |const |let |var |return |def |class |func |fn |if |\/\/|\*|#|<|\{|\}|\+|-(?!-))/;

/** @param line one line without colours, at most 400 characters */
function strengthOf(line: string): 0 | 1 | 2 | 3 {
  if (HARMLESS.test(line)) return 0;
  if (STATEMENTS.some((pattern) => pattern.test(line))) return 3;
  if (LIKELY.some((pattern) => pattern.test(line))) return 2;
  return SUMMARIES.some((pattern) => pattern.test(line)) ? 1 : 0;
}

// Lines without loading them all at once: generators over one string.

/**
 * Non-empty lines of a text with terminal colours taken out, each cut to 400 characters; stops
 * after `limit` lines.
 */
function* plainLines(text: string, limit: number): Generator<string> {
  let start = 0;
  for (let seen = 0; seen < limit && start < text.length;) {
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    if (end > start) {
      const line = withoutColour(text.slice(start, Math.min(end, start + 600)))
        .slice(0, 400)
        .trimEnd();
      if (line.trim() !== '') {
        seen++;
        yield line;
      }
    }
    start = end + 1;
  }
}

/** Text without ANSI escapes and other control characters except tab. */
function withoutColour(line: string): string {
  if (!/[\u0000-\u0008\u000b-\u001f\u007f]/.test(line)) return line;
  return line.replace(ORDERS, '').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '');
}

/**
 * An error as a code span: no backticks, whole words, at most `most` characters, and no numbers at
 * its end that were taken out.
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
const NO_FAILURE =
  /\b(?:0|no) (?:errors?|failed|failures|failing|issues)\b|errors?: 0\b|\bfailed: 0\b/i;

/** Longest output that is looked at: its head and its end. */
const MOST_READ = 20_000;

/** Longest line that is looked at: minified code says nothing and takes long to match. */
const LINE = 1000;

/** Lines of an output, without terminal colours. */
export function outputLines(output: string): string[] {
  const text =
    output.length <= 2 * MOST_READ
      ? output
      : `${output.slice(0, MOST_READ)}\n${output.slice(-MOST_READ)}`;
  return text
    .replace(ORDERS, '')
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
    .map((line) => verbatim(line));
  const kept = [...new Set(found)].slice(-MOST_ERROR_LINES);
  while (kept.length > 1 && kept.join(' | ').length > most) kept.shift();
  return clipped(kept.join(' | '), most);
}

/** Whether a line tells what failed, not only that something did. */
export function namesError(line: string): boolean {
  return (
    !NAMES_NOTHING.test(line) && (isFailing(line) || (PLACED.test(line) && !NO_FAILURE.test(line)))
  );
}

export function informativeLines(output: string): string[] {
  return outputLines(output).filter((l) => l.trim() !== '' && l.length < 600);
}

function isFailing(line: string): boolean {
  return !NO_FAILURE.test(line) && FAILURE.some((p) => p.test(line));
}

/** Whether an output shows a failure, a success, both or neither. */
export function readOutput(output: string): { failure: boolean; success: boolean } {
  const informative = informativeLines(output);
  return {
    failure: informative.some(isFailing),
    success: informative.some((l) => SUCCESS.some((p) => p.test(l))),
  };
}
