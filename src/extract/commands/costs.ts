import type { Candidate } from '../../types.js';
import type { SessionInput } from '../session.js';
import { observed } from './candidate.js';
import { tallyRuns } from './steps-that-work.js';
import type { Run } from './runs.js';

/** Tools of many agents stop a command after two minutes; what comes near it is worth a warning. */
const SLOW_SECONDS = 90;
/** Outputs beyond this are cut by the agents' tools. */
const NOISY_CHARACTERS = 28_000;
const TIMED_OUT = /\b(?:command )?timed out after (\d+)\s?(m(?:in|s)?|s(?:ec)?)|\btimeout after (\d+)\s?(ms|m|s)/i;

/**
 * Runs of one command of which the median decides: durations include waiting for a permission, so one long run proves nothing.
 */
const LEAST_RUNS = 3;

/** Seconds between call and result, or null. */
function secondsOf(run: Run): number | null {
  const [from, to] = [run.call.entry.time, run.call.result?.time ?? null];
  if (from === null || to === null || run.form.class === 'run') return null;
  const seconds = (Date.parse(to) - Date.parse(from)) / 1000;
  return Number.isFinite(seconds) && seconds > 0 && seconds < 7200 ? seconds : null;
}

function hasTimedOut(run: Run): boolean {
  return (
    run.verdict !== 'ok' &&
    TIMED_OUT.test((run.call.result?.text ?? '').slice(-2000)) &&
    run.form.class !== 'run' &&
    !/\btimeout \d/.test(run.call.entry.command ?? '')
  );
}

function inWords(seconds: number): string {
  return seconds < 150 ? 'about two minutes' : `about ${Math.round(seconds / 60)} minutes`;
}

function slow(session: SessionInput, runs: Run[]): Candidate | null {
  const own = runs.filter((r) => r.alone);
  const measured = own
    .filter((r) => r.verdict === 'ok')
    .map(secondsOf)
    .filter((s) => s !== null)
    .sort((a, b) => a - b);
  const stopped = own.filter(hasTimedOut);
  const median = measured.length >= LEAST_RUNS ? measured[Math.floor((measured.length - 1) / 2)] : undefined;
  const last = (stopped.at(-1) ?? own.at(-1)) as Run | undefined;
  const isSlow = median !== undefined && median >= SLOW_SECONDS;
  const isQuick = measured[0] !== undefined && measured[0] < SLOW_SECONDS / 2;
  if (last === undefined || (median !== undefined && !isSlow) || (!isSlow && (stopped.length === 0 || isQuick))) return null;
  return observed(session, {
    kind: 'gotcha',
    text:
      `\`${last.form.text}\` is slow (${isSlow ? inWords(median) : 'it ran into a tool timeout'}): run it in the ` +
      'background or with a long timeout.',
    key: `slow:${last.form.key}`,
    importance: 3,
    alone: true,
    worth: 0.5,
    entry: last.call.entry,
    quote: last.call.entry.command ?? last.form.text,
    tags: ['slow'],
    commands: [last.form.text],
  });
}

function noisy(session: SessionInput, runs: Run[]): Candidate | null {
  const loud = runs.filter(
    (r) =>
      r.alone &&
      /^(?:test|lint|check|build|typecheck)$/.test(r.form.class) &&
      ((r.call.result?.text.length ?? 0) > NOISY_CHARACTERS || /^.{0,200}Output too large \(/s.test(r.call.result?.text ?? '')),
  );
  const last = loud.at(-1);
  if (last === undefined || loud.length * 2 < runs.length) return null;
  return observed(session, {
    kind: 'gotcha',
    text: `\`${last.form.text}\` prints more than a tool shows: judge it by its exit status and last lines (\`tail\`).`,
    key: `noisy:${last.form.key}`,
    importance: 2,
    alone: loud.length >= 2,
    worth: 0.45,
    entry: last.call.entry,
    quote: last.call.entry.command ?? last.form.text,
    tags: ['noisy'],
    commands: [last.form.text],
  });
}

/** Commands that take minutes or print more than an agent sees. */
export function costlyCommands(session: SessionInput, runs: Run[]): Candidate[] {
  const tallies = [...tallyRuns(runs).values()].filter((t) => !(t.runs[0] as Run).form.narrow);
  return tallies.flatMap((t) => [slow(session, t.runs), noisy(session, t.runs)]).filter((c) => c !== null);
}
