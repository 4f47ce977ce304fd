/** The events of Codex's records: items are what the model was sent, events what was shown. */
import type { Event, OpenCall } from '../engine.js';
import { count, isObject, list, object, short, text as textOf, whole } from '../fields.js';
import type { Json } from '../fields.js';
import { outputText } from './outputs.js';
import { answerEvents, interruptEvents, promptEvents, userItemEvents } from './texts.js';
import {
  callEvents,
  commandEvents,
  mcpEvents,
  outputEvents,
  patchEvents,
  webEvents,
} from './tools.js';
import { enterTurn, isTold, type More, nameTurn, once } from './turns.js';

type Calls = readonly OpenCall[];

const SILENT_ITEMS =
  /^(?:compaction|compaction_summary|compaction_trigger|ghost_snapshot|tool_search_call|tool_search_output|image_generation_call|context_compaction|other)$/;

const SILENT_EVENTS = new Set(
  (
    'agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break thread_settings_applied ' +
    'context_compacted entered_review_mode guardian_assessment ' +
    'image_generation_end thread_goal_updated collab_agent_interaction_end collab_agent_spawn_end collab_waiting_end ' +
    'collab_close_end collab_resume_end sub_agent_activity ' +
    'view_image_tool_call dynamic_tool_call_request dynamic_tool_call_response undo_completed undo_started ' +
    'exec_command_begin patch_apply_begin mcp_tool_call_begin web_search_begin ' +
    'turn_diff plan_update background_event stream_error deprecation_notice shutdown_complete ' +
    'mcp_startup_update mcp_startup_complete hook_started hook_completed ' +
    'model_reroute warning item_started turn_started turn.completed turn.started skills_update_available ' +
    'elicitation_request request_user_input thread_goal_cleared'
  ).split(' '),
);

/** `world_state` repeats AGENTS.md and settings; the others contain no text of the conversation. */
const SILENT_RECORDS =
  /^(?:world_state|inter_agent_communication|inter_agent_communication_metadata|session_state|token_usage_record)$/;

export function eventsOf(now: More, calls: Calls, { type, payload: of }: Json): Event[] {
  const payload = object(of);
  switch (type) {
    case 'session_meta':
      return metaEvents(now, payload);
    case 'turn_context':
      // A subfolder, worktree or branch in which the turn works, and its model.
      now.cwd = textOf(payload.cwd) ?? now.cwd;
      now.model = short(payload.model) ?? now.model;
      enterTurn(now, textOf(payload.turn_id) ?? now.turn);
      return [];
    case 'response_item':
      return itemEvents(now, calls, payload);
    case 'event_msg':
      return shownEvents(now, calls, payload);
    case 'compacted': {
      const text = textOf(payload.message) ?? 'The conversation was compacted.';
      return once(now, 1, { is: 'notice', text, exact: true, mark: 'compaction' });
    }
    default: {
      const name = textOf(type) ?? 'none';
      return SILENT_RECORDS.test(name) ? [] : [{ is: 'unknown', type: name }];
    }
  }
}

const PROGRAM = /^(?:codex[_-]exec|codex_mcp|codex_sdk\w*|codex_github_action|.*[_-]exec)$/i;
const STARTED = /^(?:subagent|automation|review|memory|exec|mcp|schedul|system|guardian)/i;

/**
 * Reads `session_meta`. The first one in a file names its session; a later one with the same id is
 * an update, and one with another id says that copied history of that session follows.
 */
function metaEvents(now: More, payload: Json): Event[] {
  const id = textOf(payload.id) ?? textOf(payload.session_id);
  if (id === null) return [];
  const { source, thread_source: thread, originator } = payload;
  const forked = textOf(payload.forked_from_id);
  const git = object(payload.git);
  const [cwd, branch] = [textOf(payload.cwd), textOf(git.branch)];
  const { subagent } = object(source);
  // A program: `exec`, MCP, automations, reviews and subagents; never the CLI, app or IDE.
  const isMachine =
    isObject(source) ||
    [source, thread].some((each) => STARTED.test(textOf(each) ?? '')) ||
    PROGRAM.test(textOf(originator) ?? '');
  const isSubagent = isObject(subagent) || typeof subagent === 'string' || thread === 'subagent';
  const isOwn = now.session === null || id === now.session;
  const { own } = now;
  const machine = isMachine || (isOwn && own.machine);
  const starter = { machine, subagent: isSubagent || (isOwn && own.subagent) };
  now.session ??= id;
  now.telling = id;
  // What follows the head of a fork before the first turn is copied: the parent's log may have lost
  // its own head.
  if (now.turns === 0) Object.assign(now, { scope: forked, isOpen: forked !== null });
  now.cwd = cwd ?? now.cwd;
  now.branch = branch ?? now.branch;
  now[isOwn ? 'own' : 'parent'] = starter;
  const spawn = object(object(subagent).thread_spawn);
  const parent = textOf(payload.parent_thread_id) ?? textOf(spawn.parent_thread_id) ?? forked;
  const remote = textOf(git.repository_url);
  const facts = { session: id, cwd, branch, remote, version: textOf(payload.cli_version) };
  const more = { parent, subagent: starter.subagent, ...(machine && { machine }) };
  return [{ is: 'session', ...facts, ...(isOwn && more) }];
}

function textsOf(content: unknown): string[] {
  return typeof content === 'string'
    ? [content]
    : list(content)
        .map((part) => textOf(object(part).text))
        .filter((text) => text !== null);
}

function itemEvents(now: More, calls: Calls, payload: Json): Event[] {
  const { content, phase, metadata, internal_chat_message_metadata_passthrough: passed } = payload;
  const turn =
    textOf(object(passed).turn_id) ?? textOf(object(metadata).turn_id) ?? textOf(payload.turn_id);
  nameTurn(now, turn);
  const type = textOf(payload.type) ?? 'none';
  switch (type) {
    case 'message':
      if (payload.role === 'assistant')
        return answerEvents(now, textsOf(content).join('\n'), 0, phase);
      // Developer and system messages are the program's own manual, about 40 KB in every session.
      return payload.role === 'user' ? userItemEvents(now, textsOf(content)) : [];
    case 'reasoning': {
      // It is encrypted; only its summary is readable.
      const parts = [...list(payload.summary), ...list(content)];
      const text = parts.map(outputText).filter(Boolean).join('\n').trim();
      return text === '' ? [] : once(now, 0, { is: 'thought', text });
    }
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      return callEvents(now, payload);
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
      return outputEvents(now, calls, payload);
    case 'web_search_call':
      return webEvents(now, payload);
    case 'agent_message': {
      // Of one agent to another.
      const text = textsOf(content).join('\n');
      return [{ is: 'answer', id: textOf(payload.id), text, mark: 'subagent' }];
    }
    default:
      return SILENT_ITEMS.test(type) ? [] : [{ is: 'unknown', type: `response_item:${type}` }];
  }
}

/**
 * A third copy of an answer (`last_agent_message`, `AgentMessage`): an entry only when neither
 * stream has contained it.
 */
function thirdEvents(now: More, text: string): Event[] {
  return isTold(now, 'answer', text) ? [] : answerEvents(now, text, 1, 'final');
}

function noticeEvents(now: More, text: string, mark?: 'rollback'): Event[] {
  return once(now, 1, { is: 'notice', text, exact: true, ...(mark && { mark }) });
}

function shownEvents(now: More, calls: Calls, payload: Json): Event[] {
  const type = textOf(payload.type) ?? 'none';
  const turn = textOf(payload.turn_id);
  if (turn !== null && type === 'task_started') enterTurn(now, turn);
  else nameTurn(now, turn, type === 'task_complete' || type === 'turn_aborted');
  const message = textOf(payload.message) ?? '';
  switch (type) {
    case 'user_message':
      return promptEvents(now, message, 1);
    case 'agent_message':
      return answerEvents(now, message, 1, payload.phase);
    case 'token_count':
      return usageEvents(now, object(payload.info));
    case 'task_started':
      return [];
    case 'thread_name_updated':
      return [{ is: 'session', title: textOf(payload.thread_name) ?? textOf(payload.name) }];
    case 'task_complete':
      return thirdEvents(now, textOf(payload.last_agent_message) ?? '');
    case 'turn_aborted':
      return payload.reason === 'interrupted' || payload.reason === undefined
        ? interruptEvents(now, 1)
        : noticeEvents(now, `turn aborted: ${textOf(payload.reason) ?? ''}`);
    case 'thread_rolled_back': {
      const turns = whole(payload.num_turns) ?? 1;
      return noticeEvents(now, `The user rolled back ${turns} turns.`, 'rollback');
    }
    case 'exec_command_end':
      return commandEvents(now, calls, payload);
    case 'patch_apply_end':
      return patchEvents(now, calls, payload);
    case 'mcp_tool_call_end':
      return mcpEvents(now, calls, payload);
    case 'web_search_end':
      return webEvents(now, payload);
    case 'exited_review_mode':
      return thirdEvents(now, reviewIn(object(payload.review_output)));
    case 'error':
      return noticeEvents(now, message);
    case 'item_completed':
      return completedEvents(now, calls, object(payload.item));
    default:
      return SILENT_EVENTS.has(type) ? [] : [{ is: 'unknown', type: `event_msg:${type}` }];
  }
}

function reviewIn({ overall_explanation: overall, findings }: Json): string {
  const found = list(findings)
    .map(object)
    .map(({ title, body }) => [textOf(title), textOf(body)].filter(Boolean).join('\n'));
  return [textOf(overall), ...found].filter(Boolean).join('\n\n');
}

/**
 * Items of paginated threads repeat other records, matched by id or text; an item without such a
 * record becomes the entry.
 */
function completedEvents(now: More, calls: Calls, item: Json): Event[] {
  const said = list(item.content).map((part) => textOf(object(part).text));
  const content = said.filter(Boolean).join('\n');
  const text = textOf(item.text) ?? '';
  switch (item.type) {
    case 'UserMessage':
      return promptEvents(now, content, 0);
    case 'AgentMessage':
      return thirdEvents(now, content || text);
    case 'CommandExecution':
      return commandEvents(now, calls, item);
    case 'FileChange':
      return patchEvents(now, calls, item);
    case 'McpToolCall':
      return mcpEvents(now, calls, item);
    case 'Extension':
    case 'WebSearch':
      return webEvents(now, item);
    case 'Plan':
      return once(now, 1, { is: 'answer', text, exact: true, mark: 'plan' });
    default:
      return [];
  }
}

function countsOf(told: unknown): number[] | null {
  if (!isObject(told)) return null;
  const { input_tokens, cached_input_tokens, output_tokens, reasoning_output_tokens } = told;
  return [input_tokens, cached_input_tokens, output_tokens, reasoning_output_tokens].map(count);
}

/**
 * Tokens of one call and of the thread so far. Repeated without a call in between (a turn starts,
 * limits changed), they belong to the same call. A fork's copy has the turn and thread totals of
 * the original, and so its id.
 */
function usageEvents(now: More, info: Json): Event[] {
  const total = countsOf(info.total_token_usage);
  const { counted, written: before } = now;
  if (total === null || (counted !== null && total.every((each, n) => each === counted[n])))
    return [];
  now.counted = total;
  const last = countsOf(info.last_token_usage);
  const grown = last ?? total.map((each, n) => Math.max(0, each - (counted?.[n] ?? 0)));
  const [input, cached, output, reasoning] = grown as [number, number, number, number];
  if (input + output === 0) return [];
  const cacheRead = Math.min(cached, input);
  const written = count(object(info.total_token_usage).cache_write_input_tokens);
  const wrote = last
    ? count(object(info.last_token_usage).cache_write_input_tokens)
    : Math.max(0, written - before);
  const cacheWrite = Math.min(input - cacheRead, wrote);
  if (written > 0) now.written = written;
  const counts = { input: input - cacheRead - cacheWrite, cacheRead, cacheWrite, output };
  return [
    {
      ...{ is: 'usage', ...counts, reasoning: Math.min(reasoning, output) },
      native: `${now.turn ?? `${now.telling ?? ''}:${now.turns}`}:${total.join('.')}`,
      model: short(info.model) ?? now.model,
    },
  ];
}
