import { TRIED_TAG, type Candidate } from '../../types.js';
import { MAX_TEXT, observed } from '../commands/candidate.js';
import { asksForItself, listsOnly } from '../commands/classify.js';
import { isProbe } from '../commands/programs.js';
import type { Change } from '../commands/runs.js';
import { keptEnv } from '../commands/form.js';
import { missingWord } from '../commands/renaming.js';
import { callsOf, type Call } from '../commands/runs.js';
import type { Verdict } from '../outcome.js';
import type { SessionInput } from '../session.js';
import { isPassing } from '../shell/steps.js';
import type { Step } from '../shell/steps.js';
import { differenceBetween, type Difference, type Spelled } from '../../text/command-change.js';
import { errorSpan } from '../../text/error-span.js';
import { isTelling, sharedTerms } from './failures.js';

/** The changed command stands at most this many entries after the failure. */
const REACH = 13;
/** Looking programs that are told all the same: their options differ from machine to machine and agents trip over them. */
const ASKED = new Set(['gh', 'glab', 'psql', 'mysql', 'sqlite3', 'duckdb', 'redis-cli']);
const WORD = /^[\w./:@=,+-]{1,40}$/;

/** A call that is one command: its end is the end of that command. */
interface Tried {
  call: Call;
  step: Step;
  verdict: Verdict;
}

function nameOf(step: Step): string {
  return (step.words[0] ?? '').replace(/^.*\//, '');
}

function isTold(step: Step): boolean {
  const name = nameOf(step);
  return (!isProbe(name) || ASKED.has(name)) && name !== 'git' && !asksForItself(step.words);
}

function triesOf(calls: Call[]): Tried[] {
  return calls.flatMap((call) => {
    const loud = call.steps.flatMap((step, i) => (step.words[0] === 'cd' || step.words.length === 0 ? [] : [{ step, i }]));
    const [only] = loud;
    if (loud.length !== 1 || only === undefined || only.step.scripted || only.step.heredoc) return [];
    if (call.result === null || call.folders[only.i] === null) return [];
    if (!isTold(only.step)) return [];
    return [{ call, step: only.step, verdict: call.verdicts[only.i] ?? 'unknown' }];
  });
}

function isShown(words: string[]): boolean {
  return words.every((w) => WORD.test(w) && !isPassing(w) && !/^(?:\/|~)|:\/\/|[0-9a-f]{7,}/.test(w));
}

function spelledOf({ step }: Tried): Spelled {
  return { env: keptEnv(step.env), words: step.words };
}

function differenceOf(from: Tried, to: Tried): Difference | null {
  const found = differenceBetween(spelledOf(from), spelledOf(to));
  return found !== null && isShown([...found.from.split(' '), ...found.to.split(' ')]) ? found : null;
}

/**
 * Whether anything else stood between failure and success that could have cured it: another command, an edit, a word of the
 * person.
 */
function isDisturbed(session: SessionInput, tries: Tried[], changes: Change[], from: Tried, to: Tried): boolean {
  const within = (at: number): boolean => at > from.call.at && at < to.call.at;
  const own = new Set([nameOf(from.step), nameOf(to.step)]);
  if (tries.some((t) => within(t.call.at) && !own.has(nameOf(t.step))) || changes.some((c) => within(c.at))) return true;
  return session.entries.slice(from.call.at + 1, to.call.at).some((e) => e.role === 'user');
}

function spelling({ step }: Tried): string {
  return [...step.env, ...step.words].join(' ');
}

/**
 * Commands that failed and passed soon after with one option, value, setting or tool changed, and nothing else in between. What
 * says itself that something is missing has rules of its own (`replacedCommands`, `neededParts`).
 * @param told entries that such a rule already covers
 */
export function changedCommands(
  session: SessionInput,
  calls: Call[],
  changes: Change[],
  told: ReadonlySet<string | null>,
): Candidate[] {
  const tries = triesOf(calls);
  const found = new Map<string, Candidate>();
  for (const [i, from] of tries.entries()) {
    const error = from.call.result?.error;
    if (from.verdict !== 'failed' || !isTelling(error) || missingWord(from.step.words, from.call.result?.text ?? '') !== null)
      continue;
    const near = tries.slice(i + 1, i + 4).filter((t) => t.call.at - from.call.at <= REACH && t.verdict === 'ok');
    const next = near.find((t) => differenceOf(from, t) !== null);
    const pair = next === undefined ? null : differenceOf(from, next);
    if (next === undefined || pair === null || told.has(next.call.entry.id) || isDisturbed(session, tries, changes, from, next))
      continue;
    // It also works as it was: then something else cured it.
    if (tries.some((t) => t.verdict === 'ok' && spelling(t) === spelling(from))) continue;
    const text = `\`${pair.from}\` fails here with ${errorSpan(error, 80)}: \`${pair.to}\` works.`;
    const isNamed = sharedTerms([...pair.gone, ...pair.come].join(' '), error).length > 0;
    if (text.length > MAX_TEXT) continue;
    found.set(
      pair.from,
      observed(session, {
        kind: 'gotcha',
        text,
        key: `changed:${pair.from}:${pair.to}`,
        importance: 2,
        alone: true,
        worth: isNamed ? 0.5 : 0.4,
        entry: next.call.entry,
        quote: error,
        tags: ['cure', 'changed'],
        subject: `instead of ${pair.from}`,
        value: pair.to,
        commands: [pair.to, next.step.words.join(' ')],
      }),
    );
  }
  return [...found.values()];
}

/** Longer commands are scripts. */
const LONGEST = 120;

interface Outcome extends Tried {
  folder: string;
}

/** Steps of longer calls count where they passed: then nothing is wrong with them. */
function passesOf(calls: Call[]): Outcome[] {
  return calls.flatMap((call) =>
    call.steps.flatMap((step, i) => {
      const folder = call.folders[i] ?? null;
      const isSeen = call.verdicts[i] === 'ok' && !step.scripted && !step.heredoc && folder !== null && isTold(step);
      return isSeen ? [{ call, step, verdict: 'ok' as const, folder }] : [];
    }),
  );
}

/**
 * How the last tries of each command ended, so that what fails in this session can be held against what works in another. Only
 * whole commands that may be shown as they are.
 */
export function extractTries(session: SessionInput): Candidate[] {
  const calls = callsOf(session);
  const failures = triesOf(calls)
    .filter(({ verdict }) => verdict === 'failed')
    .map((t): Outcome => ({ ...t, folder: t.call.folders[t.call.steps.indexOf(t.step)] ?? '' }));
  const last = new Map<string, Candidate>();
  for (const { call, step, verdict, folder } of [...passesOf(calls), ...failures]) {
    const spelled = [...keptEnv(step.env), ...step.words];
    const text = `\`${spelled.join(' ')}\``;
    const time = call.result?.time ?? call.entry.time;
    if (
      time === null ||
      step.dynamic ||
      listsOnly(step.words) ||
      step.words.length < 2 ||
      text.length > LONGEST ||
      !isShown(spelled) ||
      keptEnv(step.env).length < step.env.length
    )
      continue;
    const error = call.result?.error ?? '';
    const isAbsent = verdict === 'failed' && missingWord(step.words, call.result?.text ?? '')?.kind === 'program';
    last.set(
      `${verdict} ${folder} ${text}`,
      observed(session, {
        kind: 'gotcha',
        text,
        key: `${TRIED_TAG}:${verdict}:${folder}:${text}`,
        importance: 2,
        alone: false,
        worth: 0,
        supports: false,
        entry: call.entry,
        quote: verdict === 'failed' && (isTelling(error) || isAbsent) ? error : '',
        tags: [TRIED_TAG, verdict, ...(isAbsent ? ['absent program'] : [])],
        subject: folder,
        value: time,
        commands: [step.words.join(' ')],
      }),
    );
  }
  return [...last.values()];
}
