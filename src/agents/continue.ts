/**
 * Continue: `sessions/<id>.json`, rewritten whole (`sessions.json` beside it is an index). `history`
 * contains items: `message` of a user, of the assistant with its `toolCalls`, of a `tool` or of
 * `thinking`; `toolCallStates` say how calls ended (`done`, `errored`, `canceled`) and what they
 * returned. No message has a time. Known only from its source code.
 *
 * Messages without an id are identified by role and text within their session.
 */
import { agent, type Event } from './engine.js';
import { type Json, list, object, pathOf, short, text as textOf } from '../text/fields.js';
import { contentText } from './typed.js';

export const continueDev = agent<null>({
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
  // Without the prefix `builtin_`.
  ownTools:
    'read_file read_file_range read_currently_open_file edit_existing_file single_find_and_replace multi_edit ' +
    'create_new_file run_terminal_command grep_search file_glob_search ls view_diff view_repo_map view_subdirectory ' +
    'create_rule_block request_rule codebase read_skill',
  tags: 'system-reminder|important_rules|attached_files|context|file_content',
  more: null,
  unfold: (content) => {
    const { history, ...head } = object(content);
    return textOf(head.sessionId) === null || !Array.isArray(history)
      ? null
      : [{ head }, ...list(history)];
  },
  place: (item) => ({ id: short(object(item.message).id) }),
  read(item, { facts }) {
    const head = object(item.head);
    const session = short(head.sessionId);
    const title = head.title === 'New Session' ? null : short(head.title);
    const cwd = pathOf(head.workspaceDirectory);
    if (session !== null) return [{ is: 'session', session, cwd, title }];
    const message = object(item.message);
    const text = contentText(message.content);
    if (message.role === 'user') return [{ is: 'prompt', text }];
    if (message.role === 'thinking') return [{ is: 'thought', text }];
    if (message.role === 'tool' || message.role === 'system' || item.head !== undefined) return [];
    if (message.role !== 'assistant')
      return [{ is: 'unknown', type: `message:${textOf(message.role) ?? 'none'}` }];
    const calls = list(message.toolCalls).map(object);
    const summary = textOf(item.conversationSummary);
    const states = list(item.toolCallStates).map(object);
    return [
      { is: 'answer', text, final: calls.length === 0 },
      ...calls.flatMap((call) => callEvents(short(message.id) ?? facts.session, call, states)),
      ...(summary === null
        ? []
        : [{ is: 'notice', part: 'summary', text: summary, mark: 'compaction' } as const]),
    ];
  },
});

/**
 * A call with its outcome. The id contains `of`, since local models number calls in each session.
 */
function callEvents(of: string, asked: Json, states: readonly Json[]): Event[] {
  const tool = (short(object(asked.function).name) ?? 'unknown').replace(/^builtin_/, '');
  const call = short(asked.id);
  const id = call === null ? null : `${of}:${call}`;
  const { status, output } =
    states.find((each) => each.toolCallId === call || object(each.toolCall).id === call) ?? {};
  const event: Event = { is: 'call', id, call, tool, input: object(asked.function).arguments };
  if (status !== 'done' && status !== 'errored' && status !== 'canceled') return [event];
  const text = contentText(list(output).map((each) => ({ text: object(each).content })));
  const outcome = status === 'canceled' ? 'rejected' : null;
  return [event, { is: 'result', id, part: 'result', call, text, ok: status === 'done', outcome }];
}
