/**
 * Messages whose content is a list of blocks as in Anthropic's API: `text`, `thinking`, `tool_use`,
 * `tool_result`. The last text of an answer ends its turn.
 */
import type { Origin } from '../types.js';
import type { Event } from './engine.js';
import { isObject, type Json, list, short, text as textOf } from '../text/fields.js';
import { contentText } from './typed.js';

/** How a result begins of a call that the person refused. */
export const REFUSED =
  /^\W*(?:The user (?:denied|rejected|declined|doesn't want)|User (?:denied|rejected|declined|cancelled)|Permission denied by user)/i;

const SILENT = /^(?:image|document|redacted_thinking|cache_control)$/;

/** A text alone is a block of text. */
export function blocksOf(content: unknown): Json[] {
  return typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : list(content).filter(isObject);
}

/** @param by who wrote the prompts, if not the session's person or agent */
export function blockEvents({ role, content }: Json, by?: Origin): Event[] {
  if (role !== 'user' && role !== 'assistant')
    return [{ is: 'unknown', type: `message:${textOf(role) ?? 'none'}` }];
  const blocks = blocksOf(content);
  return blocks.flatMap((block, part): Event[] => {
    const text = textOf(block.text) ?? textOf(block.thinking) ?? '';
    if (block.type === 'text')
      return role === 'user'
        ? [{ is: 'prompt', part, text, ...(by === undefined ? {} : { by }) }]
        : [{ is: 'answer', part, text, final: part === blocks.length - 1 }];
    if (block.type === 'thinking' || block.type === 'reasoning')
      return [{ is: 'thought', part, text }];
    if (block.type === 'tool_use') {
      const tool = short(block.name) ?? 'unknown';
      return [{ is: 'call', part, call: short(block.id), tool, input: block.input }];
    }
    if (block.type === 'tool_result') {
      const call = short(block.tool_use_id);
      const ok = block.is_error !== true;
      return [{ is: 'result', part, call, text: contentText(block.content), ok }];
    }
    const type = textOf(block.type) ?? 'none';
    return SILENT.test(type) ? [] : [{ is: 'unknown', type: `block:${type}` }];
  });
}
