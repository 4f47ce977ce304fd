/**
 * Messages whose content is a list of blocks as in Anthropic's API: `text`, `thinking`, `tool_use`,
 * `tool_result`.
 */
import type { RawEntry, Origin } from '../../types.js';
import { rawEntryOf, exitIn, isShellTool } from '../calls.js';
import { type Json, isObject, list, object, short, text as textOf, whole } from '../fields.js';
import { type Base, type OpenCall, addCall, askCall, endCall } from '../open-calls.js';
import { contentText, readSaid, saidEntries } from '../typed.js';

/** Who speaks, and what the agent puts into the user's channel. */
export interface Speaker {
  isOwn(tool: string): boolean;
  /** Names of tags as for `readSaid`. */
  tags: string;
  typist: Origin;
  /** Marks of every raw entry except results. */
  marks: string[];
  /** The last text of the message ends a turn. */
  isFinal: boolean;
}

export interface MessageResult {
  rawEntries: RawEntry[];
  calls: OpenCall[];
  unknown?: string;
}

/** Blocks without text of the conversation. */
const SILENT = new Set(
  'image document redacted_thinking cache_control manual_bash_invocation'.split(' '),
);

/** @param base its `native` is the message's id */
export function readBlocks(
  base: Base,
  before: readonly OpenCall[],
  message: Json,
  speaker: Speaker,
): MessageResult {
  const told: MessageResult = { rawEntries: [], calls: [...before] };
  const { content } = message;
  const blocks =
    typeof content === 'string'
      ? [{ type: 'text', text: content }]
      : list(content).filter(isObject);
  const place = (at: number): Base => ({
    ...base,
    native: base.native === null ? null : `${base.native}:${at}`,
  });
  blocks.forEach((block: Json, at) => {
    const text = (textOf(block.text) ?? textOf(block.thinking) ?? '').trim();
    if (block.type === 'tool_use')
      ask(told, { ...place(at), marks: speaker.marks }, block, speaker);
    else if (block.type === 'tool_result') end(told, place(at), block, speaker);
    else if (block.type === 'thinking' || block.type === 'reasoning') {
      if (text !== '')
        told.rawEntries.push(rawEntryOf({ ...place(at), role: 'thinking', origin: 'agent', text }));
    } else if (block.type !== 'text') {
      if (!SILENT.has(textOf(block.type) ?? ''))
        told.unknown = `block:${textOf(block.type) ?? 'none'}`.slice(0, 80);
    } else if (message.role === 'user')
      told.rawEntries.push(
        ...saidEntries(place(at), readSaid(text, speaker.tags, speaker.typist), speaker.marks),
      );
    else if (text !== '') {
      const marks = [
        ...speaker.marks,
        ...(speaker.isFinal && at === blocks.length - 1 ? ['final'] : []),
      ];
      told.rawEntries.push(
        rawEntryOf({ ...place(at), role: 'assistant', origin: 'agent', text, marks }),
      );
    }
  });
  return told;
}

function ask(told: MessageResult, base: Base, block: Json, speaker: Speaker): void {
  const tool = short(block.name) ?? 'unknown';
  const { raw, open } = askCall(
    base,
    { id: short(block.id), tool, input: block.input },
    speaker.isOwn(tool),
  );
  told.rawEntries.push(raw);
  told.calls = addCall(told.calls, open);
}

const REFUSED =
  /^\W*(?:The user (?:denied|rejected|declined|doesn't want)|User (?:denied|rejected|declined|cancelled)|Permission denied by user)/i;

function end(told: MessageResult, base: Base, block: Json, speaker: Speaker): void {
  const run = object(block.run);
  const result = object(run.result);
  const call = short(block.tool_use_id) ?? short(block.toolUseID);
  const text =
    contentText(block.content) ||
    textOf(run.result) ||
    textOf(result.output) ||
    textOf(object(run.error).message) ||
    (isObject(run.result) ? JSON.stringify(run.result) : '');
  const tool = told.calls.find((open) => open.id === call)?.tool ?? null;
  const status = textOf(run.status);
  const failed = block.is_error === true || status === 'error';
  const refused = status === 'rejected-by-user' || (failed && REFUSED.test(text));
  const ended = endCall(
    base,
    told.calls,
    {
      call,
      tool,
      text,
      ok: status === null || status === 'done' || failed ? !failed : null,
      exit: whole(result.exitCode) ?? (tool !== null && isShellTool(tool) ? exitIn(text) : null),
      ...(refused
        ? { outcome: 'rejected' as const }
        : status === 'cancelled'
          ? { outcome: 'interrupted' as const }
          : {}),
      ...(tool !== null && /^(?:task|agent)$/i.test(tool) ? { origin: 'agent' as const } : {}),
    },
    speaker.isOwn,
  );
  told.rawEntries.push(ended.raw);
  told.calls = ended.calls;
}
