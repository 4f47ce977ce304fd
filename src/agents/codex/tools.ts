/** Calls and their results. A script's commands are separate calls; a poll belongs to a call. */
import { commandText } from '../calls.js';
import { renderEdit } from '../edits.js';
import type { Event, OpenCall } from '../engine.js';
import { plainCommand } from '../kept.js';
import { type Json, linesOf, list, object, text as textOf } from '../../text/fields.js';
import { whole } from '../../text/fields.js';
import { isWebCommand } from '../web.js';
import { type Call, callOf, joined, readCall } from './calls.js';
import {
  endOf,
  type Output,
  outputText,
  readAnswers,
  readEach,
  readToolOutput,
} from './outputs.js';
import type { Printed, ScriptRun } from './script.js';
import { typist } from './texts.js';
import { type More, nameOfCall, type Running } from './turns.js';

export type Calls = readonly OpenCall[];
type Result = Event & { is: 'result' };

/** The data stored with a call. */
interface Kept {
  /** The call that started the polled process, and its command. */
  polls?: string;
  command?: string | null;
  /** Worst exit status among the events before the result. */
  exit?: number;
  /** The runs of a script, in order, if they belong to several calls. */
  runs?: OpenRun[];
  /** The runs of each printed text, if certain. */
  printed?: Printed;
  /** A script whose command may have run never or several times. */
  isMaybe?: true;
  /** A script that reads exit codes. */
  reads?: true;
}

/** One command or poll of a script; `call` is null if the process or command is unknown. */
interface OpenRun {
  call: string | null;
  command: string | null;
  exit: number | null;
}

/** A script with more commands is one call, to limit the state. */
const MOST_RUNS = 16;
const MAX_RUNNING = 8;

function find(calls: Calls, id: string | null | undefined): OpenCall | undefined {
  return calls.find((open) => open.id === id);
}

function keptOf(call: OpenCall | undefined): Kept {
  return call?.more ?? {};
}

function idOf(payload: Json): string | null {
  return textOf(payload.call_id) ?? textOf(payload.id);
}

/** Id of the call for a script's n-th command; `partOf` marks the n-th command in an entry's id. */
const nth = (id: string, n: number): string => (n === 0 ? id : `${id}:${n}`);
const partOf = (n: number, part: string): string => (n === 0 ? part : `${n}:${part}`);

function addRunning(now: More, running: Running): void {
  const others = now.running.filter((one) => one.process !== running.process);
  now.running = [...others, running].slice(-MAX_RUNNING);
}

function pollOf(now: More, process: string | null): Running | null {
  return process === null ? null : (now.running.find((one) => one.process === process) ?? null);
}

/** The calls of a script's runs. A poll without a process belongs to the script's only command. */
function openRuns(now: More, id: string, runs: readonly ScriptRun[]): OpenRun[] {
  let n = 0;
  const commands = runs.filter((run) => !run.isPoll).length;
  return runs.map(({ command, isPoll, process }): OpenRun => {
    if (command !== null) return { call: nth(id, n++), command: shortOf(command), exit: null };
    const polled = pollOf(now, process);
    const own = isPoll && process === null && commands === 1 ? id : null;
    return { call: polled?.call ?? own, command: shortOf(polled?.command ?? null), exit: null };
  });
}

/** Leaves out long commands, since the state contains all commands of a script. */
function shortOf(command: string | null): string | null {
  return command !== null && command.length > 300 ? null : plainCommand(command);
}

/** A function call, custom tool call or local shell call. */
export function callEvents(now: More, payload: Json): Event[] {
  const tool =
    textOf(payload.name) ?? (payload.type === 'local_shell_call' ? 'local_shell' : 'unknown');
  const id = idOf(payload);
  const key = id === null ? null : nameOfCall(now, id, true);
  const argument = payload.arguments ?? payload.input ?? payload.action;
  const asks = readCall(tool, argument);
  const { cwd, process, runs: all, printed, isMaybe } = asks;
  const runs = id === null || all.length > MOST_RUNS ? [] : openRuns(now, id, all);
  const isOne = new Set(runs.map((run) => run.call)).size === 1;
  const polled =
    pollOf(now, process) ?? (isOne && asks.command === null ? pollOf(now, all[0]!.process) : null);
  asks.web ||=
    textOf(payload.namespace)?.startsWith('mcp__') === true ||
    pollOf(now, process)?.web === true ||
    all.some((run) => pollOf(now, run.process)?.web === true);
  const more: Kept = {};
  if (polled) [more.polls, more.command] = [polled.call, polled.command];
  if (runs.length > 0 && !isOne) more.runs = runs;
  if (more.runs && printed) more.printed = printed;
  if (isMaybe) more.isMaybe = true;
  if (typeof argument === 'string' && /exit_?code/i.test(argument)) more.reads = true;
  const call: Event & { is: 'call' } = {
    is: 'call',
    id: key,
    part: 'call',
    call: id,
    tool,
    cwd: cwd ?? now.cwd,
    asks,
    more,
  };
  if (key !== id) call.group = key;
  const commands = all.filter(({ command }) => command !== null);
  if (commands.length <= 1 || runs.length === 0) return [call];
  return commands.map(({ command, cwd: folder }, n): Event => {
    const named = { part: partOf(n, 'call'), call: nth(id!, n), cwd: folder ?? now.cwd };
    const files = n === 0 ? asks.files : [];
    const asked = Object.assign({}, asks, { text: command!, command, files });
    return Object.assign({}, call, named, { asks: asked, more: n === 0 ? more : null });
  });
}

/**
 * Whether a script ended by its own error, which does not concern its command: a failing command
 * does not end the script, and the error names a command that cannot start.
 */
function isBroken(call: OpenCall | undefined, text: string): boolean {
  const isOwn = /^Script failed/.test(text) && !/exec_command failed/.test(text);
  return isOwn && call?.tool === 'exec' && call.files.length === 0;
}

/** The output of a call. A poll's output is a result of the call that started the process. */
export function outputEvents(now: More, { call_id, output }: Json, calls: Calls): Event[] {
  const id = textOf(call_id);
  const call = find(calls, id);
  const kept = keptOf(call);
  const script = call?.tool === 'wait' ? find(calls, kept.polls) : call;
  const { runs, printed, isMaybe, reads } = keptOf(script);
  const command = kept.runs ? null : (call?.command ?? kept.command ?? null);
  const isRun = call?.tool === 'exec' || command !== null || kept.polls !== undefined;
  const mayRead = script?.tool !== 'exec' || reads === true;
  const text = outputText(output);
  const end = readToolOutput(output, kept.exit ?? null, isRun, mayRead);
  const key = id === null || call ? (call?.group ?? id) : nameOfCall(now, id, false);
  const result: Result = {
    is: 'result',
    call: id,
    id: key,
    part: 'result',
    stays: true,
    ok: null,
    of: kept.polls ?? id,
    command,
    text: end.text,
    exit: end.exit,
    outcome: end.outcome,
    mark: end.running === null ? null : 'running',
  };
  const all = runs && runs.map((run) => run.call);
  const each = printed ? readEach(output, printed) : [];
  if (call && runs && !/^Script running/.test(text))
    return runEvents(now, call, runs, unattributed(result, all), each);
  if (call && end.running !== null)
    addRunning(now, { process: end.running, call: result.of!, command, web: call.web });
  const isUnattributed = runs || isMaybe || end.isMixed || isBroken(call, text);
  const attributed = isUnattributed ? unattributed(result, all) : result;
  if (call?.tool !== 'request_user_input') return [attributed];
  const origin = typist(now) === 'user' ? 'user' : 'injected';
  const answers = readAnswers(output).map((answer, n): Event => {
    const place = { id: key, part: `answer:${n}`, mark: 'question' };
    return { is: 'prompt', ...place, text: answer, pieces: [{ origin, text: answer, marks: [] }] };
  });
  return [attributed, ...answers];
}

/** A result of any of these calls, so that none gets its failure. */
function unattributed(result: Result, calls: readonly (string | null)[] = []): Result {
  const may = [result.call, result.of, ...calls].filter((each) => typeof each === 'string');
  const outcome = result.outcome === 'failed' ? 'failed' : null;
  const nobody = {
    of: null,
    command: null,
    exit: null,
    outcome,
    among: [...new Set(may)],
  } as const;
  return Object.assign({}, result, nobody);
}

/**
 * Results of a script with several commands. Pairs commands and results if their numbers are equal;
 * otherwise the output gets no command, since a failure could belong to any of them.
 */
function runEvents(
  now: More,
  { web }: OpenCall,
  runs: readonly OpenRun[],
  whole: Result,
  results: readonly Output[],
): Event[] {
  const isEach = results.length === runs.length;
  const ended = runs.flatMap(({ call: of, command, exit: knownExit }, n): Result[] => {
    const printed = isEach ? results[n]! : null;
    // Without an exit status in the printed text, an event has it.
    const { text, exit, outcome, running } =
      printed !== null && (knownExit === null || printed.exit !== null)
        ? printed
        : endOf(printed?.text ?? '', knownExit);
    if (of !== null && running !== null)
      addRunning(now, { process: running, call: of, command, web });
    const mark = running === null ? null : 'running';
    return isEach || outcome !== null
      ? [Object.assign({}, whole, { of, command, text, exit, outcome, mark })]
      : [];
  });
  const all = isEach ? ended : [whole, ...ended];
  return all.map((event, n) => Object.assign({}, event, { part: partOf(n, 'result') }));
}

/** An event that only adds the exit status to a call whose output is another item. */
export function commandEvents(now: More, payload: Json, calls: Calls): Event[] {
  const id = idOf(payload);
  const exit = whole(payload.exit_code);
  const command = commandText(payload.command);
  const open = find(calls, id) ?? [...calls].reverse().find(({ tool }) => tool === 'exec');
  if (open && exit === null) return [];
  if (open) {
    const { runs, ...kept } = keptOf(open);
    const at = runs?.find(
      (run) => run.command !== null && run.command === command && run.exit === null,
    );
    const ended = runs?.map((run) => (run === at ? { ...run, exit } : run));
    const more = ended ? { ...kept, runs: ended } : { ...kept, exit: kept.exit || exit };
    return [{ is: 'keep', call: open.id, more }];
  }
  if (command === null) return [];
  const shownText = textOf(payload.aggregated_output);
  const text = shownText ?? joined('\n', payload.stdout, payload.stderr);
  const cwd = textOf(payload.cwd) ?? now.cwd;
  const asks = callOf(command, { command, web: isWebCommand(command), cwd });
  return shown(now, id, 'exec_command', asks, { text, exit, ok: null });
}

/** A call that appears only as an event, with its result. */
function shown(
  now: More,
  call: string | null,
  tool: string,
  asks: Call,
  ended: Pick<Result, 'text' | 'ok' | 'exit'> | null,
): Event[] {
  if (call === null) return [];
  const place = { id: nameOfCall(now, call, true), call, tool, cwd: asks.cwd ?? now.cwd };
  const asked: Event = { is: 'call', ...place, part: 'call', asks, more: null };
  if (ended === null) return [asked];
  return [asked, { is: 'result', ...place, part: 'result', exit: null, stays: true, ...ended }];
}

function diffLines({ unified_diff: diff, content }: Json): string[] {
  const lines = linesOf(textOf(diff) ?? textOf(content) ?? '');
  return diff === undefined
    ? lines.map((line) => `+${line}`)
    : lines.filter((line) => /^[+-](?![+-]{2} )/.test(line));
}

/** Files that a script's patch changed; a separate patch call has them itself. */
export function patchEvents(now: More, payload: Json, calls: Calls): Event[] {
  const changes = object(payload.changes);
  const files = Object.keys(changes);
  if (files.length === 0 || find(calls, idOf(payload))) return [];
  const edits = files.map((file) => renderEdit(file, diffLines(object(changes[file]))));
  const asks = callOf(renderEdit(null, linesOf(edits.join('\n'))), { files });
  const ok = payload.success !== false && payload.status !== 'failed';
  const text = joined('\n', payload.stdout, payload.stderr);
  return shown(now, idOf(payload), 'apply_patch', asks, { text, ok });
}

/** A call of an MCP server that appears only as an event. */
export function mcpEvents(now: More, payload: Json, calls: Calls): Event[] {
  if (find(calls, idOf(payload))) return [];
  const made = object(payload.invocation ?? payload);
  const tool = `mcp__${textOf(made.server) ?? ''}__${textOf(made.tool) ?? ''}`;
  const result = object(payload.result);
  const body = object(result.Ok ?? result);
  const ok = result.Err === undefined && body.isError !== true && payload.status !== 'failed';
  const text = outputText(body.content) || (textOf(result.Err) ?? '');
  const asks = callOf(JSON.stringify(made.arguments ?? {}), { web: true });
  return shown(now, idOf(payload), tool, asks, { text, ok });
}

/** A search or page of the model's server. */
export function webEvents(now: More, payload: Json): Event[] {
  const { query, url, pattern } = object(payload.action);
  const asked = [payload.query, query, url, pattern].map(textOf).find((text) => text !== null);
  const hits = list(payload.results).map(object);
  const text = joined('\n', ...hits.map((hit) => joined('\n', hit.title, hit.url, hit.snippet)));
  const ended = text === '' ? null : { text, ok: true };
  return asked ? shown(now, idOf(payload), 'web_search', callOf(asked, { web: true }), ended) : [];
}
