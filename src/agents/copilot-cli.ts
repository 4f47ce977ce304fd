/**
 * GitHub Copilot CLI and the desktop app: `$COPILOT_HOME` or `~/.copilot`, `session-state/<id>/events.jsonl` (before 1.0.11
 * flat `session-state/<id>.jsonl`). Lines `{type, data, id, timestamp, parentId}`, appended.
 *
 * - `user.message`: `content` is what was typed, `transformedContent` what the model received. A message with a `source` comes
 *   from the program (`system`, `instruction-discovery`, …) or from an agent (`agent-<id>`), and so does one with
 *   `isAutopilotContinuation`; a reminder is in `<system_notification>`.
 * - `assistant.message`: text, and the calls in `toolRequests`; only the answer's tokens are known, and each part of an answer
 *   repeats them (`apiCallId`). `session.shutdown` sums up the rest.
 * - `tool.execution_complete`: `success`, and `shellExecution.exitCode` or in a shell's text
 *   `<shellId: 8 completed with exit code 0>`. Each may report a failure.
 * - `tool.user_requested`: a command that the person typed. `workspace.yaml` beside the log has the title.
 *   (Versions up to 1.0.102; `generated/session-events.d.ts` of @github/copilot-sdk 1.0.14 describes the events.)
 * - Events with `parentToolCallId` or `agentId` are a subagent's, in the same file.
 * - `tool.execution_start`, `hook.*`, `permission.*`, `system.message` and most of `session.*` only
 *   repeat or describe other events.
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
} from '../text/fields.js';

const SILENT =
  /^(?:hook\.|permission\.|external_tool\.|session\.(?!start$|resume$|shutdown$|context_changed$|compaction_complete$|title_changed$)|subagent\.|skill\.|assistant\.(?:turn_|intent|usage|message_delta|streaming|reasoning_delta)|tool\.(?:execution_start|execution_progress|execution_partial)|tool_search\.|system\.|elicitation\.|mcp\.|command\.|user_input\.|exit_plan_mode\.|pending_messages)/;

interface More {
  /** Output of each model's answers since the session was started or resumed. */
  output: Record<string, number>;
  /** `apiCallId` of the last counted answer. */
  last: string | null;
}

export const copilotCli = agent<More>({
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
  // Other tools belong to an MCP server or a client.
  ownTools:
    'bash read_bash write_bash stop_bash list_bash powershell read_powershell write_powershell stop_powershell shell ' +
    'view rg grep glob edit create str_replace_editor apply_patch sql task read_agent list_agents write_agent ' +
    'update_todo report_intent store_memory skill ask_user exit_plan_mode rename_session ' +
    'fetch_copilot_cli_documentation show_file lsp task_complete send_inbox context_board session_store_sql',
  tags: 'system_notification|system_reminder|system-reminder|current_datetime|skill-context|environment_context|reminder',
  agentTools: /^(?:task|read_agent)$/,
  beside: (relative) => (relative.endsWith('/events.jsonl') ? ['workspace.yaml'] : []),
  begin: ({ beside = {} }) => ({
    title: short(
      /^(?:name|summary): *(['"]?)([^'"|>\s].*)\1$/m.exec(Object.values(beside)[0] ?? '')?.[2],
    ),
  }),
  more: { output: {}, last: null },
  place: (event) => ({ id: short(event.id), time: isoTime(event.timestamp) }),
  read(event, { more }) {
    const data = object(event.data);
    const type = textOf(event.type) ?? 'none';
    const child = [data.parentToolCallId, event.agentId, data.agentId].some((each) => textOf(each));
    switch (type) {
      case 'session.start':
      case 'session.resume':
        return { events: [{ is: 'session', ...headOf(data) }], more: { output: {}, last: null } };
      case 'session.context_changed':
        return [{ is: 'session', cwd: short(data.cwd), branch: short(data.branch) }];
      case 'session.title_changed':
        return [{ is: 'session', title: short(data.title) }];
      case 'session.shutdown':
        return sumsOf(more.output, short(event.id), object(data.modelMetrics));
      case 'user.message': {
        const source = textOf(data.source) ?? 'user';
        const isMade = source !== 'user' || data.isAutopilotContinuation === true;
        const by = child || source.startsWith('agent-') ? 'agent' : isMade ? 'injected' : 'user';
        return [{ is: 'prompt', text: textOf(data.content) ?? '', by, child }];
      }
      case 'assistant.message': {
        const model = short(data.model) ?? '';
        const last = short(data.apiCallId);
        const output = last !== null && last === more.last ? 0 : (whole(data.outputTokens) ?? 0);
        const counted = { ...more.output, [model]: (more.output[model] ?? 0) + output };
        return {
          events: answerEvents(short(event.id), data, child, output),
          more:
            output > 0
              ? { output: Object.fromEntries(Object.entries(counted).slice(-MOST_MODELS)), last }
              : more,
        };
      }
      case 'assistant.reasoning':
        return [{ is: 'thought', text: textOf(data.content) ?? '' }];
      case 'tool.user_requested': {
        const [call, tool] = [short(data.toolCallId), short(data.toolName) ?? 'unknown'];
        return [{ is: 'call', call, tool, input: data.arguments, by: 'user', child: false }];
      }
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

function answerEvents(id: string | null, data: Json, child: boolean, output: number): Event[] {
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
    { is: 'usage', native: short(data.messageId) ?? id, model: data.model, output },
  ];
}

/**
 * Tokens of each model since the start or resume, from a shutdown's sums, since answers have only
 * output tokens. `inputTokens` includes tokens read from and written to the cache.
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
  const exit = whole(object(data.shellExecution).exitCode);
  return {
    ...{ is: 'result', call: short(data.toolCallId), text },
    ok: typeof data.success === 'boolean' ? data.success : null,
    ...(exit === null ? {} : { exit }),
    outcome: isRefused ? 'rejected' : null,
  };
}
