/**
 * Mistral Vibe: `logs/session/session_<time>_<id>/messages.jsonl`, appended. A line is a message of
 * the chat API with a `message_id`; `injected` marks what the program wrote in the user's place.
 * Known from the program's source (mistralai/mistral-vibe: `core/session/session_logger.py`,
 * `core/types.py`, `core/utils/tags.py`); not tested on real logs.
 *
 * - No message has a time, and a result has no id: it is named after the answer that asked for it.
 * - Errors and cancellations have a tag of their own. Tokens are only totals beside the log.
 */
import { chatEvents, piecesBefore } from './chat.js';
import { agent } from './engine.js';
import { object, parse, short } from '../text/fields.js';
import { contentText } from './typed.js';

const TAGS = 'vibe_warning|vibe_stop_event|user_cancellation|tool_error|system-reminder';

/**
 * An `@` file (in a fence) or a resource (in lines) comes after the words
 * (`vibe/core/autocompletion/path_prompt_adapter.py`).
 */
const APPENDED = /(?:^|\n\n)(?:file:\/\/\S*\n`{3}|uri: \S+\nname: )/;

export const vibe = agent<{ asked: string | null }>({
  agent: 'mistral-vibe',
  title: 'Mistral Vibe',
  unproven: true,
  places: [{ env: 'VIBE_HOME', root: '.vibe', under: 'logs/session', globs: ['*/messages.jsonl'] }],
  ownTools:
    'bash bash_output kill_shell git_bash windows_shell experimental_bash read_file write_file search_replace edit ' +
    'notebook_edit grep glob ls ast_grep todo task think skill memory memory_read memory_write learn ask_user_question ' +
    'enter_plan_mode exit_plan_mode',
  tags: TAGS,
  more: { asked: null },
  beside: () => ['meta.json'],
  begin({ relative, beside = {} }) {
    const meta = parse(beside['meta.json']);
    return {
      session: short(meta.session_id) ?? relative.split('/').at(-2) ?? relative,
      cwd: short(object(meta.environment).working_directory) ?? short(meta.working_dir),
      branch: short(meta.git_branch),
      title: short(meta.title),
      parent: short(meta.parent_session_id),
    };
  },
  place(message, { more: { asked } }) {
    const call = short(message.tool_call_id);
    if (message.role !== 'tool') return { id: short(message.message_id) };
    return call === null ? {} : { id: asked, part: call };
  },
  read(message, kept) {
    if (message.role === 'user') {
      const text = contentText(message.content).trim();
      return message.injected === true
        ? [{ is: 'prompt', text, by: 'injected' }]
        : [{ is: 'prompt', text, pieces: piecesBefore(text, APPENDED, TAGS) }];
    }
    const events = chatEvents(message, kept, (text) => {
      if (/^\s*<user_cancellation>/.test(text))
        return { ok: false, outcome: /skipped/.test(text) ? 'rejected' : 'interrupted' };
      const failed = /^\s*<tool_error>/.test(text);
      // The last such line counts, since a command's output may contain one, too.
      const code = failed ? /^Return code: (-?\d{1,6})$/m : /(?:^|\n)returncode: (-?\d{1,6})\s*$/;
      const status = code.exec(text)?.[1];
      return { ...(status === undefined ? {} : { exit: Number(status) }), ok: !failed };
    });
    if (message.role !== 'assistant') return events;
    return { events, more: { asked: short(message.message_id) } };
  },
});
