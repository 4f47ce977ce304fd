import { list, object, text as textOf, type Json } from '../fields.js';
import { type CodexState, makeRawEntry, nameTurn, nothing, type Read } from './state.js';
import { shared, type Time } from './state.js';
import { stepAnswer, stepUserItem } from './messages.js';
import { outputText } from './outputs.js';
import { stepCall, stepOutput, stepWeb } from './tools.js';

const SILENT =
  /^(?:compaction|compaction_summary|compaction_trigger|ghost_snapshot|tool_search_call|tool_search_output|image_generation_call|context_compaction|other)$/;

function turnOf(payload: Json): string | null {
  return (
    textOf(object(payload.internal_chat_message_metadata_passthrough).turn_id) ??
    textOf(object(payload.metadata).turn_id) ??
    textOf(payload.turn_id)
  );
}

function partsOf(content: unknown): string[] {
  return typeof content === 'string'
    ? [content]
    : list(content)
        .map(object)
        .map((part) => textOf(part.text))
        .filter((text) => text !== null);
}

/** Reasoning is encrypted; only its summary is readable. */
function stepReasoning(before: CodexState, time: Time, payload: Json): Read {
  const text = [...list(payload.summary), ...list(payload.content)]
    .map(outputText)
    .filter(Boolean)
    .join('\n')
    .trim();
  if (text === '') return nothing(before);
  return shared(before, time, 0, { role: 'thinking', origin: 'agent', text });
}

function stepMessage(state: CodexState, time: Time, payload: Json): Read {
  if (payload.role === 'assistant') {
    const phase = textOf(payload.phase);
    const isFinal = phase !== null && /final|output/.test(phase);
    return stepAnswer(state, time, partsOf(payload.content).join('\n'), 0, isFinal);
  }
  // Developer and system messages are the program's own manual, about 40 KB in every session.
  return payload.role === 'user'
    ? stepUserItem(state, time, partsOf(payload.content))
    : nothing(state);
}

function stepBetweenAgents(state: CodexState, time: Time, payload: Json): Read {
  const id = textOf(payload.id);
  const text = partsOf(payload.content).join('\n').trim();
  if (text === '') return nothing(state);
  const marks = ['subagent'];
  return {
    state,
    rawEntries: [makeRawEntry(state, time, id, 'assistant', 'agent', text, { marks })],
  };
}

export function stepItem(before: CodexState, time: Time, payload: Json): Read {
  const state = nameTurn(before, turnOf(payload));
  const type = textOf(payload.type) ?? 'none';
  switch (type) {
    case 'message':
      return stepMessage(state, time, payload);
    case 'reasoning':
      return stepReasoning(state, time, payload);
    case 'function_call':
    case 'custom_tool_call':
    case 'local_shell_call':
      return stepCall(state, time, payload);
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'local_shell_call_output':
      return stepOutput(state, time, payload);
    case 'web_search_call':
      return stepWeb(state, time, payload);
    case 'agent_message':
      return stepBetweenAgents(state, time, payload);
    default:
      return SILENT.test(type)
        ? nothing(state)
        : { state, rawEntries: [], unknown: `response_item:${type}` };
  }
}
