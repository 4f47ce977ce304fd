import type { Origin, RawEntry } from '../../types.js';
import {
  list,
  object,
  text as textOf,
  whole,
  type Json,
  plainCommand,
  linesOf,
} from '../fields.js';
import { commandText } from '../calls.js';
import { renderEdit } from '../edits.js';
import { originOf } from '../engine.js';
import { isWebCommand } from '../web.js';
import { isAgentTool, readCall } from './calls.js';
import {
  addCall,
  addRunning,
  findCall,
  makeRawEntry,
  nameCall,
  nameResult,
  nothing,
  starterOf,
  type CodexState,
  type OpenCall,
  type Read,
  type Time,
} from './state.js';
import { outputText, readAnswers, readOutput, readEach } from './outputs.js';
import { MOST_RUNS, endRun, nobodysOf, nth, openRuns, pollOf, stepResults } from './runs.js';

/**
 * A function call, custom tool call or local shell call. Each command of a script is a call of its
 * own.
 */
export function stepCall(saved: CodexState, time: Time, payload: Json): Read {
  const namespace = textOf(payload.namespace);
  const tool =
    textOf(payload.name) ?? (payload.type === 'local_shell_call' ? 'local_shell' : 'unknown');
  const id = textOf(payload.call_id) ?? textOf(payload.id);
  const { state: before, key } = id === null ? { state: saved, key: '' } : nameCall(saved, id);
  const argument = payload.arguments ?? payload.input ?? payload.action;
  const call = readCall(tool, argument);
  const commands = call.runs.filter(({ command }) => command !== null);
  const runs = id === null || call.runs.length > MOST_RUNS ? [] : openRuns(before, id, call.runs);
  const isOne = new Set(runs.map((run) => run.call)).size === 1;
  const polled =
    pollOf(before, call.process) ??
    (isOne && call.command === null ? pollOf(before, call.runs[0]!.process) : null);
  const isWebPoll = [call.process, ...call.runs.map((run) => run.process)].some(
    (each) => pollOf(before, each)?.web === true,
  );
  const web = call.web || isWebPoll || (namespace !== null && namespace.startsWith('mcp__'));
  const raw = makeRawEntry(
    before,
    time,
    id === null ? null : `${key}:call`,
    'tool_call',
    'agent',
    call.text,
    {
      tool,
      call: id,
      command: call.command,
      files: call.files,
      marks: call.marks,
      cwd: call.cwd ?? before.cwd,
    },
  );
  if (id === null) return { state: before, rawEntries: [raw] };
  const command = plainCommand(call.command);
  const rawEntries =
    commands.length <= 1 || runs.length === 0
      ? [raw]
      : commands.map(({ command, cwd }, n): RawEntry => ({
          ...raw,
          ...{
            native: `${nth(key, n)}:call`,
            call: nth(id, n),
            command,
            text: command!,
            cwd: cwd ?? before.cwd,
          },
          files: n === 0 ? raw.files : [],
        }));
  return {
    state: addCall(before, {
      id,
      ...(key === id ? {} : { key }),
      tool: tool.slice(0, 100),
      command: isOne || runs.length === 0 ? (command ?? polled?.command ?? null) : null,
      files: call.files.slice(0, 8),
      web,
      exit: null,
      polls: polled?.call ?? null,
      ...(isOne || runs.length === 0
        ? {}
        : { runs, ...(call.printed && { printed: call.printed }) }),
      ...(call.isMaybe ? { isMaybe: true } : {}),
      ...(typeof argument === 'string' && /exit_?code/i.test(argument) ? { reads: true } : {}),
    }),
    rawEntries,
  };
}

/**
 * A script that ended by an error of its own says nothing about its command: one that fails does
 * not end its script, and one that cannot be started names itself.
 */
function isBroken(call: OpenCall, output: unknown): boolean {
  const text = outputText(output);
  return (
    call.tool === 'exec' &&
    call.files.length === 0 &&
    /^Script failed/.test(text) &&
    !/exec_command failed/.test(text)
  );
}

/** The output of a call. A poll's output is a result of the call that started the process. */
export function stepOutput(before: CodexState, time: Time, payload: Json): Read {
  const id = textOf(payload.call_id);
  const call = findCall(before, id);
  const script = call?.tool === 'wait' ? findCall(before, call.polls) : call;
  const runs =
    call !== null && (call.command !== null || call.tool === 'exec' || call.polls !== null);
  const reads = script?.tool !== 'exec' || script.reads === true;
  const output = readOutput(payload.output, call?.exit ?? null, runs, reads);
  const origin = call && isAgentTool(call.tool) ? 'agent' : originOf(call, true);
  const key = id === null ? '' : (call?.key ?? nameResult(before, id));
  const raw = makeRawEntry(
    before,
    time,
    id === null ? null : `${key}:result`,
    'tool_result',
    origin,
    output.text,
    {
      tool: call?.tool ?? null,
      call: call?.polls ?? id,
      command: call?.command ?? null,
      exit: output.exit,
      outcome: output.outcome,
      files: call?.files ?? [],
      marks: output.running === null ? [] : ['running'],
    },
  );
  const nobodys = nobodysOf(raw, [
    id,
    call?.polls ?? null,
    ...(script?.runs ?? []).map((run) => run.call),
  ]);
  if (id !== null && script?.runs && !/^Script running/.test(outputText(payload.output)))
    return stepResults(before, nobodys, script.runs, {
      id: key,
      results: script.printed ? readEach(payload.output, script.printed) : [],
    });
  const rawEntries = [
    script?.runs || script?.isMaybe || output.isMixed || (call && isBroken(call, payload.output))
      ? nobodys
      : raw,
  ];
  if (call?.tool === 'request_user_input') {
    readAnswers(payload.output).forEach((answer, n) =>
      rawEntries.push(
        makeRawEntry(
          before,
          time,
          `${key}:answer:${n}`,
          'user',
          starterOf(before).machine ? 'injected' : 'user',
          answer,
          { marks: ['question'] },
        ),
      ),
    );
  }
  const state =
    output.running !== null && call
      ? addRunning(before, {
          process: output.running,
          call: call.polls ?? call.id,
          command: call.command,
          web: call.web,
        })
      : before;
  return { state, rawEntries };
}

/**
 * An event with the exit of a call whose output follows or was read already: it only completes the
 * items.
 */
export function stepCommandEnd(before: CodexState, time: Time, payload: Json): Read {
  const id = textOf(payload.call_id) ?? textOf(payload.id);
  const exit = whole(payload.exit_code);
  const call =
    findCall(before, id) ??
    [...before.calls].reverse().find((open) => open.tool === 'exec') ??
    null;
  if (call?.runs)
    return nothing(
      exit === null ? before : addCall(before, { ...call, runs: endRun(call.runs, payload, exit) }),
    );
  if (call)
    return nothing(
      exit === null
        ? before
        : addCall(before, {
            ...call,
            exit: call.exit !== null && call.exit !== 0 ? call.exit : exit,
          }),
    );
  const command = commandText(payload.command);
  if (id === null || command === null) return nothing(before);
  const output =
    textOf(payload.aggregated_output) ??
    [textOf(payload.stdout), textOf(payload.stderr)].filter(Boolean).join('\n');
  const cwd = textOf(payload.cwd) ?? before.cwd;
  const origin = isWebCommand(command) ? 'external' : 'tool';
  const outcome = exit === null ? null : exit === 0 ? 'ok' : 'failed';
  const place = { tool: 'exec_command', command, cwd };
  const ended = { origin, text: output, exit, outcome } as const;
  return shown(before, time, id, place, { text: command }, ended);
}

type Shown = Partial<RawEntry> & { text: string };

/** A call that appears only as an event, with its result. */
function shown(
  before: CodexState,
  time: Time,
  call: string,
  place: Partial<RawEntry>,
  asked: Shown,
  ended: (Shown & { origin: Origin }) | null,
): Read {
  const { state, key } = nameCall(before, call);
  const entry = (part: 'call' | 'result', origin: Origin, { text, ...more }: Shown): RawEntry =>
    makeRawEntry(before, time, `${key}:${part}`, `tool_${part}`, origin, text, {
      ...{ ...place, call },
      ...more,
    });
  const result = ended === null ? [] : [entry('result', ended.origin, ended)];
  return { state, rawEntries: [entry('call', 'agent', asked), ...result] };
}

function diffLines(change: Json): string[] {
  return linesOf(textOf(change.unified_diff) ?? textOf(change.content) ?? '').flatMap((line) =>
    change.unified_diff === undefined ? [`+${line}`] : /^[+-](?![+-]{2} )/.test(line) ? [line] : [],
  );
}

/**
 * Files that a script's patch changed; for a patch that was a call of its own, the call has them.
 */
export function stepPatchEnd(before: CodexState, time: Time, payload: Json): Read {
  const id = textOf(payload.call_id) ?? textOf(payload.id);
  const files = Object.keys(object(payload.changes));
  if (id === null || files.length === 0 || findCall(before, id)) return nothing(before);
  const text = files
    .map((file) => renderEdit(file, diffLines(object(object(payload.changes)[file]))))
    .join('\n');
  const outcome = payload.success === false || payload.status === 'failed' ? 'failed' : 'ok';
  const said = [textOf(payload.stdout), textOf(payload.stderr)].filter(Boolean).join('\n');
  const asked = { text: renderEdit(null, linesOf(text)) };
  const ended = { origin: 'tool', text: said, outcome } as const;
  return shown(before, time, id, { tool: 'apply_patch', files }, asked, ended);
}

/** A call of an MCP server that appears only as an event. */
export function stepMcpEnd(before: CodexState, time: Time, payload: Json): Read {
  const id = textOf(payload.call_id) ?? textOf(payload.id);
  if (id === null || findCall(before, id)) return nothing(before);
  const made = object(payload.invocation ?? payload);
  const tool = `mcp__${textOf(made.server) ?? ''}__${textOf(made.tool) ?? ''}`;
  const result = object(payload.result);
  const body = object(result.Ok ?? result);
  const failed = result.Err !== undefined || body.isError === true || payload.status === 'failed';
  const text = outputText(body.content) || (textOf(result.Err) ?? '');
  const asked = { text: JSON.stringify(made.arguments ?? {}) };
  const ended = { origin: 'external', text, outcome: failed ? 'failed' : 'ok' } as const;
  return shown(before, time, id, { tool }, asked, ended);
}

/** A search or page that the model's server fetched. */
export function stepWeb(before: CodexState, time: Time, payload: Json): Read {
  const id = textOf(payload.call_id) ?? textOf(payload.id);
  const action = object(payload.action);
  const text =
    textOf(payload.query) ??
    textOf(action.query) ??
    textOf(action.url) ??
    textOf(action.pattern) ??
    '';
  if (id === null || text === '') return nothing(before);
  const found = list(payload.results)
    .map(object)
    .map((hit) =>
      [textOf(hit.title), textOf(hit.url), textOf(hit.snippet)].filter(Boolean).join('\n'),
    )
    .filter(Boolean);
  const result = { origin: 'external', text: found.join('\n'), outcome: 'ok' } as const;
  return shown(
    before,
    time,
    id,
    { tool: 'web_search' },
    { text },
    found.length > 0 ? result : null,
  );
}
