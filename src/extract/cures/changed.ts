import type { Candidate } from '../../types.js';
import { observed } from '../commands/candidate.js';
import { asksForItself, isProbe } from '../commands/classify.js';
import type { Change } from '../commands/edits.js';
import { keptEnv } from '../commands/form.js';
import { missingWord } from '../commands/renaming.js';
import type { Call } from '../commands/runs.js';
import type { Verdict } from '../outcome.js';
import type { SessionInput } from '../session.js';
import { isPassing } from '../shell/place.js';
import type { Step } from '../shell/steps.js';
import { errorSpan } from './by-command.js';
import { isTelling, sharedTerms } from './failures.js';

/** The changed command stands at most this many entries after the failure. */
const REACH = 13;
/** Options that only change what is printed or how much is looked at, and those that switch a check off or force a way past it. */
const NO_CURE = /^-{1,2}(?:v+|verbose|quiet|q|debug|help|h|version|dry-?run|n|watch|w|list|l|trace|stacktrace|info|x|s|k|t|run|run-.*|color|no-color|tb|reporter|j|f|force.*|.*force|no-verify|.*skip.*|.*ignore.*|.*exclude.*|.*allow-empty.*|pass-?with-?no-?tests|hard|D|u|update.*|fix.*|write|insecure|no-check.*|.*unsafe.*|.*dangerous.*|o|output|format|y|yes|limit|L|count|head|tail|log.*|maxfail|bail|silent)(?:=|$)/;

export const isNoCure = (option: string): boolean => NO_CURE.test(option);
/** Looking programs that are told all the same: their options differ from machine to machine and agents trip over them. */
const ASKED = new Set(['gh', 'glab', 'psql', 'mysql', 'sqlite3', 'duckdb', 'redis-cli']);
const WORD = /^[\w./:@=,+-]{1,40}$/;

/** A call that is one command: its end is the end of that command. */
interface Tried {
  call: Call;
  step: Step;
  verdict: Verdict;
}

const nameOf = (step: Step): string => (step.words[0] ?? '').replace(/^.*\//, '');

function triesOf(calls: Call[]): Tried[] {
  return calls.flatMap((call) => {
    const loud = call.steps.flatMap((step, i) => (step.words[0] === 'cd' || step.words.length === 0 ? [] : [{ step, i }]));
    const [only] = loud;
    if (loud.length !== 1 || only === undefined || only.step.scripted || only.step.heredoc || call.result === null || call.folders[only.i] === null) return [];
    const name = nameOf(only.step);
    if ((isProbe(name) && !ASKED.has(name)) || name === 'git' || asksForItself(only.step.words)) return [];
    return [{ call, step: only.step, verdict: call.verdicts[only.i] ?? 'unknown' }];
  });
}

interface Difference {
  from: string;
  to: string;
  /** Words that went, and words that came. */
  gone: string[];
  come: string[];
}

const isShown = (words: string[]): boolean => words.every((w) => WORD.test(w) && !isPassing(w) && !/^(?:\/|~)|:\/\/|[0-9a-f]{7,}/.test(w));

/** Leading words that name the program and what it does: no option, no path, no number. */
const headOf = (words: string[]): string[] => words.slice(0, 3).filter((w, i, all) => i === 0 || (/^[a-z][\w:-]*$/.test(w) && all.slice(1, i).every((x) => /^[a-z][\w:-]*$/.test(x))));

/** The same program with one option, value or environment setting changed; null when operands differ too. */
function changedOption(from: Step, to: Step): Difference | null {
  const [a, b] = [from.words, to.words];
  const gone = a.filter((w) => !b.includes(w));
  const come = b.filter((w) => !a.includes(w));
  const set = keptEnv(to.env).filter((e) => !from.env.includes(e));
  const unset = keptEnv(from.env).filter((e) => !to.env.includes(e));
  if (gone.length + come.length + set.length + unset.length === 0 || gone.length > 2 || come.length > 2 || set.length + unset.length > 2) return null;
  const isPart = (words: string[], all: string[]): boolean => words.every((w) => w.startsWith('-') || all[all.indexOf(w) - 1]?.startsWith('-') === true);
  if (!isPart(gone, a) || !isPart(come, b) || [...gone, ...come].some(isNoCure)) return null;
  const head = headOf(a).filter((w) => b.includes(w) && !gone.includes(w));
  const withOption = (words: string[], all: string[]): string[] => words.flatMap((w) => (w.startsWith('-') ? [w] : [all[all.indexOf(w) - 1] ?? '', w]));
  const [left, right] = [[...unset, ...head, ...new Set(withOption(gone, a))], [...set, ...head, ...new Set(withOption(come, b))]];
  return { from: left.join(' '), to: right.join(' '), gone: [...gone, ...unset], come: [...come, ...set] };
}

/** The same words given to another program, or the whole command behind a runner. */
function changedTool(from: Step, to: Step): Difference | null {
  const [a, b] = [from.words, to.words];
  if (from.env.join(' ') !== to.env.join(' ') || a[0] === b[0] || a.length < 2) return null;
  const same = a.slice(1).join(' ') === b.slice(1).join(' ');
  const behind = b.length > a.length && b.length - a.length <= 3 && b.slice(-a.length).join(' ') === a.join(' ');
  if (!same && !behind) return null;
  const operands = headOf(a).slice(1);
  if (operands.length === 0) return null;
  return { from: [a[0], ...operands].join(' '), to: [...b.slice(0, b.length - a.length + 1), ...operands].join(' '), gone: [a[0] ?? ''], come: b.slice(0, b.length - a.length + 1) };
}

function differenceOf(from: Tried, to: Tried): Difference | null {
  const found = from.step.words[0] === to.step.words[0] ? changedOption(from.step, to.step) : changedTool(from.step, to.step);
  return found !== null && found.from !== found.to && found.from.length <= 60 && found.to.length <= 60 && isShown([...found.from.split(' '), ...found.to.split(' ')]) ? found : null;
}

/**
 * Commands that failed and passed soon after with one option, value, setting or tool changed, with no edit, other command or word of the
 * person in between. What says itself that something is missing has rules of its own (`replacedCommands`, `neededParts`).
 * @param told entries that such a rule already speaks of
 */
export function changedCommands(session: SessionInput, calls: Call[], changes: Change[], told: ReadonlySet<string | null>): Candidate[] {
  const tries = triesOf(calls);
  const found = new Map<string, Candidate>();
  for (const [i, from] of tries.entries()) {
    const error = from.call.result?.error;
    if (from.verdict !== 'failed' || !isTelling(error) || missingWord(from.step.words, from.call.result?.text ?? '') !== null) continue;
    const next = tries.slice(i + 1, i + 4).find((t) => t.call.at - from.call.at <= REACH && t.verdict === 'ok' && differenceOf(from, t) !== null);
    const pair = next === undefined ? null : differenceOf(from, next);
    if (next === undefined || pair === null || told.has(next.call.entry.id)) continue;
    const [a, b] = [from.call.at, next.call.at];
    const others = tries.some((t) => t.call.at > a && t.call.at < b && nameOf(t.step) !== nameOf(from.step) && nameOf(t.step) !== nameOf(next.step));
    if (others || changes.some((c) => c.at > a && c.at < b) || session.entries.slice(a + 1, b).some((e) => e.role === 'user')) continue;
    // It also works as it was: then something else cured it.
    if (tries.some((t) => t.verdict === 'ok' && t.step.words.join(' ') === from.step.words.join(' ') && t.step.env.join(' ') === from.step.env.join(' '))) continue;
    const text = `\`${pair.from}\` fails here with ${errorSpan(error, 80)}: \`${pair.to}\` works.`;
    const isNamed = sharedTerms([...pair.gone, ...pair.come].join(' '), error).length > 0;
    if (text.length <= 200) found.set(pair.from, observed(session, {
      kind: 'gotcha', text, key: `changed:${pair.from}:${pair.to}`, importance: 2, alone: true, worth: isNamed ? 0.5 : 0.4, entry: next.call.entry,
      quote: error, tags: ['cure', 'changed'], subject: `instead of ${pair.from}`, value: pair.to, commands: [pair.to, next.step.words.join(' ')],
    }));
  }
  return [...found.values()];
}
