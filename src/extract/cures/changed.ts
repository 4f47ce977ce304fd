import type { Candidate } from '../../types.js';
import { MAX_TEXT, observed } from '../commands/candidate.js';
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
/** Options that only change what is printed or how much is looked at. */
const SHOWS =
  /^-{1,2}(?:v+|verbose|quiet|q|debug|help|h|version|dry-?run|n|watch|w|list|l|trace|stacktrace|info|x|s|k|t|run|run-.*|color|no-color|tb|reporter|j|o|output|format|y|yes|limit|L|count|head|tail|log.*|maxfail|bail|silent)(?:=|$)/;
/** Options and settings that switch a check off, weaken safety, force a way past it or rewrite what is checked. */
const GETS_PAST =
  /^-{1,2}(?:f|D|u|hard|force.*|.*-force|no-verify|.*skip.*|.*ignore.*|.*exclude.*|allow-.*|.*allow-empty.*|pass-?with-?no-?tests|update.*|fix.*|write|insecure|no-check.*|.*unsafe.*|.*danger.*|break-.*|privileged|trusted-.*|disable.*|.*secur.*|.*sandbox.*)(?:=|$)|^\w*(?:VERIFY|REJECT|INSECURE|SKIP|DISABLE|UNSAFE|SSL|TLS|FORCE|ALLOW|IGNORE)\w*=/;

/** Whether a part of a command cures nothing: it changes what is seen, or looks away. */
export const isNoCure = (part: string): boolean => SHOWS.test(part) || GETS_PAST.test(part);

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
    if (loud.length !== 1 || only === undefined || only.step.scripted || only.step.heredoc) return [];
    if (call.result === null || call.folders[only.i] === null) return [];
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

const isShown = (words: string[]): boolean =>
  words.every((w) => WORD.test(w) && !isPassing(w) && !/^(?:\/|~)|:\/\/|[0-9a-f]{7,}/.test(w));

/** Leading words that name the program and what it does: no option, no path, no number. */
const headOf = (words: string[]): string[] => {
  const end = words.findIndex((w, i) => i > 0 && !/^[a-z][\w:-]*$/.test(w));
  return words.slice(0, Math.min(3, end < 0 ? words.length : end));
};

/** The same program with one option, value or environment setting changed; null when operands differ too. */
function changedOption(from: Step, to: Step): Difference | null {
  const [a, b] = [from.words, to.words];
  const gone = a.filter((w) => !b.includes(w));
  const come = b.filter((w) => !a.includes(w));
  const set = keptEnv(to.env).filter((e) => !from.env.includes(e));
  const unset = keptEnv(from.env).filter((e) => !to.env.includes(e));
  const count = gone.length + come.length + set.length + unset.length;
  if (count === 0 || gone.length > 2 || come.length > 2 || set.length + unset.length > 2) return null;
  const isPart = (words: string[], all: string[]): boolean =>
    words.every((w) => w.startsWith('-') || all[all.indexOf(w) - 1]?.startsWith('-') === true);
  if (!isPart(gone, a) || !isPart(come, b) || [...gone, ...come, ...set].some(isNoCure)) return null;
  const head = headOf(a).filter((w) => b.includes(w) && !gone.includes(w));
  const withOption = (words: string[], all: string[]): string[] =>
    words.flatMap((w) => (w.startsWith('-') ? [w] : [all[all.indexOf(w) - 1] ?? '', w]));
  const left = [...unset, ...head, ...new Set(withOption(gone, a))];
  const right = [...set, ...head, ...new Set(withOption(come, b))];
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
  const tool = b.slice(0, b.length - a.length + 1);
  return { from: [a[0], ...operands].join(' '), to: [...tool, ...operands].join(' '), gone: [a[0] ?? ''], come: tool };
}

function differenceOf(from: Tried, to: Tried): Difference | null {
  const found = from.step.words[0] === to.step.words[0] ? changedOption(from.step, to.step) : changedTool(from.step, to.step);
  if (found === null || found.from === found.to || found.from.length > 60 || found.to.length > 60) return null;
  return isShown([...found.from.split(' '), ...found.to.split(' ')]) ? found : null;
}

/** Whether anything else stood between failure and success that could have cured it: another command, an edit, a word of the person. */
function isDisturbed(session: SessionInput, tries: Tried[], changes: Change[], from: Tried, to: Tried): boolean {
  const within = (at: number): boolean => at > from.call.at && at < to.call.at;
  const own = new Set([nameOf(from.step), nameOf(to.step)]);
  if (tries.some((t) => within(t.call.at) && !own.has(nameOf(t.step))) || changes.some((c) => within(c.at))) return true;
  return session.entries.slice(from.call.at + 1, to.call.at).some((e) => e.role === 'user');
}

const spelling = ({ step }: Tried): string => [...step.env, ...step.words].join(' ');

/**
 * Commands that failed and passed soon after with one option, value, setting or tool changed, and nothing else in between. What says
 * itself that something is missing has rules of its own (`replacedCommands`, `neededParts`).
 * @param told entries that such a rule already speaks of
 */
export function changedCommands(session: SessionInput, calls: Call[], changes: Change[], told: ReadonlySet<string | null>): Candidate[] {
  const tries = triesOf(calls);
  const found = new Map<string, Candidate>();
  for (const [i, from] of tries.entries()) {
    const error = from.call.result?.error;
    if (from.verdict !== 'failed' || !isTelling(error) || missingWord(from.step.words, from.call.result?.text ?? '') !== null) continue;
    const near = tries.slice(i + 1, i + 4).filter((t) => t.call.at - from.call.at <= REACH && t.verdict === 'ok');
    const next = near.find((t) => differenceOf(from, t) !== null);
    const pair = next === undefined ? null : differenceOf(from, next);
    if (next === undefined || pair === null || told.has(next.call.entry.id) || isDisturbed(session, tries, changes, from, next)) continue;
    // It also works as it was: then something else cured it.
    if (tries.some((t) => t.verdict === 'ok' && spelling(t) === spelling(from))) continue;
    const text = `\`${pair.from}\` fails here with ${errorSpan(error, 80)}: \`${pair.to}\` works.`;
    const isNamed = sharedTerms([...pair.gone, ...pair.come].join(' '), error).length > 0;
    if (text.length > MAX_TEXT) continue;
    found.set(pair.from, observed(session, {
      kind: 'gotcha', text, key: `changed:${pair.from}:${pair.to}`, importance: 2, alone: true, worth: isNamed ? 0.5 : 0.4,
      entry: next.call.entry, quote: error, tags: ['cure', 'changed'], subject: `instead of ${pair.from}`, value: pair.to,
      commands: [pair.to, next.step.words.join(' ')],
    }));
  }
  return [...found.values()];
}
