/**
 * What the records of both programs share: the state between them, calls and their results, tokens.
 */
import type { RawEntry, Usage } from '../../types.js';
import { rawEntryOf, exitIn, readToolCall } from '../calls.js';
import {
  type Json,
  dropBinary,
  list,
  object,
  plainCommand,
  text as textOf,
  whole,
} from '../fields.js';
import { originOf } from '../open-calls.js';

/** A call without its result so far. */
interface Open {
  id: string;
  /** Its step, if the log has it: makes the id unique. */
  step: string | null;
  tool: string;
  command: string | null;
  files: string[];
  web: boolean;
}

export interface KimiState {
  session: string;
  /** The log is a subagent's. */
  parent: string | null;
  title: string | null;
  cwd: string | null;
  model: string | null;
  calls: Open[];
  /** Calls that the person refused, and requests that ask about one (as `request=call`). */
  refused: string[];
  asked: string[];
  /** A call that came without arguments. */
  bare: { id: string; tool: string } | null;
  told: boolean;
}

/** The result of one record; the fold takes over its state. */
export interface Read {
  state: KimiState;
  rawEntries?: RawEntry[];
  usage?: Usage | null;
  unknown?: string;
}

export function stopped(time: string | null): RawEntry {
  const text = 'The user interrupted the turn.';
  return rawEntryOf({ time, role: 'system', origin: 'injected', text, marks: ['interrupt'] });
}

/** A text, or the texts of a list of parts. */
export function textIn(content: unknown): string {
  if (typeof content === 'string') return dropBinary(content);
  const texts = list(content).map((part) => textOf(part) ?? textOf(object(part).text) ?? '');
  return dropBinary(texts.filter((text) => text !== '').join('\n'));
}

export function usageOf(
  { model }: KimiState,
  told: Json,
  native: string | null,
  time: string | null,
): Usage | null {
  const count = (...names: string[]): number =>
    names.map((name) => whole(told[name])).find((each) => each !== null) ?? 0;
  const input = count('inputOther', 'input_other');
  const output = count('output');
  const cacheRead = count('inputCacheRead', 'input_cache_read');
  const cacheWrite = count('inputCacheCreation', 'input_cache_creation');
  if (native === null || input + output + cacheRead + cacheWrite <= 0) return null;
  return { native, time, model, input, cacheRead, cacheWrite, output, reasoning: 0, cost: null };
}

/** Tools of both programs; any other belongs to an MCP server or a plugin. */
const OWN = new Set(
  (
    'Bash Shell CMD Powershell TaskOutput TaskList TaskStop Read ReadFile ReadMediaFile ReadImage Write WriteFile Edit ' +
    'StrReplaceFile PatchFile Glob Grep LS TodoList SetTodoList TodoWrite Think SendDMail AskUserQuestion Skill ' +
    'EnterPlanMode ExitPlanMode Agent AgentSwarm Task CreateSubagent SelectTools CreateGoal GetGoal UpdateGoal SetGoalBudget ' +
    'CronCreate CronList CronDelete'
  ).split(' '),
);

/** Limit on calls without results; older ones are dropped, so that the state stays small. */
const MOST_OPEN = 12;

export function opened(
  before: KimiState,
  call: Pick<Open, 'id' | 'step' | 'tool'>,
  args: unknown,
  time: string | null,
): Read {
  const { text, command, files, web, marks } = readToolCall(call.tool, args);
  const plain = plainCommand(command);
  const open: Open = {
    ...call,
    tool: call.tool.slice(0, 100),
    command: plain !== null && plain.length <= 400 ? plain : null,
    files: files.filter((file) => file.length <= 200).slice(0, 2),
    web,
  };
  const native = call.step === null ? null : `${call.step}:${call.id}:call`;
  const child = before.parent === null ? [] : ['subagent'];
  const asked = {
    native,
    time,
    role: 'tool_call',
    origin: 'agent',
    text,
    tool: call.tool,
    call: call.id,
    command,
    files,
  } as const;
  const calls = [...before.calls.filter(({ id }) => id !== call.id), open].slice(-MOST_OPEN);
  return {
    state: { ...before, calls, bare: null },
    rawEntries: [rawEntryOf({ ...asked, marks: [...child, ...marks] })],
  };
}

export function ended(
  before: KimiState,
  id: string,
  told: { text: string; isError: boolean },
  time: string | null,
): Read {
  const open = before.calls.find((call) => call.id === id);
  const tool = open?.tool ?? 'unknown';
  const { text } = told;
  const command = open?.command ?? null;
  const exit = readToolCall(tool, { command: 'x' }).command === null ? null : exitIn(text);
  const isRefused = before.refused.includes(id);
  const outcome = isRefused
    ? 'rejected'
    : told.isError || (exit !== null && exit !== 0)
      ? 'failed'
      : 'ok';
  const isAgent = /^(?:Agent|AgentSwarm|Task|CreateSubagent)$/.test(tool);
  const origin = isAgent ? 'agent' : originOf(open, OWN.has(tool));
  const native = open === undefined || open.step === null ? null : `${open.step}:${id}:result`;
  const state = {
    ...before,
    calls: before.calls.filter((call) => call !== open),
    refused: before.refused.filter((each) => each !== id),
  };
  const result = {
    native,
    time,
    role: 'tool_result',
    origin,
    text,
    tool,
    call: id,
    command,
    exit,
    outcome,
  } as const;
  return { state, rawEntries: [rawEntryOf({ ...result, files: open?.files ?? [] })] };
}
