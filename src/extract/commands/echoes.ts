import { outputLines } from '../outcome.js';
import { splitShell } from '../shell/steps.js';
import { classifyCommand } from './classify.js';
import type { Run } from './runs.js';

const LONGEST = 70;
/** Characters that all expansions of one command may take. */
const ROOM = 110;
const MOST = 4;

/**
 * What runners print before they run: npm, pnpm (`> vitest run`), yarn, bun (`$ vitest run`), mise (`[test] $ go test`), task
 * (`task: [test] go test`).
 */
const PRINTED: readonly RegExp[] = [
  /^\s*> (?!\S+@\d)(\S.*)$/,
  /^\$ (\S.*)$/,
  /^\[[\w:./-]+\] \$ (\S.*)$/,
  /^task: \[[\w:./-]+\] (\S.*)$/,
];
/** Runners that print the bare recipe. */
const BARE = new Set(['make', 'gmake', 'just', 'invoke', 'inv', 'poe', 'rake']);
const BARE_LINE = /^@?((?:cd \S+ && )?(?:[A-Z_]+=\S+ )*[a-z][\w./-]*(?: [\w./:@=*"',+%-]+)+)$/;

/** A printed line as a command that can be shown; null for what is long, dynamic, of another folder or of no known purpose. */
function asCommand(text: string): string | null {
  const clean = text.trim().replace(/\s+/g, ' ');
  if (clean.length > LONGEST || /[`$…~]|(?<!\/)\.\.\.$|\/(?:home|Users|tmp|root|workspace\w*)\//.test(clean)) return null;
  const steps = splitShell(clean);
  if (steps.length === 0 || steps.length > 3 || steps.some((s) => s.scripted || s.dynamic)) return null;
  return steps.some((s) => classifyCommand(s.words) !== null) ? clean : null;
}

/**
 * What a script, target or task expands to, as its runner printed it, at most four commands that fit together.
 * @returns an empty list when the runner says nothing or only what is not worth showing
 */
export function echoesOf(run: Run): string[] {
  if (!run.form.entry || !run.alone || run.call.result === null) return [];
  const bare = BARE.has(run.form.words[0] ?? '');
  const found: string[] = [];
  for (const raw of outputLines(run.call.result.text)) {
    const line = raw.trimEnd();
    const printed =
      PRINTED.map((p) => p.exec(line)?.[1]).find((text) => text !== undefined) ?? (bare ? BARE_LINE.exec(line)?.[1] : undefined);
    const command = printed === undefined ? null : asCommand(printed);
    if (command === null || command === run.form.text || found.some((f) => f.includes(command))) continue;
    if (found.length === MOST || found.join(', ').length + command.length > ROOM) break;
    found.push(command);
  }
  return found;
}
