import type { Entry } from '../../types.js';
import type { Change, Run } from '../commands/runs.js';

/** A command that failed with a signature and later worked, and what lay between. */
export interface Cured {
  text: string;
  error: string;
  /** All failing runs with this command before the first success. */
  failed: Run[];
  worked: Run;
  /** Runs in between that worked, or went on in the background, and are not the command itself. */
  between: Run[];
  changes: Change[];
}

/** Signatures that say only that something failed, or that a test's expectation was not met. */
const EMPTY =
  /^(?:exit (?:code|status)|error: (?:process|script|command|recipe|task)\b|command failed|fail(?:ed|ure)?\b[^:]{0,20}$|--- FAIL|FAIL\b|not ok|✕|✗|×|<n> (?:failed|failing|error)|tests? failed|make(?:\[<?n?>?\])?: \*\*\* \[|npm (?:ERR!|error) (?:code ELIFECYCLE|Lifecycle)|assert|expected\b|AssertionError|E\s+assert)/i;

/** Whether a signature names something that could come back. */
export function isTelling(error: string | null | undefined): error is string {
  return (
    typeof error === 'string' && error.length >= 12 && !EMPTY.test(error.trim()) && /[a-z]{3}/i.test(error.replace(/<\w+>/g, ''))
  );
}

/** Pairs of failure and cure in the order of the cures; one for each command and signature. */
export function curesIn(runs: Run[], changes: Change[]): Cured[] {
  const found: Cured[] = [];
  const open = new Map<string, Run[]>();
  for (const run of runs) {
    const failed = open.get(run.form.key) ?? [];
    if (run.verdict === 'failed') open.set(run.form.key, [...failed, run]);
    if (run.verdict !== 'ok' || failed.length === 0) continue;
    open.delete(run.form.key);
    const last = failed[failed.length - 1] as Run;
    const error = failed
      .map((f) => f.call.result?.error)
      .filter(isTelling)
      .at(-1);
    if (error === undefined || last.call === run.call) continue;
    found.push({
      text: run.form.text,
      error,
      failed,
      worked: run,
      between: runs.filter(
        (r) =>
          r.at > last.at &&
          r.at < run.at &&
          (r.verdict === 'ok' || (r.step.joint === '&' && r.verdict === 'unknown')) &&
          r.form.key !== run.form.key,
      ),
      changes: changes.filter((c) => c.at > (failed[0]?.at ?? 0) && c.at < run.at),
    });
  }
  return found;
}

const COMMON = new Set(
  (
    'error failed failure cannot could not found file module the and for with from this that have has was are must should can ' +
    'command test tests line expected type value name undefined null true false invalid missing unknown return exit code path src'
  ).split(' '),
);

/** Words of a text that could tie it to another: identifiers, paths, codes; not common words. */
function termsIn(text: string): Set<string> {
  const terms = new Set<string>();
  for (const [word] of text.matchAll(/[A-Za-z_][\w.-]{2,}\w|\b[A-Z]+\d+\b/g)) {
    for (const part of [word, ...word.split(/[.\-_/]+/)]) {
      const term = part.toLowerCase();
      if (term.length >= 4 && !COMMON.has(term)) terms.add(term);
    }
  }
  return terms;
}

/** Terms that two texts share. */
export function sharedTerms(a: string, b: string): string[] {
  const there = termsIn(b);
  return [...termsIn(a)].filter((t) => there.has(t));
}

/** What the agent said aloud between two places. */
export function saidBetween(entries: Entry[], from: number, to: number): Entry[] {
  return entries
    .slice(from + 1, to + 1)
    .filter((e) => e.role === 'assistant' && e.origin === 'agent' && !e.copied && e.text.trim() !== '');
}
