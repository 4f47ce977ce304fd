/** Messages of a thread. */
import type { RawEntry } from '../../types.js';
import { rawEntryOf, isShellTool } from '../calls.js';
import { type Json, dropBinary, isObject, list, object, short, text as textOf } from '../fields.js';
import { type Base, askCall, endCall } from '../open-calls.js';
import { contentText, saidEntries, typedEntries } from '../typed.js';

export interface Thread {
  session: string;
  cwd: string | null;
  /** The prompts are another agent's. */
  isChild: boolean;
  /** Somebody shared it. */
  isImported: boolean;
}

/** Every entry of a thread; without a time. */
export function messagesOf(
  messages: readonly unknown[],
  thread: Thread,
): { rawEntries: RawEntry[]; unknown?: string } {
  const rawEntries: RawEntry[] = [];
  let unknown: string | undefined;
  let [anchor, since] = [thread.session, 0];
  for (const message of messages) {
    const { User: user, Agent: agent } = object(message);
    if (isObject(user)) {
      [anchor, since] = [short(user.id) ?? `${anchor}:${since}`, 0];
      const native = anchor;
      list(user.content).forEach((part, at) =>
        rawEntries.push(...said(object(part), { native: `${native}:${at}`, time: null }, thread)),
      );
    } else if (isObject(agent))
      rawEntries.push(...answerOf(agent, `${anchor}:a${since++}`, thread.cwd));
    else if (message !== 'Resume')
      unknown = `message:${Object.keys(object(message))[0] ?? 'none'}`.slice(0, 80);
  }
  const placed = rawEntries.map((raw) => ({ ...raw, cwd: thread.cwd }));
  return { rawEntries: placed, ...(unknown === undefined ? {} : { unknown }) };
}

function said(part: Json, base: Base, { isChild, isImported }: Thread): RawEntry[] {
  const text = textOf(part.Text)?.trim() ?? '';
  const shown = textOf(object(part.Mention).content)?.trim() ?? '';
  const raw = rawEntryOf({
    ...base,
    role: 'user',
    origin: isImported ? 'external' : 'agent',
    text,
  });
  if (text !== '')
    return isChild || isImported
      ? [{ ...raw, marks: isChild ? ['subagent'] : [] }]
      : typedEntries(base, text);
  return shown === ''
    ? []
    : saidEntries(base, [{ origin: 'external', text: dropBinary(shown), marks: [] }]);
}

/** Any other tool is an MCP server's, or reads the web. */
const OWN = new Set(
  (
    'terminal read_file edit_file streaming_edit_file write_file create_file save_file restore_file_from_disk list_directory ' +
    'find_path grep diagnostics now open thinking create_directory copy_path move_path delete_path spawn_agent subagent ' +
    'update_plan skill'
  ).split(' '),
);
const CANCELLED = 'Tool canceled by user';

function answerOf(agent: Json, native: string, cwd: string | null): RawEntry[] {
  const parts = list(agent.content).map(object);
  const isLast = !parts.some((part) => isObject(part.ToolUse));
  return parts.flatMap((part, at): RawEntry[] => {
    const base: Base = { native: `${native}:${at}`, time: null, cwd };
    const text = textOf(part.Text)?.trim() ?? '';
    const thought = textOf(object(part.Thinking).text)?.trim() ?? '';
    if (thought !== '')
      return [rawEntryOf({ ...base, role: 'thinking', origin: 'agent', text: thought })];
    if (isObject(part.ToolUse)) return callOf(part.ToolUse, object(agent.tool_results), base);
    return text === ''
      ? []
      : [
          rawEntryOf({
            ...base,
            role: 'assistant',
            origin: 'agent',
            text,
            marks: isLast ? ['final'] : [],
          }),
        ];
  });
}

/** A call with its result, which stands in the same message. */
function callOf(use: Json, results: Json, base: Base): RawEntry[] {
  const tool = short(use.name) ?? 'unknown';
  const id = short(use.id);
  const { raw, open } = askCall(base, { id, tool, input: use.input }, OWN.has(tool));
  const result = id === null ? undefined : results[id];
  if (!isObject(result)) return [raw];
  const text = contentText(
    list(result.content).length > 0 ? list(result.content).map(partIn) : partIn(result.content),
  );
  const ended = endCall(
    { ...base, native: `${base.native ?? ''}:result` },
    [open],
    {
      call: id,
      tool,
      text,
      exit: isShellTool(tool) ? commandExit(text) : null,
      ok: result.is_error !== true,
      ...(text.startsWith(CANCELLED) ? { outcome: 'interrupted' as const } : {}),
    },
    (name) => OWN.has(name),
  );
  return [raw, ended.raw];
}

/** A part of a result: a text, `{Text}` or `{type: "text", text}`. */
function partIn(part: unknown): unknown {
  return isObject(part) && typeof part.Text === 'string' ? part.Text : part;
}

/** How the terminal tool begins the result of a command that failed. */
function commandExit(text: string): number | null {
  const found = /^Command "[\s\S]{0,4000}?" failed with exit code (-?\d{1,6})\./.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}
