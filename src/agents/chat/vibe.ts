/**
 * Mistral Vibe: `$VIBE_HOME` or `~/.vibe`, `logs/session/session_<time>_<id>/messages.jsonl`,
 * appended. A line is a message of the chat API with a `message_id`; `injected` marks what the
 * program wrote in the user's place. The system prompt is not there. `meta.json` beside it has the
 * session's id, folder, branch, title and parent. Known from the program's source
 * (mistralai/mistral-vibe: `core/session/session_logger.py`, `core/types.py`,
 * `core/utils/tags.py`); not tested on real logs.
 *
 * - No message has a time, and a result has no id: it is named after the answer that asked for it.
 * - A result is `key: value` lines of the tool's answer; errors and cancellations have a tag of
 *   their own.
 * - Tokens are only totals in `meta.json`, and are not read.
 */
import type { Adapter, LogName, LogRecord, SessionFacts, Step } from '../../types.js';
import { type Json, isObject, object, short } from '../fields.js';
import type { Base, OpenCall } from '../open-calls.js';
import { type ReadEnding, readChat } from './index.js';

interface VibeState {
  session: string;
  cwd: string | null;
  branch: string | null;
  title: string | null;
  parent: string | null;
  /** Id of the last answer. */
  asked: string | null;
  told: boolean;
  calls: OpenCall[];
}

/** Any other tool is an MCP server's, or reads the web. */
const OWN = new Set(
  (
    'bash bash_output kill_shell git_bash windows_shell experimental_bash read_file write_file search_replace edit ' +
    'notebook_edit grep glob ls ast_grep todo task think skill memory memory_read memory_write learn ask_user_question ' +
    'enter_plan_mode exit_plan_mode'
  ).split(' '),
);
const TAGS = 'vibe_warning|vibe_stop_event|user_cancellation|tool_error|system-reminder';

export const vibe: Adapter<VibeState> = {
  agent: 'mistral-vibe',
  title: 'Mistral Vibe',
  unproven: true,
  places: [{ env: 'VIBE_HOME', root: '.vibe', under: 'logs/session', globs: ['*/messages.jsonl'] }],
  beside: () => ['meta.json'],
  start,
  step,
};

function start({ relative, beside = {} }: LogName): VibeState {
  const meta = parse(beside['meta.json']);
  const folder = short(object(meta.environment).working_directory) ?? short(meta.working_dir);
  return {
    session: short(meta.session_id) ?? relative.split('/').at(-2) ?? relative,
    cwd: folder,
    branch: short(meta.git_branch),
    title: short(meta.title),
    parent: short(meta.parent_session_id),
    asked: null,
    told: false,
    calls: [],
  };
}

function parse(json: string | undefined): Json {
  try {
    return object(JSON.parse(json ?? '{}'));
  } catch {
    return {};
  }
}

const readEnding: ReadEnding = (text) => {
  if (/^\s*<user_cancellation>/.test(text))
    return { ok: false, outcome: /skipped/.test(text) ? 'rejected' : 'interrupted' };
  const failed = /^\s*<tool_error>/.test(text);
  // The output of a command may contain such a line, too: of a result it is the last one.
  const status = (
    failed ? /^Return code: (-?\d{1,6})$/m : /(?:^|\n)returncode: (-?\d{1,6})\s*$/
  ).exec(text)?.[1];
  return { ...(status === undefined ? {} : { exit: Number(status) }), ok: !failed };
};

/**
 * A file that a prompt names with `@` follows the words in a fence, a resource in lines
 * (`vibe/core/autocompletion/ path_prompt_adapter.py`). A fence in the file ends that fence, so
 * nothing behind it is the person's.
 */
const APPENDED = /(?:^|\n\n)(?:file:\/\/\S*\n`{3}|uri: \S+\nname: )/;

function step(before: VibeState, { value }: LogRecord): Step<VibeState> {
  if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
  const id = short(value.message_id);
  const call = short(value.tool_call_id);
  const native =
    value.role === 'tool'
      ? before.asked === null || call === null
        ? null
        : `${before.asked}:${call}`
      : id;
  const base: Base = { native, time: null, cwd: before.cwd, branch: before.branch };
  const { calls, ...read } = readChat(base, before.calls, value, {
    isOwn: (tool) => OWN.has(tool),
    tags: TAGS,
    typist: value.injected === true ? 'injected' : 'user',
    marks: [],
    readEnding,
    appended: APPENDED,
  });
  const rawEntries = read.rawEntries.map((raw) =>
    raw.native === null ? { ...raw, bySession: true as const } : raw,
  );
  const asked = value.role === 'assistant' ? id : before.asked;
  const state: VibeState = { ...before, asked, calls, told: true };
  return { ...read, rawEntries, state, ...(before.told ? {} : { session: factsOf(before) }) };
}

function factsOf({ session, cwd, branch, title, parent }: VibeState): SessionFacts {
  return { session, cwd, branch, title, ...(parent === null ? {} : { parent }) };
}
