/** What a tool answers: text within a token cap, and errors that name the next step. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { withoutChat } from '../context/index.js';
import { countTokens } from '../text/tokens.js';
import { AppError } from '../errors.js';
import { type Memory, needStore, released } from './memory.js';

/**
 * What a client learns about a tool: it only reads, or it changes the memory and loses nothing of
 * it.
 */
export const READS = { readOnlyHint: true, openWorldHint: false };
export const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

/** Most tokens of one answer: an agent pays for all of it, whether it helps or not. */
export const MOST_TOKENS = 2000;

/**
 * All that a tool answers: most of it was written by others, and nothing of it may act as a turn of
 * the chat.
 */
export function say(text: string): CallToolResult {
  return { content: [{ type: 'text', text: withoutChat(text) }] };
}

/**
 * Items in order as far as they fit under the cap; the rest is counted. A first item that alone is
 * too long is cut.
 * @param more what to do for the rest, e.g. `narrow the query`
 */
export function sayItems(items: readonly string[], nothing: string, more: string): CallToolResult {
  const shown: string[] = [];
  let tokens = 0;
  for (const item of items) {
    const cost = countTokens(item) + 2;
    if (tokens + cost > MOST_TOKENS && shown.length > 0) break;
    shown.push(cost > MOST_TOKENS ? cutTo(item, MOST_TOKENS) : item);
    tokens += cost;
  }
  const left = items.length - shown.length;
  return say(
    shown.length === 0
      ? nothing
      : [...shown, ...(left > 0 ? [`(${left} more: ${more})`] : [])].join('\n\n'),
  );
}

/** The beginning of a text that fits, by whole lines where there are any. */
export function cutTo(text: string, cap: number): string {
  const mark = '\n[cut here]';
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countTokens(text.slice(0, middle) + mark) <= cap) low = middle;
    else high = middle - 1;
  }
  if (low === text.length) return text;
  const line = text.lastIndexOf('\n', low);
  // Never between the two halves of one character.
  return text.slice(0, line > low / 2 ? line : low).replace(/[\ud800-\udbff]$/u, '') + mark;
}

/** As {@link answering}, of a tool that needs the store. */
export function asking(
  memory: Memory,
  run: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  return answering(memory, () => {
    needStore(memory);
    return run();
  });
}

/** Runs a tool while no other runs, then gives the database back; errors as {@link withErrors}. */
export function answering(
  memory: Memory,
  run: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  return withErrors(() => released(memory, run));
}

/**
 * Runs a tool. What it throws is an answer that the agent can act on, never the end of the server.
 */
async function withErrors(run: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await run();
  } catch (error) {
    const text =
      error instanceof AppError
        ? `${error.message}: ${error.hint}`
        : `this failed: ${String(error)}`;
    return { ...say(text), isError: true };
  }
}
