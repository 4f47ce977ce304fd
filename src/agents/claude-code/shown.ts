/** Texts that the program gives the agent: attachments and messages about the session. */
import type { Origin } from '../../types.js';
import type { Event } from '../engine.js';
import { type Json, list, object, text as textOf } from '../../text/fields.js';
import { joinTexts } from './calls.js';
import type { Reading } from './state.js';
import { attachedEvents } from './user.js';
import { splitWrappers } from './wrappers.js';

/** Attachments without text worth storing: counters, lists of tools, modes. */
const SILENT =
  /^(?:task_reminder|todo_reminder|todo|total_tokens_reminder|deferred_tools_delta|skill_listing|agent_listing_delta|agent_mention|auto_mode|auto_mode_exit|command_permissions|date_change|already_read_file|opened_file_in_ide|read_truncation_notice|compact_file_reference|dynamic_skill|plan_mode|plan_mode_exit|plan_mode_reentry|plan_file_reference|hook_cancelled|ultra_effort_enter|ultra_effort_exit|budget_usd|token_usage|output_token_usage|batching_reminder_sent|silent_turn_reminder|critical_system_reminder|output_style|diagnostics|companion_intro|verify_plan_reminder|max_turns_reached|structured_output|context_efficiency|compaction_reminder|ultrathink_effort|todo_reminder_v2|current_session_memory|edited_image_file|hook_permission_decision|directory|bagel_console)$/;

/** Texts that the program shows to the agent. */
const SHOWN: Record<string, (attachment: Json) => unknown[]> = {
  file: ({ content }) => [object(object(content).file).content, content],
  edited_text_file: ({ snippet }) => [snippet],
  selected_lines_in_ide: ({ content }) => [content],
  nested_memory: ({ content }) => [object(content).content, content],
  relevant_memories: ({ memories }) => list(memories).map((memory) => object(memory).content),
  invoked_skills: ({ skills }) => list(skills).map((skill) => object(skill).content),
  mcp_instructions_delta: ({ addedBlocks }) => list(addedBlocks),
  mcp_resource: ({ content }) => [object(content).text, content],
  hook_success: ({ content, stdout }) => [content, stdout],
  hook_additional_context: ({ content }) => [content, ...list(content)],
  hook_system_message: ({ content }) => [content],
  hook_stopped_continuation: ({ message }) => [message],
  hook_blocking_error: ({ blockingError }) => [object(blockingError).blockingError],
  hook_non_blocking_error: ({ stderr }) => [stderr],
  hook_error_during_execution: ({ content }) => [content],
  async_hook_response: ({ response }) => [
    object(response).systemMessage,
    object(object(response).hookSpecificOutput).additionalContext,
  ],
  task_status: ({ deltaSummary }) => [deltaSummary],
  teammate_mailbox: ({ messages }) => list(messages).map((message) => object(message).text),
};

/** Files count as output of a tool, texts of MCP servers are external, the rest is injected. */
function originOf(type: string): Origin {
  return /^(?:edited_text_)?file$/.test(type)
    ? 'tool'
    : /^mcp_/.test(type)
      ? 'external'
      : 'injected';
}

/** An `attachment` record: a prompt typed mid-turn, or text that the program shows to the agent. */
export function attachmentEvents(reading: Reading): Event[] {
  const attachment = object(reading.record.attachment);
  const type = textOf(attachment.type) ?? '';
  if (type === 'queued_command') return attachedEvents(reading, attachment);
  const shown = Object.hasOwn(SHOWN, type) ? SHOWN[type]! : null;
  if (shown === null)
    return SILENT.test(type) ? [] : [{ is: 'unknown', type: `attachment:${type}` }];
  // A hook's JSON answer to the program; another attachment repeats its text.
  const isAnswer = (text: unknown) => type === 'hook_success' && /^\s*\{/.test(String(text));
  const texts = shown(attachment).filter((text) => textOf(text)?.trim() && !isAnswer(text));
  const { filename, content } = attachment;
  const path = textOf(filename) ?? textOf(attachment.path) ?? textOf(object(content).path);
  const files = path === null ? [] : [path];
  return [
    { is: 'notice', part: 0, text: joinTexts([...new Set(texts)]), by: originOf(type), files },
  ];
}

const SILENT_SYSTEM =
  /^(?:turn_duration|stop_hook_summary|microcompact_boundary|session_start|init|status|bridge_status|file_snapshot|agents_killed|permission_retry)$/;
const SHOWN_SYSTEM =
  /^(?:compact_boundary|informational|local_command|away_summary|api_error|error|api_refusal|model_refusal_fallback|scheduled_task_fire|memory_saved|hook)$/;

/** A `system` record: the program's messages about the session; none are the person's words. */
export function systemEvents({ record, more }: Reading): Event[] {
  const subtype = textOf(record.subtype) ?? '';
  if (subtype === 'turn_duration' || subtype === 'away_summary') more.busy = false;
  if (SILENT_SYSTEM.test(subtype)) return [];
  const error = object(record.error);
  const candidates = [record.content, error.formatted, error.message, record.apiRefusalExplanation];
  const segments = splitWrappers(candidates.map(textOf).find((text) => text !== null) ?? '');
  const text = joinTexts(segments.map(({ body }) => body));
  const about = subtype === 'compact_boundary' ? ({ mark: 'compaction' } as const) : {};
  return [
    ...(text === '' ? [] : [{ is: 'notice', part: 0, text, ...about } as const]),
    ...(SHOWN_SYSTEM.test(subtype) ? [] : [{ is: 'unknown', type: `system:${subtype}` } as const]),
  ];
}
