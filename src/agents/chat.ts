/**
 * Messages as in OpenAI's chat API: `content`, `reasoning_content`, `tool_calls`; a `tool` message
 * answers a call.
 */
import type { Event, Kept } from './engine.js';
import { type Json, dropBinary, list, object, short, text as textOf } from '../text/fields.js';
import { contentText, readPieces, type PromptPiece } from './typed.js';

type Ending = Partial<Pick<Event & { is: 'result' }, 'text' | 'exit' | 'ok' | 'outcome'>>;

/** @param ending finds in a result that the call failed */
export function chatEvents(
  message: Json,
  { calls }: Pick<Kept<unknown>, 'calls'>,
  ending: (text: string, tool: string | null) => Ending,
): Event[] {
  const text = contentText(message.content);
  if (message.role === 'assistant') {
    const asked = list(message.tool_calls).map(object);
    const thought = textOf(message.reasoning_content) ?? textOf(message.reasoning) ?? '';
    return [
      { is: 'thought', part: 'thinking', text: thought },
      { is: 'answer', text, final: asked.length === 0 },
      ...asked.map((each, part): Event => {
        const called = object(each.function);
        const tool = short(called.name) ?? short(each.name) ?? 'unknown';
        const input = called.arguments ?? each.arguments;
        return { is: 'call', part, call: short(each.id), tool, input };
      }),
    ];
  }
  if (message.role === 'tool') {
    const call = short(message.tool_call_id);
    const open = calls.find((each) => each.id === call)?.tool || null;
    const tool = open ?? short(message.tool_name) ?? short(message.name);
    return [{ is: 'result', call, tool, text, ok: null, ...ending(text, tool) }];
  }
  return message.role === 'system'
    ? []
    : [{ is: 'unknown', type: `message:${textOf(message.role) ?? 'none'}` }];
}

/**
 * A prompt after which a program appended files or pages.
 * @param appended matches where the appended text begins
 */
export function piecesBefore(text: string, appended: RegExp, tags: string): PromptPiece[] {
  const at = text.search(appended);
  return [
    ...readPieces(at < 0 ? text : text.slice(0, at), tags),
    ...(at < 0
      ? []
      : [{ origin: 'external' as const, text: dropBinary(text.slice(at).trim()), marks: [] }]),
  ];
}
