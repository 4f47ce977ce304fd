/**
 * Continue: `$CONTINUE_GLOBAL_DIR` or `~/.continue`, `sessions/<id>.json`, rewritten whole
 * (`sessions.json` beside it is an index). `history` contains items: `message` of a user, of the
 * assistant with its `toolCalls`, of a `tool` or of `thinking`; `toolCallStates` say how calls
 * ended (`done`, `errored`, `canceled`) and what they returned. No message has a time. Known only
 * from its source code.
 *
 * Messages without an id are identified by role and text within their session.
 */
import type { Adapter, RawEntry, LogRecord, Outcome, Step } from '../types.js';
import { rawEntryOf, exitIn, isShellTool } from './calls.js';
import { type Json, isObject, list, object, pathOf, short, text as textOf } from './fields.js';
import { type Base, askCall, endCall } from './open-calls.js';
import { contentText, readSaid, saidEntries } from './typed.js';

interface ContinueState {
  session: string | null;
  cwd: string | null;
}

/** Without the prefix `builtin_`. */
const OWN = new Set(
  (
    'read_file read_file_range read_currently_open_file edit_existing_file single_find_and_replace multi_edit ' +
    'create_new_file run_terminal_command grep_search file_glob_search ls view_diff view_repo_map view_subdirectory ' +
    'create_rule_block request_rule codebase read_skill'
  ).split(' '),
);
const isOwn = (tool: string): boolean => OWN.has(tool);
const TAGS = 'system-reminder|important_rules|attached_files|context|file_content';

export const continueDev: Adapter<ContinueState> = {
  agent: 'continue',
  title: 'Continue',
  unproven: true,
  places: [
    {
      env: 'CONTINUE_GLOBAL_DIR',
      root: '.continue',
      under: 'sessions',
      globs: ['!(sessions).json'],
    },
  ],
  unfold: (content) => {
    const { history, ...head } = object(content);
    return textOf(head.sessionId) === null || !Array.isArray(history)
      ? null
      : [{ head }, ...list(history)];
  },
  start: () => ({ session: null, cwd: null }),
  step,
};

function step(before: ContinueState, { value }: LogRecord): Step<ContinueState> {
  if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
  if (isObject(value.head)) {
    const session = short(value.head.sessionId);
    const cwd = pathOf(value.head.workspaceDirectory);
    const title = short(value.head.title);
    const state = { session, cwd };
    if (session === null) return { state, rawEntries: [] };
    return {
      state,
      rawEntries: [],
      session: { session, cwd, title: title === 'New Session' ? null : title },
    };
  }
  const { rawEntries, unknown } = itemOf(before, value);
  return {
    state: before,
    rawEntries: rawEntries.map((raw) =>
      raw.native === null ? { ...raw, bySession: true as const } : raw,
    ),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

function itemOf(state: ContinueState, item: Json): { rawEntries: RawEntry[]; unknown?: string } {
  const message = object(item.message);
  const base: Base = { native: short(message.id), time: null, cwd: state.cwd };
  const text = contentText(message.content).trim();
  switch (message.role) {
    case 'user':
      return { rawEntries: saidEntries(base, readSaid(text, TAGS)) };
    case 'assistant': {
      const summary = textOf(item.conversationSummary);
      const compacted = { ...base, native: base.native === null ? null : `${base.native}:summary` };
      const calls = list(message.toolCalls).filter(isObject);
      return {
        rawEntries: [
          ...(text === ''
            ? []
            : [
                rawEntryOf({
                  ...base,
                  role: 'assistant',
                  origin: 'agent',
                  text,
                  marks: calls.length === 0 ? ['final'] : [],
                }),
              ]),
          ...calls.flatMap((call) =>
            callOf(state, base, call, list(item.toolCallStates).map(object)),
          ),
          ...(summary === null
            ? []
            : [
                rawEntryOf({
                  ...compacted,
                  role: 'system',
                  origin: 'injected',
                  text: summary,
                  marks: ['compaction'],
                }),
              ]),
        ],
      };
    }
    case 'thinking':
      return {
        rawEntries:
          text === '' ? [] : [rawEntryOf({ ...base, role: 'thinking', origin: 'agent', text })],
      };
    case 'tool':
    case 'system':
      return { rawEntries: [] };
    default:
      return { rawEntries: [], unknown: `message:${textOf(message.role) ?? 'none'}`.slice(0, 80) };
  }
}

/** A call with its outcome, which the log keeps beside it. */
function callOf(state: ContinueState, base: Base, call: Json, states: Json[]): RawEntry[] {
  const asked = object(call.function);
  const tool = (short(asked.name) ?? 'unknown').replace(/^builtin_/, '');
  const id = short(call.id);
  // Local models number their calls from the start in each session.
  const native = id === null ? null : `${base.native ?? state.session ?? ''}:${id}`;
  const place: Base = { ...base, native };
  const { raw, open } = askCall(place, { id, tool, input: asked.arguments }, isOwn(tool));
  const ended =
    states.find((each) => each.toolCallId === id || object(each.toolCall).id === id) ?? {};
  const { status } = ended;
  if (status !== 'done' && status !== 'errored' && status !== 'canceled') return [raw];
  const text = contentText(list(ended.output).map((each) => ({ text: object(each).content })));
  const outcome: Outcome | null = status === 'canceled' ? 'rejected' : null;
  const exit = isShellTool(tool) ? exitIn(text) : null;
  const ending = { call: id, tool, text, ok: status === 'done', exit, outcome };
  const result = endCall(
    { ...place, native: native === null ? null : `${native}:result` },
    [open],
    ending,
    isOwn,
  );
  return [raw, { ...result.raw, command: raw.command, files: raw.files }];
}
