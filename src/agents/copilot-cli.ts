/**
 * GitHub Copilot CLI and the desktop app: `$COPILOT_HOME` or `~/.copilot`, `session-state/<id>/events.jsonl` (before 1.0.11
 * flat `session-state/<id>.jsonl`). Lines `{type, data, id, timestamp, parentId}`, appended.
 *
 * - `user.message`: `content` is what was typed, `transformedContent` what the model received. A message with a `source` comes
 *   from the program (`system`, `instruction-discovery`, …), and a reminder is in `<system_notification>`.
 * - `assistant.message`: text, and the calls in `toolRequests`; only the answer's tokens are known.
 *   `session.shutdown` sums up the rest.
 * - `tool.execution_complete`: `success`, and in a shell's text `<shellId: 8 completed with exit code 0>`. Either may report a
 *   failure.
 * - Events with `parentToolCallId` or `agentId` are a subagent's, in the same file.
 * - `tool.execution_start`, `hook.*`, `permission.*`, `system.message` and most of `session.*` repeat or describe.
 * - Lines are often broken (raw U+2028, line breaks in strings, torn lines joined with the next, NULs): the reader splits only
 *   at line feeds and finds the next whole object.
 */
import { agent, type Event } from './engine.js';
import {
  type Json,
  count,
  isObject,
  isoTime,
  list,
  object,
  short,
  text as textOf,
  whole,
} from './fields.js';

const SILENT =
  /^(?:hook\.|permission\.|external_tool\.|session\.(?!start$|resume$|shutdown$|context_changed$|compaction_complete$|title_changed$)|subagent\.|skill\.|assistant\.(?:turn_|intent|usage|message_delta|streaming|reasoning_delta)|tool\.(?:execution_start|execution_progress|execution_partial|user_requested)|system\.|elicitation\.|mcp\.|command\.|user_input\.|exit_plan_mode\.|pending_messages)/;

export const copilotCli = agent<Record<string, number>>({
  agent: 'copilot-cli',
  title: 'GitHub Copilot CLI',
  places: [
    {
      env: 'COPILOT_HOME',
      root: '.copilot',
      under: 'session-state',
      globs: ['*/events.jsonl', '*.jsonl'],
    },
  ],
  // Any other belongs to an MCP server or a client.
  ownTools:
    'bash read_bash write_bash stop_bash list_bash powershell read_powershell write_powershell stop_powershell shell ' +
    'view rg grep glob edit create str_replace_editor apply_patch sql task read_agent list_agents write_agent ' +
    'update_todo report_intent store_memory skill ask_user exit_plan_mode rename_session ' +
    'fetch_copilot_cli_documentation show_file lsp',
  tags: 'system_notification|system_reminder|system-reminder|current_datetime|skill-context|environment_context|reminder',
  agentTools: /^(?:task|read_agent)$/,
  // Output of each model's answers since the session was started or resumed.
  more: {},
  place: (event) => ({ id: short(event.id), time: isoTime(event.timestamp) }),
  read(event, { more }) {
    const data = object(event.data);
    const type = textOf(event.type) ?? 'none';
    const child = [data.parentToolCallId, event.agentId, data.agentId].some((each) => textOf(each));
    switch (type) {
      case 'session.start':
      case 'session.resume':
        return { events: [{ is: 'session', ...headOf(data) }], more: {} };
      case 'session.context_changed':
        return [{ is: 'session', cwd: short(data.cwd), branch: short(data.branch) }];
      case 'session.title_changed':
        return [{ is: 'session', title: short(data.title) }];
      case 'session.shutdown':
        return sumsOf(more, short(event.id), object(data.modelMetrics));
      case 'user.message': {
        const source = textOf(data.source);
        const by = child ? 'agent' : source !== null && source !== 'user' ? 'injected' : 'user';
        return [{ is: 'prompt', text: textOf(data.content) ?? '', by, child }];
      }
      case 'assistant.message': {
        const model = short(data.model);
        const output = whole(data.outputTokens) ?? 0;
        const counted = Object.entries({
          ...more,
          [model ?? '']: (more[model ?? ''] ?? 0) + output,
        });
        return {
          events: answerEvents(short(event.id), data, child),
          more: output > 0 ? Object.fromEntries(counted.slice(-MOST_MODELS)) : more,
        };
      }
      case 'assistant.reasoning':
        return [{ is: 'thought', text: textOf(data.content) ?? '' }];
      case 'tool.execution_complete':
        return [resultEvent(data)];
      case 'abort':
        return [{ is: 'notice', mark: 'interrupt' }];
      case 'session.compaction_complete':
        return [{ is: 'notice', text: textOf(data.summaryContent), mark: 'compaction' }];
      default:
        return SILENT.test(type) ? [] : [{ is: 'unknown', type }];
    }
  },
});

const MOST_MODELS = 16;

function headOf(data: Json): Omit<Event & { is: 'session' }, 'is'> {
  const context = object(data.context);
  const repository = short(context.repository);
  const host = short(context.repositoryHost) ?? 'github.com';
  const session = short(data.sessionId);
  return {
    ...(session === null ? {} : { session }),
    cwd: short(context.cwd),
    branch: short(context.branch),
    version: short(data.copilotVersion),
    remote: repository === null ? null : `${host}/${repository}`,
  };
}

function answerEvents(id: string | null, data: Json, child: boolean): Event[] {
  const final = data.phase === 'final_answer';
  return [
    { is: 'thought', part: 'thinking', text: textOf(data.reasoningText) ?? '' },
    { is: 'answer', text: textOf(data.content) ?? '', final, child },
    ...list(data.toolRequests)
      .filter(isObject)
      .map((asked, part): Event => {
        const tool = short(asked.name) ?? 'unknown';
        return {
          is: 'call',
          part,
          call: short(asked.toolCallId),
          tool,
          input: asked.arguments,
          child,
        };
      }),
    {
      ...{ is: 'usage', native: short(data.messageId) ?? id, model: data.model },
      output: data.outputTokens,
    },
  ];
}

/**
 * Tokens of each model since the start or resume, as a shutdown sums them up: the answers have only
 * their output. `inputTokens` includes what the cache gave and took.
 */
function sumsOf(
  output: Readonly<Record<string, number>>,
  id: string | null,
  models: Json,
): Event[] {
  return Object.entries(models).map(([model, metrics]): Event => {
    const usage = object(object(metrics).usage);
    const [cacheRead, cacheWrite] = [count(usage.cacheReadTokens), count(usage.cacheWriteTokens)];
    return {
      ...{
        is: 'usage',
        native: id && `${id}:${model.slice(0, 200)}`,
        model,
        cacheRead,
        cacheWrite,
      },
      input: count(usage.inputTokens) - cacheRead - cacheWrite,
      output: count(usage.outputTokens) - (output[model] ?? 0),
      reasoning: usage.reasoningTokens,
    };
  });
}

function resultEvent(data: Json): Event {
  const error = object(data.error);
  const text = textOf(object(data.result).content) ?? textOf(error.message) ?? '';
  const isRefused =
    /^(?:denied|rejected)/.test(textOf(error.code) ?? '') ||
    /^The user rejected this tool call/.test(text);
  return {
    ...{ is: 'result', call: short(data.toolCallId), text },
    ok: typeof data.success === 'boolean' ? data.success : null,
    outcome: isRefused ? 'rejected' : null,
  };
}
