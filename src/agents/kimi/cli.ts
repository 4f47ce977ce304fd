/** Records of Kimi CLI: `{timestamp, message: {type, payload}}`. */
import { rawEntryOf } from '../calls.js';
import { type Json, dropBinary, isoTime, object, short, text as textOf } from '../fields.js';
import { typedEntries } from '../typed.js';
import { ended, opened, type Read, type KimiState, stopped, textIn, usageOf } from './state.js';

/** Bookkeeping; a subagent's actions are in a log of its own. */
const SILENT = new Set(
  (
    'StepBegin StepRetry TurnEnd CompactionEnd MCPLoadingBegin MCPLoadingEnd MCPStatusSnapshot SubagentEvent Notification ' +
    'QuestionRequest HookTriggered HookResolved HookRequest PlanDisplay BtwBegin BtwEnd ToolCallRequest'
  ).split(' '),
);

export function readCli(state: KimiState, record: Json): Read {
  const message = object(record.message);
  const payload = object(message.payload);
  const type = textOf(message.type) ?? 'none';
  const time = isoTime(record.timestamp);
  switch (type) {
    case 'TurnBegin':
    case 'SteerInput':
      return promptOf(state, payload, time);
    case 'ContentPart':
      return partOf(state, payload, time);
    case 'ToolCall':
      return callOf(state, payload, time);
    case 'ToolCallPart':
      return laterArguments(state, payload, time);
    case 'ToolResult': {
      const told = object(payload.return_value);
      const text = textIn(told.output) || textIn(told.message);
      return ended(
        state,
        short(payload.tool_call_id) ?? '',
        { text, isError: told.is_error === true },
        time,
      );
    }
    case 'StatusUpdate':
      return {
        state,
        usage: usageOf(state, object(payload.token_usage), short(payload.message_id), time),
      };
    case 'CompactionBegin': {
      const text = 'The conversation was compacted.';
      return {
        state,
        rawEntries: [
          rawEntryOf({ time, role: 'system', origin: 'injected', text, marks: ['compaction'] }),
        ],
      };
    }
    case 'StepInterrupted':
      return { state, rawEntries: [stopped(time)] };
    case 'ApprovalRequest':
      return {
        state: {
          ...state,
          asked: [...state.asked, `${short(payload.id)}=${short(payload.tool_call_id)}`].slice(-10),
        },
      };
    case 'ApprovalResponse':
    case 'ApprovalRequestResolved':
      return { state: answered(state, payload) };
    default:
      return SILENT.has(type) ? { state } : { state, unknown: type };
  }
}

function promptOf(state: KimiState, payload: Json, time: string | null): Read {
  const text = textIn(payload.user_input).trim();
  if (state.parent === null)
    return { state, rawEntries: typedEntries({ native: null, time }, text) };
  const asked = rawEntryOf({ time, role: 'user', origin: 'agent', text, marks: ['subagent'] });
  return { state, rawEntries: text === '' ? [] : [asked] };
}

function partOf(state: KimiState, payload: Json, time: string | null): Read {
  const thought = payload.type === 'think';
  const text = dropBinary(textOf(thought ? payload.think : payload.text) ?? '').trim();
  if (text === '') return { state };
  const said = { time, origin: 'agent', text } as const;
  const marks = state.parent === null ? [] : ['subagent'];
  return {
    state,
    rawEntries: [
      thought
        ? rawEntryOf({ ...said, role: 'thinking' })
        : rawEntryOf({ ...said, role: 'assistant', marks }),
    ],
  };
}

/** A call may be written before its arguments are complete. */
function callOf(state: KimiState, payload: Json, time: string | null): Read {
  const called = object(payload.function);
  const call = { id: short(payload.id) ?? '', step: null, tool: textOf(called.name) ?? 'unknown' };
  const isBare =
    called.arguments === '' || called.arguments === null || called.arguments === undefined;
  if (isBare)
    return {
      state: { ...state, bare: { id: call.id.slice(0, 200), tool: call.tool.slice(0, 100) } },
    };
  return opened(state, call, called.arguments, time);
}

/**
 * Pieces of arguments are not kept, because they may contain secrets: only a complete one is taken.
 */
function laterArguments(state: KimiState, payload: Json, time: string | null): Read {
  const part = textOf(payload.arguments_part);
  if (state.bare === null || part === null) return { state };
  try {
    return opened(state, { ...state.bare, step: null }, JSON.parse(part), time);
  } catch {
    return { state };
  }
}

function answered(state: KimiState, payload: Json): KimiState {
  const request = short(payload.request_id) ?? '';
  const asked = state.asked.find((each) => each.startsWith(`${request}=`));
  if (asked === undefined) return state;
  const rest = { ...state, asked: state.asked.filter((each) => each !== asked) };
  if (payload.response !== 'reject') return rest;
  return { ...rest, refused: [...state.refused, asked.slice(request.length + 1)].slice(-10) };
}
