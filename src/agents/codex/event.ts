import type { Usage } from '../../types.js';
import { isObject, list, object, short, text as textOf, whole, type Json } from '../fields.js';
import { type CodexState, enterTurn, isTold, nameTurn, nothing, type Read } from './state.js';
import { shared, type Time, timeOf } from './state.js';
import { stepAnswer, stepInterrupt, stepPrompt } from './messages.js';
import { stepCommandEnd, stepMcpEnd, stepPatchEnd, stepWeb } from './tools.js';

const SILENT = new Set(
  (
    'agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break thread_settings_applied ' +
    'context_compacted entered_review_mode guardian_assessment ' +
    'image_generation_end thread_goal_updated collab_agent_interaction_end collab_agent_spawn_end collab_waiting_end ' +
    'collab_close_end collab_resume_end sub_agent_activity ' +
    'view_image_tool_call dynamic_tool_call_request dynamic_tool_call_response undo_completed undo_started ' +
    'exec_command_begin patch_apply_begin mcp_tool_call_begin web_search_begin ' +
    'thread_name_updated turn_diff plan_update background_event stream_error deprecation_notice shutdown_complete ' +
    'mcp_startup_update mcp_startup_complete hook_started hook_completed ' +
    'model_reroute warning item_started turn_started turn.completed turn.started skills_update_available ' +
    'elicitation_request request_user_input thread_goal_cleared'
  ).split(' '),
);

function contentText(content: unknown): string {
  return list(content)
    .map(object)
    .map((part) => textOf(part.text))
    .filter(Boolean)
    .join('\n');
}

/**
 * Items of paginated threads repeat other records, matched by id or text; an item without such a
 * record becomes the entry.
 */
function stepCompleted(state: CodexState, time: Time, item: Json): Read {
  switch (item.type) {
    case 'UserMessage':
      return stepPrompt(state, time, contentText(item.content), 0);
    case 'AgentMessage':
      return stepThird(state, time, contentText(item.content) || (textOf(item.text) ?? ''));
    case 'CommandExecution':
      return stepCommandEnd(state, time, item);
    case 'FileChange':
      return stepPatchEnd(state, time, item);
    case 'McpToolCall':
      return stepMcpEnd(state, time, item);
    case 'Extension':
    case 'WebSearch':
      return stepWeb(state, time, item);
    case 'Plan': {
      const text = textOf(item.text) ?? '';
      return shared(state, time, 1, { role: 'assistant', origin: 'agent', text, marks: ['plan'] });
    }
    default:
      return nothing(state);
  }
}

/**
 * A third copy of an answer (`last_agent_message`, `AgentMessage`): an entry only when neither
 * stream has contained it.
 */
function stepThird(state: CodexState, time: Time, text: string): Read {
  return text.trim() === '' || isTold(state, 'assistant', text)
    ? nothing(state)
    : stepAnswer(state, time, text, 1, true);
}

function review(payload: Json): string {
  const output = object(payload.review_output);
  const findings = list(output.findings)
    .map(object)
    .map((one) => [textOf(one.title), textOf(one.body)].filter(Boolean).join('\n'));
  return [textOf(output.overall_explanation), ...findings].filter(Boolean).join('\n\n');
}

function system(state: CodexState, time: Time, text: string, marks: string[] = []): Read {
  return shared(state, time, 1, { role: 'system', origin: 'injected', text, marks });
}

type Counts = [input: number, cached: number, output: number, reasoning: number];

function countsOf(told: unknown): Counts | null {
  if (!isObject(told)) return null;
  const keys = [
    'input_tokens',
    'cached_input_tokens',
    'output_tokens',
    'reasoning_output_tokens',
  ] as const;
  return keys.map((key) => countOf(told, key)) as Counts;
}

function countOf(counts: unknown, key: string): number {
  return Math.max(0, whole(object(counts)[key]) ?? 0);
}

/**
 * Tokens of one call and of the thread so far. Repeated without a call in between (a turn starts,
 * limits changed), they belong to the same call. A fork's copy has the turn and thread totals of
 * the original, and so its id.
 */
function stepTokens(before: CodexState, time: Time, info: Json): Read {
  const total = countsOf(info.total_token_usage);
  const last = countsOf(info.last_token_usage);
  const known = before.counted ?? null;
  if (total === null || (known !== null && total.every((count, n) => count === known[n])))
    return nothing(before);
  const state: CodexState = { ...before, counted: total };
  const grown = total.map((count, n) => Math.max(0, count - (known?.[n] ?? 0))) as Counts;
  const [input, cached, output, reasoning] = last ?? grown;
  if (input + output === 0) return nothing(state);
  const scope = state.turn ?? `${state.telling ?? ''}:${state.turns}`;
  const cacheRead = Math.min(cached, input);
  const written = countOf(info.total_token_usage, 'cache_write_input_tokens');
  const cacheWrite = Math.min(
    input - cacheRead,
    isObject(info.last_token_usage)
      ? countOf(info.last_token_usage, 'cache_write_input_tokens')
      : Math.max(0, written - (before.written ?? 0)),
  );
  const usage: Usage = {
    native: `${scope}:${total.join('.')}`,
    time: timeOf(state, time),
    model: short(info.model) ?? state.model ?? null,
    input: input - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output,
    reasoning: Math.min(reasoning, output),
    cost: null,
  };
  return { state: written > 0 ? { ...state, written } : state, rawEntries: [], usage: [usage] };
}

export function stepEvent(before: CodexState, time: Time, payload: Json): Read {
  const type = textOf(payload.type) ?? 'none';
  const turn = textOf(payload.turn_id);
  const isFinal = /final|output/.test(textOf(payload.phase) ?? '');
  const isEnd = type === 'task_complete' || type === 'turn_aborted';
  const state =
    turn !== null && type === 'task_started'
      ? enterTurn(before, turn)
      : nameTurn(before, turn, isEnd);
  switch (type) {
    case 'user_message':
      return stepPrompt(state, time, textOf(payload.message) ?? '', 1);
    case 'agent_message':
      return stepAnswer(state, time, textOf(payload.message) ?? '', 1, isFinal);
    case 'token_count':
      return stepTokens(state, time, object(payload.info));
    case 'task_started':
      return nothing(state);
    case 'task_complete':
      return stepThird(state, time, textOf(payload.last_agent_message) ?? '');
    case 'turn_aborted':
      return payload.reason === 'interrupted' || payload.reason === undefined
        ? stepInterrupt(state, time, 1)
        : system(state, time, `turn aborted: ${textOf(payload.reason) ?? ''}`);
    case 'thread_rolled_back':
      return system(state, time, `The user rolled back ${whole(payload.num_turns) ?? 1} turns.`, [
        'rollback',
      ]);
    case 'exec_command_end':
      return stepCommandEnd(state, time, payload);
    case 'patch_apply_end':
      return stepPatchEnd(state, time, payload);
    case 'mcp_tool_call_end':
      return stepMcpEnd(state, time, payload);
    case 'web_search_end':
      return stepWeb(state, time, payload);
    case 'exited_review_mode':
      return stepThird(state, time, review(payload));
    case 'error':
      return system(state, time, textOf(payload.message) ?? '');
    case 'item_completed':
      return stepCompleted(state, time, object(payload.item));
    default:
      return SILENT.has(type)
        ? nothing(state)
        : { state, rawEntries: [], unknown: `event_msg:${type}` };
  }
}
