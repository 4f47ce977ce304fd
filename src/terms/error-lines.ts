/** How much a line looks like the statement of an error: 3 names the error itself, 2 is a likely error, 1 a summary of failure, 0 nothing. */

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

/** Source code, a listing, a stack frame, or the report that nothing is wrong. */
export const isSource = (line: string): boolean => HARMLESS.test(line);

/** @param line one line without colours, at most 400 characters */
export function strengthOf(line: string): 0 | 1 | 2 | 3 {
  if (HARMLESS.test(line)) return 0;
  if (STATEMENTS.some((pattern) => pattern.test(line))) return 3;
  if (LIKELY.some((pattern) => pattern.test(line))) return 2;
  return SUMMARIES.some((pattern) => pattern.test(line)) ? 1 : 0;
}
