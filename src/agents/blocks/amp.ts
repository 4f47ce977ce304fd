/**
 * Amp until spring 2026: `~/.local/share/amp/threads/T-<uuid>.json`, rewritten whole; later threads
 * are on its server and no longer on disk. `messages` contain blocks as in Anthropic's API,
 * `messageId` (a number within the thread), `meta.sentAt` for a user and `usage` for an answer; a
 * result is `{toolUseID, run: {status, result}}`. The folder is in `env.initial.trees`. Known only
 * from descriptions.
 */
import type { Adapter, LogRecord, Step, Usage } from '../../types.js';
import { readBlocks } from './index.js';
import { rawEntryOf } from '../calls.js';
import {
  type Json,
  isObject,
  isoTime,
  list,
  object,
  pathOf,
  short,
  text as textOf,
  whole,
} from '../fields.js';
import type { Base, OpenCall } from '../open-calls.js';

interface AmpState {
  thread: string | null;
  cwd: string | null;
  branch: string | null;
  child: boolean;
  calls: OpenCall[];
}

/** `oracle`, `finder` and `Task` are Amp's own agents. */
const OWN = new Set(
  (
    'Bash Read Grep Glob glob edit_file create_file undo_edit list_directory todo_read todo_write oracle finder Task ' +
    'codebase_search_agent get_diagnostics format_file mermaid read_thread look_at'
  ).split(' '),
);
const TAGS = 'system-reminder|system_reminder|attached_files|user-state|environment_context';

export const amp: Adapter<AmpState> = {
  agent: 'amp',
  title: 'Amp',
  unproven: true,
  places: [
    {
      env: 'XDG_DATA_HOME',
      below: 'amp',
      root: '.local/share/amp',
      under: 'threads',
      globs: ['T-*.json'],
    },
  ],
  unfold: (content) => {
    const { messages, ...head } = object(content);
    return textOf(head.id) === null || !Array.isArray(messages)
      ? null
      : [{ head }, ...list(messages)];
  },
  start: () => ({ thread: null, cwd: null, branch: null, child: false, calls: [] }),
  step,
};

function step(before: AmpState, { value }: LogRecord): Step<AmpState> {
  if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
  if (isObject(value.head)) return enter(before, value.head);
  if (value.role !== 'user' && value.role !== 'assistant')
    return {
      state: before,
      rawEntries: [],
      unknown: `message:${textOf(value.role) ?? 'none'}`.slice(0, 80),
    };
  const number = whole(value.messageId);
  const used = object(value.usage);
  const time = isoTime(object(value.meta).sentAt) ?? isoTime(used.timestamp);
  const native = number === null || before.thread === null ? null : `${before.thread}:${number}`;
  const base: Base = { native, time, cwd: before.cwd, branch: before.branch };
  const isCancelled = object(value.state).type === 'cancelled';
  const { calls, ...told } = readBlocks(base, before.calls, value, {
    isOwn: (tool) => OWN.has(tool),
    tags: TAGS,
    typist: before.child ? 'agent' : 'user',
    marks: before.child ? ['subagent'] : [],
    isFinal: !isCancelled,
  });
  if (isCancelled) {
    const abort = { ...base, native: native === null ? null : `${native}:abort` };
    const text = 'The user interrupted the turn.';
    told.rawEntries.push(
      rawEntryOf({ ...abort, role: 'system', origin: 'injected', text, marks: ['interrupt'] }),
    );
  }
  // Without a number, equal texts of two threads are two entries.
  const rawEntries = told.rawEntries.map((raw) =>
    raw.native === null ? { ...raw, bySession: true as const } : raw,
  );
  const usage = native === null ? null : usageOf(native, time, used);
  return {
    ...told,
    rawEntries,
    state: { ...before, calls },
    ...(usage === null ? {} : { usage: [usage] }),
  };
}

function enter(before: AmpState, head: Json): Step<AmpState> {
  const thread = short(head.id);
  const initial = object(object(head.env).initial);
  const tree = object(list(initial.trees)[0]);
  const repository = object(tree.repository);
  const parent = short(head.mainThreadID) ?? short(head.parentThreadID);
  const branch = short(repository.ref)?.replace(/^refs\/heads\//, '') ?? null;
  const state: AmpState = {
    ...before,
    thread,
    cwd: pathOf(tree.uri),
    branch,
    child: parent !== null,
  };
  if (thread === null) return { state, rawEntries: [] };
  const facts = {
    session: thread,
    cwd: state.cwd,
    branch,
    title: short(head.title),
    remote: short(repository.url),
    version: short(object(initial.platform).clientVersion),
    ...(parent === null ? {} : { parent, subagent: true }),
  };
  return { state, rawEntries: [], session: facts };
}

function usageOf(native: string, time: string | null, used: Json): Usage | null {
  const count = (value: unknown): number => Math.max(0, whole(value) ?? 0);
  const tokens = {
    input: count(used.inputTokens),
    cacheRead: count(used.cacheReadInputTokens),
    cacheWrite: count(used.cacheCreationInputTokens),
    output: count(used.outputTokens),
  };
  if (Object.values(tokens).every((each) => each === 0)) return null;
  return { native, time, model: short(used.model), ...tokens, reasoning: 0, cost: null };
}
