/**
 * Messages as in OpenAI's chat API: `content`, `reasoning_content`, `tool_calls`; a `tool` message
 * answers a call.
 */
import type { RawEntry } from '../../types.js';
import type { MessageResult, Speaker } from '../blocks/index.js';
import { rawEntryOf, exitIn, isShellTool } from '../calls.js';
import { type Json, dropBinary, list, object, short, text as textOf, whole } from '../fields.js';
import { type Base, type Ending, type OpenCall, addCall, askCall, endCall } from '../open-calls.js';
import { contentText, readSaid, saidEntries, type Said } from '../typed.js';

/**
 * How an agent writes into a result that a call failed; what it does not say is read from the exit
 * status.
 */
export type ReadEnding = (
  text: string,
  tool: string | null,
) => Partial<Pick<Ending, 'text' | 'exit' | 'ok' | 'outcome'>>;

/** Who speaks, as for blocks, and how results end. */
export interface ChatSpeaker extends Omit<Speaker, 'isFinal'> {
  readEnding: ReadEnding;
  /**
   * From its first match on, a program put files or pages behind the person's words: nobody typed
   * what stands in them.
   */
  appended?: RegExp;
}

/** @param base its `native` is the message's id, or null */
export function readChat(
  base: Base,
  before: readonly OpenCall[],
  message: Json,
  speaker: ChatSpeaker,
): MessageResult {
  const calls = [...before];
  const text = contentText(message.content).trim();
  switch (message.role) {
    case 'user':
      return { rawEntries: saidEntries(base, saidBy(speaker, text), speaker.marks), calls };
    case 'assistant':
      return readAnswer(base, calls, message, speaker);
    case 'tool':
      return readResult(base, calls, message, speaker);
    case 'system':
      return { rawEntries: [], calls };
    default:
      return {
        rawEntries: [],
        calls,
        unknown: `message:${textOf(message.role) ?? 'none'}`.slice(0, 80),
      };
  }
}

function saidBy({ tags, typist, appended }: ChatSpeaker, text: string): Said[] {
  const at = appended === undefined ? -1 : text.search(appended);
  if (at < 0) return readSaid(text, tags, typist);
  return [
    ...readSaid(text.slice(0, at), tags, typist),
    { origin: 'external', text: dropBinary(text.slice(at).trim()), marks: [] },
  ];
}

function readAnswer(
  base: Base,
  before: OpenCall[],
  message: Json,
  { isOwn, marks }: ChatSpeaker,
): MessageResult {
  const place = (part: string): Base => ({
    ...base,
    native: base.native === null ? null : `${base.native}:${part}`,
  });
  const rawEntries: RawEntry[] = [];
  let calls = before;
  const thought = (textOf(message.reasoning_content) ?? textOf(message.reasoning) ?? '').trim();
  if (thought !== '')
    rawEntries.push(
      rawEntryOf({ ...place('thinking'), role: 'thinking', origin: 'agent', text: thought }),
    );
  const asked = list(message.tool_calls).map(object);
  const text = dropBinary(contentText(message.content).trim());
  const ends = asked.length === 0 ? ['final'] : [];
  if (text !== '')
    rawEntries.push(
      rawEntryOf({ ...base, role: 'assistant', origin: 'agent', text, marks: [...marks, ...ends] }),
    );
  asked.forEach((each, at) => {
    const called = object(each.function);
    const tool = short(called.name) ?? short(each.name) ?? 'unknown';
    const input = called.arguments ?? each.arguments;
    const { raw, open } = askCall(
      { ...place(String(at)), marks },
      { id: short(each.id), tool, input },
      isOwn(tool),
    );
    rawEntries.push(raw);
    calls = addCall(calls, open);
  });
  return { rawEntries, calls };
}

function readResult(
  base: Base,
  before: OpenCall[],
  message: Json,
  { isOwn, readEnding }: ChatSpeaker,
): MessageResult {
  const call = short(message.tool_call_id);
  const tool =
    (before.find((open) => open.id === call)?.tool || null) ??
    short(message.tool_name) ??
    short(message.name);
  const text = contentText(message.content);
  const exit = tool !== null && isShellTool(tool) ? exitIn(text) : null;
  const ending: Ending = { call, tool, text, exit, ok: null, ...readEnding(text, tool) };
  const { raw, calls } = endCall(base, before, ending, isOwn);
  return { rawEntries: [raw], calls };
}

/** What is left of a JSON result of a shell: its output, and how it ended. */
export function readShell(text: string): { text: string; exit: number | null } | null {
  if (!text.startsWith('{')) return null;
  try {
    const told = object(JSON.parse(text));
    const exit =
      whole(told.exit_code) ??
      whole(told.exitCode) ??
      Number(/-?\d+/.exec(textOf(told.exit_status) ?? '')?.[0] ?? NaN);
    const parts = [told.output, told.stdout, told.stderr, told.error]
      .map(textOf)
      .filter((part) => part !== null);
    return parts.length === 0 && !Number.isInteger(exit)
      ? null
      : { text: parts.join('\n').trim(), exit: Number.isSafeInteger(exit) ? exit : null };
  } catch {
    return null;
  }
}
