/**
 * Grok Build, xAI's `grok`: `$GROK_HOME` or `~/.grok`, `sessions/<percent-encoded
 * folder>/<id>/chat_history.jsonl`. A line is a whole message: `system`, `user`
 * (`synthetic_reason`: a program wrote it, except `interjection`), `reasoning`, `assistant` with
 * `tool_calls`, `tool_result`, `backend_tool_call` (a search on xAI's servers). `summary.json`
 * beside it has folder, branch, title and parent. Known from agentsview's parser and its samples,
 * which xAI's own program wrote (kenn-io/agentsview: `internal/parser/grok.go`), and from forks of
 * the program's source (`xai-grok-tools/src/types/claude_alias.rs`); not tested on real logs.
 *
 * - No message has an id or a time. A compaction rewrites the file, and equal messages keep their
 *   ids.
 * - `updates.jsonl` has the same as pieces of a stream, with times and tokens; it is not read.
 */
import type { Adapter, LogName, LogRecord, RawEntry, SessionFacts, Step } from '../../types.js';
import { rawEntryOf, readToolCall } from '../calls.js';
import { type Json, isObject, object, short, text as textOf } from '../fields.js';
import type { Base, OpenCall } from '../open-calls.js';
import { contentText, readSaid, type Said, saidEntries } from '../typed.js';
import { readChat, readShell } from './index.js';

interface GrokState {
  session: string;
  told: boolean;
  cwd: string | null;
  branch: string | null;
  title: string | null;
  parent: string | null;
  calls: OpenCall[];
}

/** Any other tool is an MCP server's, or reads the web. */
const OWN = new Set(
  (
    'read_file hashline_read write search_replace hashline_edit run_terminal_command grep hashline_grep list_dir lsp ' +
    'todo_write ask_user_question get_command_or_subagent_output get_terminal_command_output kill_command_or_subagent ' +
    'kill_terminal_command skill search_tool spawn_subagent enter_plan_mode exit_plan_mode scheduler_create scheduler_delete ' +
    'scheduler_list schedule_wakeup'
  ).split(' '),
);
const TAGS =
  'user_info|git_status|system-reminder|agent_skills|mcp_servers|project_layout|environment_context';

export const grok: Adapter<GrokState> = {
  agent: 'grok',
  title: 'Grok Build',
  unproven: true,
  places: [
    { env: 'GROK_HOME', root: '.grok', under: 'sessions', globs: ['*/*/chat_history.jsonl'] },
  ],
  beside: () => ['summary.json'],
  start,
  step,
};

function start({ relative, beside = {} }: LogName): GrokState {
  const [folder = '', session = relative] = relative.split('/').slice(-3);
  let summary: Json = {};
  try {
    summary = object(JSON.parse(beside['summary.json'] ?? '{}'));
  } catch {
    // Being written: the names of the folders say the most important.
  }
  const title = short(summary.generated_title) ?? short(summary.session_summary);
  const cwd = short(object(summary.info).cwd) ?? short(summary.cwd) ?? folderIn(folder);
  const [branch, parent] = [short(summary.head_branch), short(summary.parent_session_id)];
  return { session, cwd, title, branch, parent, calls: [], told: false };
}

function folderIn(name: string): string | null {
  try {
    const folder = decodeURIComponent(name);
    return /^(?:\/|[A-Za-z]:[\\/])/.test(folder) ? short(folder) : null;
  } catch {
    return null;
  }
}

function step(before: GrokState, { value }: LogRecord): Step<GrokState> {
  if (!isObject(value)) return { state: before, rawEntries: [], unknown: 'record' };
  const base: Base = {
    native: null,
    time: null,
    cwd: before.cwd,
    branch: before.branch,
    bySession: true,
  };
  const { calls = before.calls, rawEntries, unknown } = readRow(before, base, value);
  const state = { ...before, calls, told: true };
  return {
    state,
    rawEntries,
    ...(before.told ? {} : { session: factsOf(before) }),
    ...(unknown === undefined ? {} : { unknown: unknown.slice(0, 80) }),
  };
}

function factsOf({ session, cwd, branch, title, parent }: GrokState): SessionFacts {
  return { session, cwd, branch, title, ...(parent === null ? {} : { parent }) };
}

function readRow(
  state: GrokState,
  base: Base,
  row: Json,
): { rawEntries: RawEntry[]; calls?: OpenCall[]; unknown?: string } {
  switch (row.type) {
    case 'system':
      return { rawEntries: [] };
    case 'user':
      return { rawEntries: saidEntries(base, saidIn(row)) };
    case 'reasoning': {
      const text = contentText(row.summary) || contentText(row.content);
      return {
        rawEntries:
          text === '' ? [] : [rawEntryOf({ ...base, role: 'thinking', origin: 'agent', text })],
      };
    }
    case 'backend_tool_call': {
      const asked = object(row.kind ?? row);
      const tool = short(asked.tool_type) ?? 'web_search';
      const { text } = readToolCall(tool, asked.action ?? asked.input);
      return {
        rawEntries: [
          rawEntryOf({
            ...base,
            role: 'tool_call',
            origin: 'agent',
            text,
            tool,
            call: short(asked.id),
          }),
        ],
      };
    }
    case 'assistant':
    case 'tool_result': {
      const role = row.type === 'assistant' ? 'assistant' : 'tool';
      return readChat(base, state.calls, { ...row, role }, SPEAKER);
    }
    default:
      return { rawEntries: [], unknown: textOf(row.type) ?? 'none' };
  }
}

const SPEAKER = {
  isOwn: (tool: string): boolean => OWN.has(tool),
  tags: TAGS,
  typist: 'user' as const,
  marks: [],
  readEnding: (text: string, tool: string | null) =>
    tool === 'run_terminal_command' ? (readShell(text) ?? {}) : {},
};

/** A prompt is wrapped in `user_query` where the program put something beside it. */
function saidIn(row: Json): Said[] {
  const text = contentText(row.content);
  const reason = textOf(row.synthetic_reason);
  if (reason !== null && reason !== 'interjection') return readSaid(text, TAGS, 'injected');
  // `agent` stands for the words until it is known which of them the person typed.
  return readSaid(text, TAGS, 'agent').flatMap((said) => {
    if (said.origin !== 'agent') return [said];
    if (!said.text.includes('<user_query>')) return readSaid(said.text, null);
    // What the program put before it may hold such a tag, too: the person's is the last one, and
    // ends the message.
    const [, around = '', query] =
      /^([\s\S]*?)(?:^|\n)<user_query>((?:(?!\n<user_query>)[\s\S])*)<\/user_query>\s*$/.exec(
        said.text,
      ) ?? [];
    if (query === undefined) return [{ ...said, origin: 'injected' as const }];
    const before = around.trim();
    return [
      ...readSaid(query, null),
      ...(before === '' ? [] : [{ ...said, origin: 'injected' as const, text: before }]),
    ];
  });
}
