/**
 * OpenHands' conversations: `~/.openhands/conversations/<id>/events/event-<n>-<uuid>.json`, one file per event, never
 * rewritten; `base_state.json` beside `events` names the working folder.
 *
 * - `MessageEvent` of `user` and `agent`; `ActionEvent` is a call with the agent's thought, `ObservationEvent` its result,
 *   `AgentErrorEvent` a call that could not run, `UserRejectObservation` one that the person refused.
 * - Times have no zone: they are local. The number in the file's name gives the order.
 * - In the iterative mode the program sends prompts as `user`: `The task appears incomplete (iteration 1/3, …`.
 * - The exit status is in the observation (`exit_code`, or in its `metadata`; -1 while a command is running).
 * - Each event is read alone, so a result's command is known only if the result contains it.
 * - Tokens are only totals in `base_state.json`, of which no sample was available.
 */
import { agent, type Event } from './engine.js';
import {
  isObject,
  isoTime,
  type Json,
  object,
  parse,
  short,
  text as textOf,
  whole,
  zonelessTime,
} from '../text/fields.js';
import { contentText } from './typed.js';

/** Events about the conversation's own state. */
const SILENT =
  /^(?:SystemPromptEvent|ConversationStateUpdateEvent|CondensationRequest|LLMCompletionLogEvent|TokenEvent|ConversationErrorEvent)$/;

/** Prompt of the program in the iterative mode. */
const ITERATION = /^The task appears incomplete \(iteration \d+\/\d+/;

/** @param more the number of the event in its conversation */
export const openhands = agent<{ order: number }>({
  agent: 'openhands',
  title: 'OpenHands',
  places: [
    {
      env: 'OPENHANDS_PERSISTENCE_DIR',
      root: '.openhands',
      under: 'conversations',
      globs: ['*/events/event-*.json'],
    },
  ],
  shape: () => 'document',
  beside: () => ['../base_state.json'],
  unfold: (content) => (isObject(content) && textOf(content.kind) !== null ? [content] : null),
  // Observations of MCP servers have a separate kind.
  ownTools: /^(?!.*(?:browser|fetch|web))/s,
  tags: null,
  repeats: true,
  begin({ relative, beside = {} }) {
    const { workspace, agent: of } = parse(beside['../base_state.json']);
    return {
      session: relative.split('/').at(-3) ?? relative,
      cwd: short(object(workspace).working_dir) ?? short(object(object(of).workspace).working_dir),
      more: { order: Number(/event-(\d{1,9})-[^/]*$/.exec(relative)?.[1] ?? 0) },
    };
  },
  more: { order: 0 },
  place: (event, { more }) => ({
    ...{ id: short(event.id), time: isoTime(event.timestamp), ...more },
    cwd: short(object(object(event.observation).metadata).working_dir),
  }),
  read(event) {
    const kind = textOf(event.kind);
    if (kind === null) return [{ is: 'unknown', type: 'record' }];
    const cwd = short(object(object(event.observation).metadata).working_dir);
    const events = eventsOf(kind, event);
    return [
      { is: 'session', cwd },
      ...(events === null
        ? SILENT.test(kind)
          ? []
          : [{ is: 'unknown', type: kind } as const]
        : [{ is: 'time', at: zonelessTime(event.timestamp) } as const, ...events]),
    ];
  },
});

/** Null for an unknown event, or one outside of the conversation. */
function eventsOf(kind: string, event: Json): Event[] | null {
  switch (kind) {
    case 'MessageEvent':
      return messageEvents(event);
    case 'ActionEvent':
      return actionEvents(event);
    case 'ObservationEvent':
    case 'AgentErrorEvent':
    case 'UserRejectObservation':
      return [resultEvent(kind, event)];
    case 'PauseEvent':
    case 'InterruptEvent':
      return [{ is: 'notice', mark: 'interrupt' }];
    case 'Condensation':
    case 'CondensationSummaryEvent': {
      const text = textOf(event.summary);
      return text === null ? [] : [{ is: 'notice', text, mark: 'compaction' }];
    }
    default:
      return null;
  }
}

function thoughtEvent(event: Json, message: Json): Event {
  const thought = textOf(event.reasoning_content) ?? textOf(message.reasoning_content);
  const blocks = event.thinking_blocks ?? message.thinking_blocks;
  const texts = Array.isArray(blocks) ? blocks.map((each) => object(each).thinking) : [];
  const text = thought ?? texts.flatMap((each) => textOf(each) ?? []).join('\n');
  return { is: 'thought', part: 'thinking', text };
}

function messageEvents(event: Json): Event[] {
  const message = object(event.llm_message);
  const text = contentText(message.content).trim();
  if (event.source === 'agent')
    return [thoughtEvent(event, message), { is: 'answer', text, final: true }];
  if (event.source !== 'user') return [{ is: 'notice', text }];
  const bySender: Event = { is: 'prompt', text, by: 'agent', child: true };
  const typed: Event = { is: 'prompt', text, by: ITERATION.test(text) ? 'injected' : 'user' };
  const more = contentText(event.extended_content);
  return [
    textOf(event.sender) === null ? typed : bySender,
    { is: 'prompt', part: 'extended', text: more, by: 'injected' },
  ];
}

function actionEvents(event: Json): Event[] {
  const asked = object(event.tool_call);
  const action = object(event.action);
  const tool = textOf(event.tool_name) ?? textOf(asked.name) ?? 'unknown';
  const isTalk = tool === 'think' || tool === 'finish';
  const thoughtText = isTalk ? (textOf(action.thought) ?? textOf(action.message)) : null;
  const input = asked.arguments ?? event.action;
  return [
    thoughtEvent(event, {}),
    { is: 'answer', part: 'thought', text: contentText(event.thought) },
    {
      ...{ is: 'call', call: textOf(event.tool_call_id), tool, input },
      ...(tool === 'task_tracker' ? { mark: 'todo' } : {}),
      ...(thoughtText === null ? {} : { text: thoughtText }),
    },
  ];
}

function resultEvent(kind: string, event: Json): Event {
  const seen = object(event.observation);
  const tool = textOf(event.tool_name) ?? 'unknown';
  const isShell = seen.kind === 'TerminalObservation' || seen.kind === 'ExecuteBashObservation';
  const text =
    contentText(seen.content).trim() ||
    textOf(seen.output) ||
    textOf(event.error) ||
    textOf(event.rejection_reason) ||
    '';
  const exit = whole(seen.exit_code) ?? whole(object(seen.metadata).exit_code);
  const isSilent = exit === null && isShell;
  return {
    ...{ is: 'result', call: textOf(event.tool_call_id), tool, text },
    ok: kind !== 'AgentErrorEvent' && seen.is_error !== true,
    asked: {
      tool: isShell ? 'bash' : tool,
      input: isShell ? { command: seen.command } : { path: seen.path },
    },
    ...(isSilent ? {} : { exit: exit === -1 ? null : exit }),
    outcome: kind === 'UserRejectObservation' ? 'rejected' : null,
    ...(/^(?:MCP|Browser|Web)/.test(textOf(seen.kind) ?? '') ? { origin: 'external' } : {}),
  };
}
