/**
 * Antigravity's conversations, `brain/<id>/.system_generated/logs/transcript_full.jsonl` below `~/.gemini/antigravity*`: a
 * readable copy of its own store (SQLite with protobuf, not read), appended. Not tested on real logs: known from descriptions
 * and a redacted sample. It is not always written, and may be empty.
 *
 * - `{step_index, source, type, status, created_at, content, thinking, tool_calls}`. Steps are numbered within a conversation;
 *   a step may be written again when it is done.
 * - `USER_INPUT` of `USER_EXPLICIT`: the person's words in `<USER_REQUEST>`, with settings in other blocks. Everything of
 *   `SYSTEM` is injected.
 * - `PLANNER_RESPONSE` contains the answer, the thinking and the calls, whose arguments are JSON inside strings. The results
 *   are the steps that follow, by type of tool and without the id of the call: they are matched to calls in order.
 * - A failed command says so in its text: `The command failed with exit code 1`.
 * - There is no model, token count or version, and the only folder is the `Cwd` of commands. `transcript.jsonl` beside it is a
 *   shortened copy.
 */
import type { Adapter, RawEntry, LogName, LogRecord, SessionFacts, Step } from '../types.js';
import { rawEntryOf, exitIn, readToolCall } from './calls.js';
import {
  type Json,
  between,
  dropBinary,
  isObject,
  isoTime,
  list,
  object,
  plainCommand,
  short,
  text as textOf,
  whole,
} from './fields.js';
import { originOf } from './open-calls.js';
import { typedEntries } from './typed.js';

/** A call without its result so far. */
interface Open {
  id: string;
  tool: string;
  command: string | null;
}

interface AntigravityState {
  session: string;
  /** Folder of the last command. */
  cwd: string | null;
  calls: Open[];
  told: boolean;
}

export const antigravity: Adapter<AntigravityState> = {
  agent: 'antigravity',
  title: 'Antigravity',
  unproven: true,
  places: [
    {
      env: null,
      root: '.gemini/antigravity*',
      under: 'brain',
      globs: ['*/.system_generated/logs/transcript_full.jsonl'],
    },
    {
      env: null,
      root: 'brains',
      under: '',
      globs: ['**/.system_generated/logs/transcript_full.jsonl'],
      named: true,
    },
  ],
  start: ({ relative }: LogName) => ({
    session: relative.split('/').at(-4) ?? relative,
    cwd: null,
    calls: [],
    told: false,
  }),
  step,
};

function step(before: AntigravityState, { value }: LogRecord): Step<AntigravityState> {
  const type = isObject(value) ? textOf(value.type) : null;
  if (!isObject(value) || type === null)
    return { state: before, rawEntries: [], unknown: 'record' };
  const { state, rawEntries } = readStep({ ...before, told: true }, value, type);
  const facts: SessionFacts = { session: before.session, cwd: state.cwd };
  const isKnown = rawEntries.length > 0 || SILENT.has(type) || textOf(value.content) === null;
  return {
    state,
    rawEntries: rawEntries.map((raw) => ({ ...raw, cwd: state.cwd })),
    ...(before.told && state.cwd === before.cwd ? {} : { session: facts }),
    ...(isKnown && /^[A-Z_]+$/.test(type) ? {} : { unknown: type.slice(0, 80) }),
  };
}

const SILENT = new Set(['CONVERSATION_HISTORY', 'USER_INPUT', 'PLANNER_RESPONSE']);
/** Steps whose content comes from outside this machine. */
const FOREIGN = /WEB|URL|BROWSER|MCP|SEARCH_KNOWLEDGE/;

function readStep(state: AntigravityState, value: Json, type: string): Step<AntigravityState> {
  const index = whole(value.step_index);
  const native =
    index === null || textOf(value.created_at) === null ? null : `${state.session}:${index}`;
  const base = { native, time: isoTime(value.created_at) };
  const content = dropBinary(textOf(value.content) ?? '').trim();
  if (type === 'USER_INPUT') return { state, rawEntries: promptOf(value, base, content) };
  if (value.source === 'SYSTEM' || type === 'CHECKPOINT') {
    const marks = type === 'CHECKPOINT' ? ['compaction'] : [];
    return {
      state,
      rawEntries:
        content === ''
          ? []
          : [rawEntryOf({ ...base, role: 'system', origin: 'injected', text: content, marks })],
    };
  }
  if (value.source !== 'MODEL' || !/^[A-Z_]+$/.test(type)) return { state, rawEntries: [] };
  return type === 'PLANNER_RESPONSE'
    ? answerOf(state, value, base, content)
    : resultOf(state, value, base, type, content);
}

type Base = Pick<RawEntry, 'native' | 'time'>;

function promptOf(value: Json, base: Base, content: string): RawEntry[] {
  const request = between(content, '<USER_REQUEST>', '</USER_REQUEST>');
  if (value.source === 'USER_EXPLICIT' && request !== null) return typedEntries(base, request);
  return content === ''
    ? []
    : [rawEntryOf({ ...base, role: 'user', origin: 'injected', text: content })];
}

/** Older calls are dropped, so that the state stays small. */
const MOST_OPEN = 12;

function answerOf(
  before: AntigravityState,
  value: Json,
  base: Base,
  content: string,
): Step<AntigravityState> {
  const end = (name: string): string | null =>
    base.native === null ? null : `${base.native}:${name}`;
  const thought = textOf(value.thinking)?.trim() ?? '';
  const calls = list(value.tool_calls).map(object);
  const marks = calls.length === 0 ? ['final'] : [];
  const opened: Open[] = [];
  const asked = calls.map((call, at) => {
    const tool = textOf(call.name) ?? 'unknown';
    const { text, command, files, marks: kinds } = readToolCall(tool, unquoted(object(call.args)));
    const id = end(`call:${at}`) ?? `call:${at}`;
    const plain = plainCommand(command);
    opened.push({
      id,
      tool: tool.slice(0, 100),
      command: plain !== null && plain.length <= 400 ? plain : null,
    });
    return rawEntryOf({
      ...{
        native: end(`call:${at}`),
        time: base.time,
        role: 'tool_call',
        origin: 'agent',
        text,
        tool,
        call: id,
        command,
        files,
      },
      marks: kinds,
    });
  });
  return {
    state: {
      ...before,
      cwd: folderIn(calls) ?? before.cwd,
      calls: calls.length > 0 ? opened.slice(0, MOST_OPEN) : before.calls,
    },
    rawEntries: [
      ...(thought === ''
        ? []
        : [
            rawEntryOf({
              native: end('thinking'),
              time: base.time,
              role: 'thinking',
              origin: 'agent',
              text: thought,
            }),
          ]),
      ...(content === ''
        ? []
        : [rawEntryOf({ ...base, role: 'assistant', origin: 'agent', text: content, marks })]),
      ...asked,
    ],
  };
}

function folderIn(calls: readonly Json[]): string | null {
  return (
    calls.map((call) => short(unquoted(object(call.args)).Cwd)).find((cwd) => cwd !== null) ?? null
  );
}

/** Values are JSON inside strings: `"\"npm test\""`. */
function unquoted(args: Json): Json {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => {
      if (typeof value !== 'string') return [key, value];
      try {
        return [key, JSON.parse(value) as unknown];
      } catch {
        return [key, value];
      }
    }),
  );
}

/** The result of the oldest open call; a step that is still running gives nothing yet. */
function resultOf(
  before: AntigravityState,
  value: Json,
  base: Base,
  type: string,
  content: string,
): Step<AntigravityState> {
  if (textOf(value.status) !== 'DONE' && !/ERROR|FAIL|CANCEL/.test(textOf(value.status) ?? ''))
    return { state: before, rawEntries: [] };
  const [open, ...calls] = before.calls;
  const tool = open?.tool ?? type.toLowerCase();
  const command = type === 'RUN_COMMAND' ? (open?.command ?? null) : null;
  const exit = type === 'RUN_COMMAND' ? (exitOf(content) ?? exitIn(content)) : null;
  const isCancelled = /CANCEL/.test(textOf(value.status)!);
  const isError = /ERROR|FAIL/.test(textOf(value.status)!) || (exit !== null && exit !== 0);
  const outcome = isCancelled ? 'interrupted' : isError ? 'failed' : 'ok';
  const isWeb = FOREIGN.test(type) || (command !== null && readToolCall('bash', { command }).web);
  const origin = originOf(open && { web: isWeb }, true);
  const path = short(
    /^(?:File Path: `|Created file )?file:\/\/(\/[^`\s]+)/.exec(content.slice(0, 1000))?.[1],
  );
  const shared = { tool, call: open?.id ?? null, command, files: path === null ? [] : [path] };
  return {
    state: { ...before, calls },
    rawEntries:
      content === ''
        ? []
        : [
            rawEntryOf({
              ...base,
              ...shared,
              role: 'tool_result',
              origin,
              text: content,
              exit,
              outcome,
            }),
          ],
  };
}

function exitOf(content: string): number | null {
  const found = /^The command (?:(failed with exit code (-?\d+))|completed successfully)/m.exec(
    content.slice(0, 2000),
  );
  return found === null ? null : found[1] === undefined ? 0 : Number(found[2]);
}
