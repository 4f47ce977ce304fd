import { outputLines } from '../outcome-lines.js';
import type { Step } from '../shell/steps.js';
import { splitShell } from '../shell/steps.js';
import { classifyCommand } from './classify.js';
import type { Run } from './runs.js';

/** Lines looked at: a runner says first what it runs. */
const HEAD = 60;
const LONGEST = 70;

/** What runners print before they run: npm, pnpm (`> vitest run`), yarn, bun (`$ vitest run`), mise (`[test] $ go test`), task (`task: [test] go test`), just, make (the bare recipe). */
const PRINTED: readonly RegExp[] = [/^> (?!\S+@\d)(\S.*)$/, /^\$ (\S.*)$/, /^\[[\w:./-]+\] \$ (\S.*)$/, /^task: \[[\w:./-]+\] (\S.*)$/, /^(?:==> |Running:? |executing:? )`?([^`]+)`?$/i];
const BARE = new Set(['make', 'gmake', 'just', 'invoke', 'inv', 'poe', 'rake']);

function isShown(step: Step | undefined, text: string): boolean {
  return step !== undefined && text.length <= LONGEST && classifyCommand(step.words) !== null && !/[`$]|\/(?:home|Users|tmp|root)\//.test(text);
}

/**
 * What a script, target or task expands to, as its runner printed it; null when it says nothing or says it at length.
 * Only a command of a known purpose counts; of several the first is given, with `…` when more follow.
 */
export function echoOf(run: Run): string | null {
  if (!run.form.entry || !run.alone || run.call.result === null) return null;
  const lines = outputLines(run.call.result.text.slice(0, 8000)).slice(0, HEAD).map((l) => l.trimEnd());
  const bare = BARE.has(run.form.words[0] ?? '');
  for (const [i, line] of lines.entries()) {
    const printed = PRINTED.map((p) => p.exec(line)?.[1]).find((text) => text !== undefined) ?? (bare && i < 4 && /^[a-z]/.test(line) ? line : undefined);
    if (printed === undefined) continue;
    const text = printed.trim().replace(/\s+/g, ' ');
    const steps = splitShell(text);
    if (steps.length > 3 || !steps.some((s) => classifyCommand(s.words) !== null) || !isShown(steps.find((s) => classifyCommand(s.words) !== null), text)) continue;
    if (text === run.form.text || steps.some((s) => s.scripted || s.dynamic)) continue;
    return text;
  }
  return null;
}
