/**
 * A script's runs: the calls that its commands and polls belong to, and what it printed of each.
 */
import type { RawEntry, Step } from '../../types.js';
import { commandText } from '../calls.js';
import { plainCommand, type Json } from '../fields.js';
import type { Output } from './outputs.js';
import type { ScriptRun } from './script.js';
import { addRunning, type CodexState, type OpenRun, type Running } from './state.js';

/** Id of a script's n-th command as a call. */
export function nth(id: string, n: number): string {
  return n === 0 ? id : `${id}:${n}`;
}

export function pollOf(state: CodexState, process: string | null): Running | null {
  return process === null ? null : (state.running.find((one) => one.process === process) ?? null);
}

/**
 * The calls that a script's runs belong to. A poll of a process that the script does not name is of
 * its only command.
 */
export function openRuns(state: CodexState, id: string, runs: readonly ScriptRun[]): OpenRun[] {
  let n = 0;
  const commands = runs.filter((run) => !run.isPoll).length;
  return runs.map(({ command, isPoll, process }): OpenRun => {
    if (command !== null) return { call: nth(id, n++), command: shortCommand(command), exit: null };
    const polled = pollOf(state, process);
    const own = isPoll && process === null && commands === 1 ? id : null;
    return {
      call: polled?.call ?? own,
      command: polled === null ? null : shortCommand(polled.command),
      exit: null,
    };
  });
}

/** A script of more commands is one call: a state has no room for them. */
export const MOST_RUNS = 16;

/** A state keeps all commands of a script, so long ones are left out. */
function shortCommand(command: string | null): string | null {
  return command !== null && command.length > 300 ? null : plainCommand(command);
}

/**
 * Results of a script that ran several commands. With one result for each command they are paired;
 * otherwise the output stays without a command, since a failure in it could belong to any of them.
 */
export function stepResults(
  before: CodexState,
  whole: RawEntry,
  runs: readonly OpenRun[],
  { id, results }: { id: string; results: readonly Output[] },
): Step<CodexState> {
  const isEach = results.length === runs.length;
  const told = runs.map(({ call, command, exit }, n) => ({
    call,
    command,
    ...endOf(exit, isEach ? results[n]! : null),
  }));
  const known = told.filter(({ outcome }) => isEach || outcome !== null);
  const { marks = [], ...rest } = whole;
  const own = marks.filter((mark) => mark !== 'running');
  const entries = known.map(({ call, command, text, exit, outcome, running }): RawEntry => ({
    ...{ ...rest, call, command, text, exit, outcome },
    marks: running === null ? own : [...own, 'running'],
  }));
  const state = told.reduce(
    (now, { call, command, running }) =>
      call === null || running === null
        ? now
        : addRunning(now, { process: running, call, command, web: whole.origin === 'external' }),
    before,
  );
  const rawEntries = isEach ? entries : [whole, ...entries];
  return {
    state,
    rawEntries: rawEntries.map((raw, n) => ({ ...raw, native: `${nth(id, n)}:result` })),
  };
}

/** A result that none of these calls may be blamed for, and that any of them may have printed. */
export function nobodysOf(raw: RawEntry, calls: readonly (string | null)[]): RawEntry {
  const among = [...new Set(calls.filter((call) => call !== null))];
  return {
    ...raw,
    call: null,
    command: null,
    exit: null,
    outcome: raw.outcome === 'failed' ? 'failed' : null,
    among,
  };
}

/** What a run printed; its end is an event's if it printed none. */
function endOf(exit: number | null, printed: Output | null): Output {
  if (printed !== null && (exit === null || printed.exit !== null)) return printed;
  return {
    text: printed?.text ?? '',
    exit,
    outcome: exit === null ? null : exit === 0 ? 'ok' : 'failed',
    running: null,
  };
}

export function endRun(runs: readonly OpenRun[], payload: Json, exit: number): OpenRun[] {
  const command = commandText(payload.command);
  const at = runs.findIndex(
    (run) => run.command !== null && run.command === command && run.exit === null,
  );
  return runs.map((run, n) => (n === at ? { ...run, exit } : run));
}
