/**
 * Grok Build, xAI's `grok`: `sessions/<percent-encoded folder>/<id>/chat_history.jsonl`. A line is a
 * whole message without id or time; a compaction rewrites the file, and equal messages keep their
 * ids. `synthetic_reason`: a program wrote it, except `interjection`; `backend_tool_call`: a search
 * on xAI's servers. Known from agentsview's parser and its samples, which xAI's own program wrote
 * (kenn-io/agentsview: `internal/parser/grok.go`); not tested on real logs.
 */
import { chatEvents } from './chat.js';
import { agent } from './engine.js';
import { isAbsolute } from '../shell/paths.js';
import { type Json, object, parse, pathOf, short, text as textOf, whole } from '../text/fields.js';
import { contentText, readPieces, type PromptPiece } from './typed.js';

const TAGS =
  'user_info|git_status|system-reminder|agent_skills|mcp_servers|project_layout|environment_context';

export const grok = agent<null>({
  ...{ agent: 'grok', title: 'Grok Build', unproven: true, tags: TAGS, more: null },
  beside: () => ['summary.json'],
  places: [
    { env: 'GROK_HOME', root: '.grok', under: 'sessions', globs: ['*/*/chat_history.jsonl'] },
  ],
  ownTools:
    'read_file hashline_read write search_replace hashline_edit run_terminal_command grep hashline_grep list_dir lsp ' +
    'todo_write ask_user_question get_command_or_subagent_output get_terminal_command_output kill_command_or_subagent ' +
    'kill_terminal_command skill search_tool spawn_subagent enter_plan_mode exit_plan_mode scheduler_create scheduler_delete ' +
    'scheduler_list schedule_wakeup',
  begin({ relative, beside = {} }) {
    const [folder = '', session = relative] = relative.split('/').slice(-3);
    const path = isAbsolute(pathOf(folder) ?? '') ? pathOf(folder) : null;
    const summary = parse(beside['summary.json']);
    return {
      session,
      cwd: short(object(summary.info).cwd) ?? short(summary.cwd) ?? path,
      title: short(summary.generated_title) ?? short(summary.session_summary),
      branch: short(summary.head_branch),
      parent: short(summary.parent_session_id),
    };
  },
  read(row, kept) {
    if (row.type === 'system') return [];
    if (row.type === 'user') return [{ is: 'prompt', text: '', pieces: piecesIn(row) }];
    if (row.type === 'reasoning')
      return [{ is: 'thought', text: contentText(row.summary) || contentText(row.content) }];
    if (row.type === 'backend_tool_call') {
      const asked = object(row.kind ?? row);
      const tool = short(asked.tool_type) ?? 'web_search';
      return [{ is: 'call', call: short(asked.id), tool, input: asked.action ?? asked.input }];
    }
    if (row.type !== 'assistant' && row.type !== 'tool_result')
      return [{ is: 'unknown', type: row.type }];
    return chatEvents({ ...row, role: row.type.replace('tool_result', 'tool') }, kept, shellIn);
  },
});

/** The output and the end of a shell's JSON result. */
function shellIn(text: string, tool: string | null): { text?: string; exit?: number | null } {
  const parsed = tool === 'run_terminal_command' && text.startsWith('{') ? parse(text) : {};
  const status = /-?\d+/.exec(textOf(parsed.exit_status) ?? '')?.[0];
  const exit = whole(parsed.exit_code) ?? whole(parsed.exitCode) ?? whole(Number(status ?? NaN));
  const parts = [parsed.output, parsed.stdout, parsed.stderr, parsed.error]
    .map(textOf)
    .filter(Boolean);
  return parts.length === 0 && exit === null ? {} : { text: parts.join('\n').trim(), exit };
}

/** A prompt is in `user_query` if the program added text before it. */
function piecesIn({ content, synthetic_reason: reason }: Json): PromptPiece[] {
  const by = (textOf(reason) ?? 'interjection') === 'interjection' ? 'agent' : 'injected';
  // `agent` marks pieces of which the typed words are not known yet.
  return readPieces(contentText(content), TAGS, by).flatMap((piece) => {
    if (piece.origin !== 'agent') return [piece];
    if (!piece.text.includes('<user_query>')) return readPieces(piece.text, null);
    // The person's tag is the last one and ends the message, since the text before may contain such
    // a tag.
    const parts = piece.text.split(/(?:^|\n)<user_query>/);
    const query = /^(.*)<\/user_query>\s*$/s.exec(parts.length > 1 ? parts.pop()! : '')?.[1];
    if (query === undefined) return [{ ...piece, origin: 'injected' }];
    return [...readPieces(query, null), ...readPieces(parts.join('\n'), null, 'injected')];
  });
}
