/** A message of the editor's database. */
import type { RawEntry, Outcome, Usage } from '../../types.js';
import { rawEntryOf, exitIn, readToolCall } from '../calls.js';
import {
  type Json,
  dropBinary,
  isObject,
  isoTime,
  object,
  short,
  text as textOf,
  whole,
} from '../fields.js';
import { typedEntries } from '../typed.js';
import { originOf } from '../open-calls.js';

interface Read {
  rawEntries: RawEntry[];
  usage: Usage | null;
  unknown?: string;
}

/** @param parent the conversation whose agent sent the prompt; null when a person did */
export function bubbleOf(data: Json, id: string, parent: string | null): Read {
  const native = short(id);
  const base = { native, time: isoTime(data.createdAt) };
  const text = dropBinary(textOf(data.text) ?? '').trim();
  if (data.type === 1) {
    const asked = rawEntryOf({ ...base, role: 'user', origin: 'agent', text, marks: ['subagent'] });
    return {
      rawEntries: parent === null ? typedEntries(base, text) : text === '' ? [] : [asked],
      usage: null,
    };
  }
  if (data.type !== 2)
    return { rawEntries: [], usage: null, unknown: `bubble:${whole(data.type) ?? 'none'}` };
  const thought = textOf(data.thinking)?.trim() ?? '';
  const end = (name: string): string | null => (native === null ? null : `${native}:${name}`);
  const rawEntries = [
    ...(thought === ''
      ? []
      : [
          rawEntryOf({
            ...base,
            native: end('thinking'),
            role: 'thinking',
            origin: 'agent',
            text: thought,
          }),
        ]),
    ...(text === '' ? [] : [rawEntryOf({ ...base, role: 'assistant', origin: 'agent', text })]),
    ...(isObject(data.tool) && textOf(data.tool.name) !== null
      ? toolOf(data.tool, base.time, end)
      : []),
  ];
  return { rawEntries, usage: usageOf(data, native, base.time) };
}

function usageOf(data: Json, native: string | null, time: string | null): Usage | null {
  const { inputTokens, outputTokens } = object(data.tokens);
  const input = whole(inputTokens) ?? 0;
  const output = whole(outputTokens) ?? 0;
  if (native === null || input + output <= 0) return null;
  return {
    native,
    time,
    model: short(data.model),
    input,
    cacheRead: 0,
    cacheWrite: 0,
    output,
    reasoning: 0,
    cost: null,
  };
}

/** A JSON text as an object, or the object itself. */
function parsed(value: unknown): Json {
  if (typeof value !== 'string') return object(value);
  try {
    return object(JSON.parse(value));
  } catch {
    return {};
  }
}

function toolOf(data: Json, time: string | null, end: (name: string) => string | null): RawEntry[] {
  const tool = textOf(data.name)!;
  const args = parsed(data.rawArgs);
  const input = Object.keys(args).length > 0 ? args : parsed(data.params);
  const asked = readToolCall(tool.replace(/_v\d+$/, ''), input);
  const call = textOf(data.toolCallId);
  const shared = {
    time,
    tool,
    call,
    command: asked.command,
    files: asked.files,
    cwd: short(input.cwd),
  };
  const asks = { ...shared, native: end('call'), text: asked.text, marks: asked.marks };
  const rawEntries = [rawEntryOf({ ...asks, role: 'tool_call', origin: 'agent' })];
  const outcome = outcomeOf(data);
  if (outcome === null) return rawEntries;
  const result = parsed(data.result);
  const plain =
    Object.keys(result).length === 0 && !/^\s*\{\s*\}\s*$/.test(textOf(data.result) ?? '')
      ? textOf(data.result)
      : null;
  const shown = textOf(result.output) ?? textOf(result.contents) ?? plain ?? messageOf(data);
  const isTold = Object.keys(result).some(
    (key) => !['rejected', 'exitCode', 'output'].includes(key),
  );
  const text = dropBinary(shown ?? (isTold ? JSON.stringify(result) : ''));
  const exit =
    asked.command === null
      ? null
      : (whole(result.exitCode) ?? whole(result.exit_code) ?? exitIn(text));
  const origin = originOf(asked, asked.command !== null || OWN.test(tool));
  const ended = exit !== null && exit !== 0 && outcome === 'ok' ? 'failed' : outcome;
  return [
    ...rawEntries,
    rawEntryOf({
      ...shared,
      native: end('result'),
      role: 'tool_result',
      origin,
      text,
      exit,
      outcome: ended,
    }),
  ];
}

/** Tools of Cursor itself, whose names get a version; any other belongs to an MCP server. */
const OWN =
  /^(?:read_file|edit_file|search_replace|write|delete_file|list_dir|grep|grep_search|ripgrep|ripgrep_raw_search|glob_file_search|file_search|codebase_search|semantic_search(?:_full)?|todo_(?:read|write)|read_lints|fix_lints|create_plan|apply_patch|ask_question|task|reapply|edit_notebook|create_diagram|update_memory|await|switch_mode|run_terminal_cmd|run_terminal_command|fetch_rules|knowledge_base|background_composer_followup|generate_image|read_semsearch_files)(?:_v\d+)?$/;

function messageOf(data: Json): string | null {
  const error = parsed(data.error);
  return textOf(error.clientVisibleErrorMessage) ?? textOf(error.message) ?? textOf(data.error);
}

/**
 * Null while the tool runs. A refused or failed command may have the status `completed`, and report
 * its end elsewhere.
 */
function outcomeOf(data: Json): Outcome | null {
  const more = textOf(object(data.additionalData).status);
  const status = textOf(data.status);
  const refused =
    parsed(data.result).rejected === true || more === 'rejected' || status === 'rejected';
  if (refused || (status === 'cancelled' && /reject|skip/i.test(messageOf(data) ?? '')))
    return 'rejected';
  if (status === 'cancelled' || status === 'aborted') return 'interrupted';
  if (status === 'error' || more === 'error') return 'failed';
  return status === 'completed' || status === 'success' ? 'ok' : null;
}
