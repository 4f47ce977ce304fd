import type { Origin, Step } from '../../types.js';
import { isObject, list, object, text as textOf, type Json } from '../fields.js';
import { makeRawEntry, placeOf } from './state.js';
import { stepQueuedCommand } from './queue.js';
import type { ClaudeState } from './state.js';

/** Attachments that carry no text worth keeping: counters, lists of tools, modes. */
const SILENT =
  /^(?:task_reminder|todo_reminder|todo|total_tokens_reminder|deferred_tools_delta|skill_listing|agent_listing_delta|agent_mention|auto_mode|auto_mode_exit|command_permissions|date_change|already_read_file|opened_file_in_ide|read_truncation_notice|compact_file_reference|dynamic_skill|plan_mode|plan_mode_exit|plan_mode_reentry|plan_file_reference|hook_cancelled|ultra_effort_enter|ultra_effort_exit|budget_usd|token_usage|output_token_usage|batching_reminder_sent|silent_turn_reminder|critical_system_reminder|output_style|diagnostics|companion_intro|verify_plan_reminder|max_turns_reached|structured_output|context_efficiency|compaction_reminder|ultrathink_effort|todo_reminder_v2|current_session_memory|hook_permission_decision|directory|bagel_console)$/;

/**
 * Texts that the program puts before the agent, with their origin: files are output of a tool, the
 * rest is injected.
 */
const SHOWN: Record<string, { origin: Origin; from: (attachment: Json) => unknown[] }> = {
  file: { origin: 'tool', from: (it) => [object(object(it.content).file).content, it.content] },
  edited_text_file: { origin: 'tool', from: (it) => [it.snippet] },
  edited_image_file: { origin: 'tool', from: () => [] },
  selected_lines_in_ide: { origin: 'injected', from: (it) => [it.content] },
  nested_memory: { origin: 'injected', from: (it) => [object(it.content).content, it.content] },
  relevant_memories: {
    origin: 'injected',
    from: (it) => list(it.memories).map((memory) => object(memory).content),
  },
  invoked_skills: {
    origin: 'injected',
    from: (it) => list(it.skills).map((skill) => object(skill).content),
  },
  mcp_instructions_delta: { origin: 'external', from: (it) => list(it.addedBlocks) },
  mcp_resource: { origin: 'external', from: (it) => [object(it.content).text, it.content] },
  hook_success: { origin: 'injected', from: (it) => [it.content, it.stdout] },
  hook_additional_context: { origin: 'injected', from: (it) => [it.content, ...list(it.content)] },
  hook_system_message: { origin: 'injected', from: (it) => [it.content] },
  hook_stopped_continuation: { origin: 'injected', from: (it) => [it.message] },
  hook_blocking_error: {
    origin: 'injected',
    from: (it) => [object(it.blockingError).blockingError],
  },
  hook_non_blocking_error: { origin: 'injected', from: (it) => [it.stderr] },
  hook_error_during_execution: { origin: 'injected', from: (it) => [it.content] },
  async_hook_response: {
    origin: 'injected',
    from: (it) => [
      object(it.response).systemMessage,
      object(object(it.response).hookSpecificOutput).additionalContext,
    ],
  },
  task_status: { origin: 'injected', from: (it) => [it.deltaSummary] },
  teammate_mailbox: {
    origin: 'injected',
    from: (it) => list(it.messages).map((message) => object(message).text),
  },
};

/** A hook's JSON answer to the program; its text appears again as an attachment of its own. */
function isHookAnswer(type: string, text: string): boolean {
  return type === 'hook_success' && /^\s*\{/.test(text);
}

/**
 * An `attachment` record: a prompt typed mid-turn, or text that the program put before the agent.
 */
export function stepAttachment(state: ClaudeState, record: Json): Step<ClaudeState> {
  const attachment = object(record.attachment);
  const type = textOf(attachment.type) ?? '';
  if (type === 'queued_command') return stepQueuedCommand(state, record, attachment);
  const shown = Object.hasOwn(SHOWN, type) ? SHOWN[type]! : null;
  if (shown === null)
    return SILENT.test(type)
      ? { state, rawEntries: [] }
      : { state, rawEntries: [], unknown: `attachment:${type}` };
  const texts = shown
    .from(attachment)
    .filter(
      (text): text is string =>
        typeof text === 'string' && text.trim() !== '' && !isHookAnswer(type, text),
    );
  if (texts.length === 0) return { state, rawEntries: [] };
  const path =
    textOf(attachment.filename) ??
    textOf(attachment.path) ??
    (isObject(attachment.content) ? textOf(attachment.content.path) : null);
  const text = [...new Set(texts)].join('\n').trim();
  return {
    state,
    rawEntries: [
      makeRawEntry(placeOf(record, state), 0, 'system', shown.origin, text, {
        files: path === null ? [] : [path],
      }),
    ],
  };
}
