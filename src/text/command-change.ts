/** Parts of a command whose change is no cure. Pure. */

/** Options that only change what is printed or how much is looked at. */
const SHOWS =
  /^-{1,2}(?:v+|verbose|quiet|q|debug|help|h|version|dry-?run|n|watch|w|list|l|trace|stacktrace|info|x|s|k|t|run|run-.*|color|no-color|tb|reporter|j|o|output|format|y|yes|limit|L|count|head|tail|log.*|maxfail|bail|silent)(?:=|$)/;
/**
 * Options and settings that switch a check off, weaken safety, force a way past it or rewrite what
 * is checked.
 */
const GETS_PAST =
  /^-{1,2}(?:f|D|u|hard|force.*|.*-force|no-verify|.*skip.*|.*ignore.*|.*exclude.*|allow-.*|.*allow-empty.*|pass-?with-?no-?tests|update.*|fix.*|write|insecure|no-check.*|.*unsafe.*|.*danger.*|break-.*|privileged|trusted-.*|disable.*|.*secur.*|.*sandbox.*)(?:=|$)|^\w*(?:VERIFY|REJECT|INSECURE|SKIP|DISABLE|UNSAFE|SSL|TLS|FORCE|ALLOW|IGNORE)\w*=/;

/**
 * Whether a changed part of a command is no cure: it only changes what is printed, or skips a
 * check.
 */
export function isNoCure(part: string): boolean {
  return SHOWS.test(part) || GETS_PAST.test(part);
}
