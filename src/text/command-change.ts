/** What differs between two commands of which one fails and the other works. Pure. */

/** A command in words, and the settings before it that belong to it. */
export interface Spelled {
  env: readonly string[];
  words: readonly string[];
}

export interface Difference {
  from: string;
  to: string;
  /** Words that went, and words that came. */
  gone: string[];
  come: string[];
}

/** Options that only change what is printed or how much is looked at. */
const SHOWS =
  /^-{1,2}(?:v+|verbose|quiet|q|debug|help|h|version|dry-?run|n|watch|w|list|l|trace|stacktrace|info|x|s|k|t|run|run-.*|color|no-color|tb|reporter|j|o|output|format|y|yes|limit|L|count|head|tail|log.*|maxfail|bail|silent)(?:=|$)/;
/** Options and settings that switch a check off, weaken safety, force a way past it or rewrite what is checked. */
const GETS_PAST =
  /^-{1,2}(?:f|D|u|hard|force.*|.*-force|no-verify|.*skip.*|.*ignore.*|.*exclude.*|allow-.*|.*allow-empty.*|pass-?with-?no-?tests|update.*|fix.*|write|insecure|no-check.*|.*unsafe.*|.*danger.*|break-.*|privileged|trusted-.*|disable.*|.*secur.*|.*sandbox.*)(?:=|$)|^\w*(?:VERIFY|REJECT|INSECURE|SKIP|DISABLE|UNSAFE|SSL|TLS|FORCE|ALLOW|IGNORE)\w*=/;

/** Whether a changed part of a command is no cure: it only changes what is printed, or skips a check. */
export function isNoCure(part: string): boolean {
  return SHOWS.test(part) || GETS_PAST.test(part);
}

/** Leading words that name the program and what it does: no option, no path, no number. */
function headOf(words: readonly string[]): string[] {
  const end = words.findIndex((w, i) => i > 0 && !/^[a-z][\w:-]*$/.test(w));
  return words.slice(0, Math.min(3, end < 0 ? words.length : end));
}

/** The same program with one option, value or environment setting changed; null when operands differ too. */
function changedOption(from: Spelled, to: Spelled): Difference | null {
  const [a, b] = [from.words, to.words];
  const gone = a.filter((w) => !b.includes(w));
  const come = b.filter((w) => !a.includes(w));
  const set = to.env.filter((e) => !from.env.includes(e));
  const unset = from.env.filter((e) => !to.env.includes(e));
  const count = gone.length + come.length + set.length + unset.length;
  if (count === 0 || gone.length > 2 || come.length > 2 || set.length + unset.length > 2) return null;
  const isPart = (words: string[], all: readonly string[]): boolean =>
    words.every((w) => w.startsWith('-') || all[all.indexOf(w) - 1]?.startsWith('-') === true);
  if (!isPart(gone, a) || !isPart(come, b) || [...gone, ...come, ...set].some(isNoCure)) return null;
  const head = headOf(a).filter((w) => b.includes(w) && !gone.includes(w));
  const withOption = (words: string[], all: readonly string[]): string[] =>
    words.flatMap((w) => (w.startsWith('-') ? [w] : [all[all.indexOf(w) - 1] ?? '', w]));
  const left = [...unset, ...head, ...new Set(withOption(gone, a))];
  const right = [...set, ...head, ...new Set(withOption(come, b))];
  return { from: left.join(' '), to: right.join(' '), gone: [...gone, ...unset], come: [...come, ...set] };
}

/** The same words given to another program, or the whole command behind a runner. */
function changedTool(from: Spelled, to: Spelled): Difference | null {
  const [a, b] = [from.words, to.words];
  if (from.env.join(' ') !== to.env.join(' ') || a[0] === b[0] || a.length < 2) return null;
  const same = a.slice(1).join(' ') === b.slice(1).join(' ');
  const behind = b.length > a.length && b.length - a.length <= 3 && b.slice(-a.length).join(' ') === a.join(' ');
  if (!same && !behind) return null;
  const operands = headOf(a).slice(1);
  if (operands.length === 0) return null;
  const tool = b.slice(0, b.length - a.length + 1);
  return { from: [a[0], ...operands].join(' '), to: [...tool, ...operands].join(' '), gone: [a[0] ?? ''], come: tool };
}

/**
 * The one change that makes `to` of `from`, in words that can be shown; null when there is more than one, or none that could
 * cure.
 */
export function differenceBetween(from: Spelled, to: Spelled): Difference | null {
  const found = from.words[0] === to.words[0] ? changedOption(from, to) : changedTool(from, to);
  return found === null || found.from === found.to || found.from.length > 60 || found.to.length > 60 ? null : found;
}
