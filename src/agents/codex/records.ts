/** The events of Codex's records. Items were sent to the model; events were shown on the screen. */
import type { Event } from '../engine.js';
import { count, isObject, list, object, short, text as textOf, whole } from '../../text/fields.js';
import type { Json } from '../../text/fields.js';
import { contentText } from '../typed.js';
import { joined } from './calls.js';
import { outputText } from './outputs.js';
import { answerEvents, interruptEvents, promptEvents, userItemEvents } from './texts.js';
import { callEvents, type Calls, commandEvents, mcpEvents, outputEvents } from './tools.js';
import { patchEvents, webEvents } from './tools.js';
import { enterTurn, isInTurn, type More, nameTurn, once } from './turns.js';

type Read = (now: More, payload: Json, calls: Calls) => Event[];

/** Records without conversation, or that repeat AGENTS.md, settings and other records. */
const SILENT = new Set(
  (
    'world_state inter_agent_communication inter_agent_communication_metadata session_state ' +
    'token_usage_record realtime_item retained_context configuration_update compaction compaction_summary compaction_trigger ghost_snapshot ' +
    'tool_search_call tool_search_output image_generation_call context_compaction other ' +
    'agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break thread_settings_applied ' +
    'context_compacted entered_review_mode guardian_assessment ' +
    'image_generation_end thread_goal_updated collab_agent_interaction_end collab_agent_spawn_end collab_waiting_end ' +
    'collab_close_end collab_resume_end sub_agent_activity ' +
    'view_image_tool_call dynamic_tool_call_request dynamic_tool_call_response undo_completed undo_started ' +
    'exec_command_begin patch_apply_begin mcp_tool_call_begin web_search_begin task_started ' +
    'turn_diff plan_update background_event stream_error deprecation_notice shutdown_complete ' +
    'mcp_startup_update mcp_startup_complete hook_started hook_completed ' +
    'model_reroute warning item_started turn_started turn.completed turn.started skills_update_available ' +
    'elicitation_request request_user_input thread_goal_cleared'
  ).split(' '),
);

/** The events of a record; items and events have a further type. */
export function eventsOf(now: More, { type: kind, payload: of }: Json, calls: Calls): Event[] {
  const payload = object(of);
  const isItem = kind === 'response_item';
  const isInner = isItem || kind === 'event_msg';
  const type = textOf(isInner ? payload.type : kind) ?? 'none';
  if (isInner) findTurn(now, type, payload);
  const readers = isItem ? ITEMS : isInner ? EVENTS : RECORDS;
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (read) return read(now, payload, calls);
  return SILENT.has(type) ? [] : [{ is: 'unknown', type: isInner ? `${kind}:${type}` : type }];
}

function findTurn(now: More, type: string, payload: Json): void {
  const { turn_id, metadata, internal_chat_message_metadata_passthrough: passed } = payload;
  const inside = textOf(object(passed).turn_id) ?? textOf(object(metadata).turn_id);
  const turn = inside ?? textOf(turn_id);
  if (turn !== null && type === 'task_started') enterTurn(now, turn);
  else nameTurn(now, turn, type === 'task_complete' || type === 'turn_aborted');
}

const RECORDS: Record<string, Read> = {
  session_meta: metaEvents,
  turn_context(now, { cwd, model, turn_id }) {
    // A subfolder, worktree or branch in which the turn works.
    now.cwd = textOf(cwd) ?? now.cwd;
    now.model = short(model) ?? now.model;
    enterTurn(now, textOf(turn_id) ?? now.turn);
    return [];
  },
  compacted(now, { message }) {
    const text = textOf(message) ?? 'The conversation was compacted.';
    return once(now, 1, { is: 'notice', text, exact: true, mark: 'compaction' });
  },
};

const ITEMS: Record<string, Read> = {
  message(now, { role, content, phase }) {
    if (role === 'assistant') return answerEvents(now, contentText(content), 0, phase);
    // Developer and system messages are the program's own manual, about 40 KB in every session.
    return role === 'user' ? userItemEvents(now, content) : [];
  },
  // Only the summary is not encrypted.
  reasoning(now, { summary, content }) {
    const parts = [...list(summary), ...list(content)];
    const text = joined('\n', ...parts.map(outputText)).trim();
    return text === '' ? [] : once(now, 0, { is: 'thought', text });
  },
  function_call: callEvents,
  custom_tool_call: callEvents,
  local_shell_call: callEvents,
  function_call_output: outputEvents,
  custom_tool_call_output: outputEvents,
  local_shell_call_output: outputEvents,
  web_search_call: webEvents,
  // From one agent to another.
  agent_message: (_, { id, content }) => [
    { is: 'answer', id: textOf(id), text: contentText(content), mark: 'subagent' },
  ],
};

const EVENTS: Record<string, Read> = {
  user_message: (now, { message }) => promptEvents(now, textOf(message) ?? '', 1),
  agent_message: (now, { message, phase }) => answerEvents(now, textOf(message) ?? '', 1, phase),
  token_count: (now, { info }) => usageEvents(now, object(info)),
  thread_name_updated: (_, { thread_name, name }) => [
    { is: 'session', title: textOf(thread_name) ?? textOf(name) },
  ],
  task_complete: (now, { last_agent_message: text }) => thirdEvents(now, textOf(text) ?? ''),
  turn_aborted: (now, { reason }) =>
    reason === 'interrupted' || reason === undefined
      ? interruptEvents(now, 1)
      : noticeEvents(now, `turn aborted: ${textOf(reason) ?? ''}`),
  thread_rolled_back: (now, { num_turns }) =>
    noticeEvents(now, `The user rolled back ${whole(num_turns) ?? 1} turns.`, 'rollback'),
  exec_command_end: commandEvents,
  patch_apply_end: patchEvents,
  mcp_tool_call_end: mcpEvents,
  web_search_end: webEvents,
  exited_review_mode(now, { review_output }) {
    const { overall_explanation, findings } = object(review_output);
    const found = list(findings).map(object);
    const texts = found.map(({ title, body }) => joined('\n', title, body));
    return thirdEvents(now, joined('\n\n', overall_explanation, ...texts));
  },
  error: (now, { message }) => noticeEvents(now, textOf(message) ?? ''),
  item_completed(now, { item: it }, calls) {
    const item = object(it);
    const type = textOf(item.type) ?? 'none';
    return Object.hasOwn(COMPLETED, type) ? COMPLETED[type]!(now, item, calls) : [];
  },
};

/**
 * Items of paginated threads repeat other records, matched by id or text. An item without a match
 * becomes an entry.
 */
const COMPLETED: Record<string, Read> = {
  UserMessage: (now, { content }) => promptEvents(now, contentText(content), 0),
  AgentMessage: (now, { content, text }) =>
    thirdEvents(now, contentText(content) || (textOf(text) ?? '')),
  CommandExecution: commandEvents,
  FileChange: patchEvents,
  McpToolCall: mcpEvents,
  Extension: webEvents,
  WebSearch: webEvents,
  Plan: (now, { text }) =>
    once(now, 1, { is: 'answer', text: textOf(text) ?? '', exact: true, mark: 'plan' }),
};

/**
 * A third copy of an answer (`last_agent_message`, `AgentMessage`) becomes an entry only if neither
 * stream contained the answer.
 */
function thirdEvents(now: More, text: string): Event[] {
  return isInTurn(now, 'answer', text) ? [] : answerEvents(now, text, 1, 'final');
}

function noticeEvents(now: More, text: string, mark?: 'rollback'): Event[] {
  return once(now, 1, { is: 'notice', text, exact: true, ...(mark && { mark }) });
}

const PROGRAM = /^(?:codex[_-]exec|codex_mcp|codex_sdk\w*|codex_github_action|.*[_-]exec)$/i;
const STARTED = /^(?:subagent|automation|review|memory|exec|mcp|schedul|system|guardian)/i;

/**
 * Reads `session_meta`. The first one in a file names its session; a later one with the same id is
 * an update, and one with another id says that copied history of that session follows.
 */
function metaEvents(now: More, payload: Json): Event[] {
  const { source, thread_source: thread, originator } = payload;
  const session = textOf(payload.id) ?? textOf(payload.session_id);
  if (session === null) return [];
  const forked = textOf(payload.forked_from_id);
  const git = object(payload.git);
  const [cwd, branch] = [textOf(payload.cwd), textOf(git.branch)];
  const { subagent } = object(source);
  const isOwn = now.session === null || session === now.session;
  // Programs are `exec`, MCP, automations, reviews and subagents; never the CLI, app or IDE.
  const machine =
    isObject(source) ||
    [source, thread].some((each) => STARTED.test(textOf(each) ?? '')) ||
    PROGRAM.test(textOf(originator) ?? '') ||
    (isOwn && now.own.machine);
  const isSubagent = isObject(subagent) || typeof subagent === 'string' || thread === 'subagent';
  const starter = { machine, subagent: isSubagent || (isOwn && now.own.subagent) };
  now[isOwn ? 'own' : 'parent'] = starter;
  now.session ??= session;
  now.telling = session;
  // Records between a fork's head and the first turn are copies, even if the parent's log lost its
  // head.
  if (now.turns === 0) [now.scope, now.isOpen] = [forked, forked !== null];
  now.cwd = cwd ?? now.cwd;
  now.branch = branch ?? now.branch;
  const spawn = object(object(subagent).thread_spawn);
  const parent = textOf(payload.parent_thread_id) ?? textOf(spawn.parent_thread_id) ?? forked;
  const [remote, version] = [textOf(git.repository_url), textOf(payload.cli_version)];
  const own = { parent, subagent: starter.subagent, ...(machine && { machine }) };
  return [{ is: 'session', session, cwd, branch, remote, version, ...(isOwn && own) }];
}

function countsIn(tokens: unknown): number[] | null {
  if (!isObject(tokens)) return null;
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = tokens;
  const { reasoning_output_tokens: reasoning, cache_write_input_tokens: written } = tokens;
  return [input, cached, output, reasoning, written].map(count);
}

/**
 * Tokens of one call and of the thread so far; equal counts belong to the same call. A fork's copy
 * has the same totals, and so the same id.
 */
function usageEvents(now: More, info: Json): Event[] {
  const total = countsIn(info.total_token_usage);
  const { counted } = now;
  const id = total?.slice(0, 4).join('.');
  if (total === null || id === counted?.slice(0, 4).join('.')) return [];
  now.counted = total;
  const grown = total.map((each, n) => Math.max(0, each - (counted?.[n] ?? 0)));
  const last = countsIn(info.last_token_usage) ?? grown;
  const [input, cached, output, reasoning, written] = last as [
    number,
    number,
    number,
    number,
    number,
  ];
  const cacheRead = Math.min(cached, input);
  const cacheWrite = Math.min(input - cacheRead, written);
  return [
    {
      is: 'usage',
      native: `${now.turn ?? `${now.telling ?? ''}:${now.turns}`}:${id}`,
      model: short(info.model) ?? now.model,
      input: input - cacheRead - cacheWrite,
      cacheRead,
      cacheWrite,
      output,
      reasoning: Math.min(reasoning, output),
    },
  ];
}
