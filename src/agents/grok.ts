/**
 * Grok Build, xAI's `grok`: `sessions/<percent-encoded folder>/<id>/chat_history.jsonl`. A line is a
 * whole message: `system`, `user` (`synthetic_reason`: a program wrote it, except `interjection`),
 * `reasoning`, `assistant` with `tool_calls`, `tool_result`, `backend_tool_call` (a search on xAI's
 * servers). Known from agentsview's parser and its samples, which xAI's own program wrote
 * (kenn-io/agentsview: `internal/parser/grok.go`); not tested on real logs.
 *
 * - No message has an id or a time. A compaction rewrites the file, and equal messages keep their
 *   ids.
 * - `updates.jsonl` has the same as pieces of a stream, with times and tokens; it is not read.
 */
import { chatEvents } from './chat.js';
import { agent } from './engine.js';
import { type Json, object, parse, short, text as textOf, whole } from '../text/fields.js';
import { contentText, readSaid, type Said } from './typed.js';

const TAGS =
  'user_info|git_status|system-reminder|agent_skills|mcp_servers|project_layout|environment_context';

export const grok = agent<null>({
  agent: 'grok',
  title: 'Grok Build',
  unproven: true,
  places: [
    { env: 'GROK_HOME', root: '.grok', under: 'sessions', globs: ['*/*/chat_history.jsonl'] },
  ],
  ownTools:
    'read_file hashline_read write search_replace hashline_edit run_terminal_command grep hashline_grep list_dir lsp ' +
    'todo_write ask_user_question get_command_or_subagent_output get_terminal_command_output kill_command_or_subagent ' +
    'kill_terminal_command skill search_tool spawn_subagent enter_plan_mode exit_plan_mode scheduler_create scheduler_delete ' +
    'scheduler_list schedule_wakeup',
  tags: TAGS,
  more: null,
  beside: () => ['summary.json'],
  begin({ relative, beside = {} }) {
    const [folder = '', session = relative] = relative.split('/').slice(-3);
    const summary = parse(beside['summary.json']);
    return {
      session,
      cwd: short(object(summary.info).cwd) ?? short(summary.cwd) ?? folderIn(folder),
      title: short(summary.generated_title) ?? short(summary.session_summary),
      branch: short(summary.head_branch),
      parent: short(summary.parent_session_id),
    };
  },
  read(row, kept) {
    if (row.type === 'system') return [];
    if (row.type === 'user') return [{ is: 'prompt', text: '', said: saidIn(row) }];
    if (row.type === 'reasoning')
      return [{ is: 'thought', text: contentText(row.summary) || contentText(row.content) }];
    if (row.type === 'backend_tool_call') {
      const asked = object(row.kind ?? row);
      const tool = short(asked.tool_type) ?? 'web_search';
      return [{ is: 'call', call: short(asked.id), tool, input: asked.action ?? asked.input }];
    }
    if (row.type !== 'assistant' && row.type !== 'tool_result')
      return [{ is: 'unknown', type: row.type }];
    const role = row.type === 'assistant' ? 'assistant' : 'tool';
    return chatEvents({ ...row, role }, kept, (text, tool) =>
      tool === 'run_terminal_command' ? shellIn(text) : {},
    );
  },
});

function folderIn(name: string): string | null {
  try {
    const folder = decodeURIComponent(name);
    return /^(?:\/|[A-Za-z]:[\\/])/.test(folder) ? short(folder) : null;
  } catch {
    return null;
  }
}

/** What is left of a JSON result of a shell: its output, and how it ended. */
function shellIn(text: string): { text?: string; exit?: number | null } {
  const told = text.startsWith('{') ? parse(text) : {};
  const status = /-?\d+/.exec(textOf(told.exit_status) ?? '')?.[0];
  const exit = whole(told.exit_code) ?? whole(told.exitCode) ?? whole(Number(status ?? NaN));
  const parts = [told.output, told.stdout, told.stderr, told.error].map(textOf).filter(Boolean);
  return parts.length === 0 && exit === null ? {} : { text: parts.join('\n').trim(), exit };
}

/** A prompt is wrapped in `user_query` where the program put something beside it. */
function saidIn(row: Json): Said[] {
  const text = contentText(row.content);
  const reason = textOf(row.synthetic_reason);
  if (reason !== null && reason !== 'interjection') return readSaid(text, TAGS, 'injected');
  // `agent` stands for the words until it is known which of them the person typed.
  return readSaid(text, TAGS, 'agent').flatMap((said) => {
    if (said.origin !== 'agent') return [said];
    if (!said.text.includes('<user_query>')) return readSaid(said.text, null);
    // What the program put before it may have such a tag, too: the person's is the last one, and
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
