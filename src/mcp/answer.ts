/** What a tool answers: text within a token cap, and errors that name the next step. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { withoutChat } from '../context/index.js';
import { countTokens } from '../text/tokens.js';
import { AppError, EXIT } from '../errors.js';
import { existsSync } from 'node:fs';
import type { App } from '../app.js';
import type { Mutex } from '../mutex.js';
import { chooseProject } from '../recall/projects.js';
import type { Project } from '../types.js';
import type { Io } from '../io.js';

/**
 * What a client learns about a tool: it only reads, or it changes the memory and loses nothing of
 * it.
 */
export const READS = { readOnlyHint: true, openWorldHint: false };
export const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

/** Most tokens of one answer: an agent pays for all of it, whether it helps or not. */
export const MOST_TOKENS = 2000;

/** An answer. Most of its text is foreign, so signs of a chat turn are removed. */
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
  return answering(memory, async () => {
    if (existsSync(memory.app.paths.store)) return run();
    throw new AppError('NO_STORE', 'there is no memory yet', {
      hint: 'it comes when `dripstone run` or the daemon has read the session logs',
      exitCode: EXIT.noStore,
    });
  });
}

/**
 * Runs a tool while no other runs: a process can open the database once. Then it releases the
 * database, so that the daemon can write. An error becomes an answer.
 */
export async function answering(
  { app, inTurn }: Memory,
  run: () => Promise<CallToolResult>,
): Promise<CallToolResult> {
  try {
    return await inTurn(() => run().finally(() => app.store.release()));
  } catch (error) {
    return failed(
      error instanceof AppError
        ? `${error.message}: ${error.hint}`
        : `this failed: ${String(error)}`,
    );
  }
}

export function failed(text: string): CallToolResult {
  return { ...say(text), isError: true };
}

// What the tools work with: one app for the server's life, the project that it serves, and who
// asks.

export interface Memory {
  app: App;
  /** With the calling agent as its caller. */
  io: Io;
  /**
   * As typed after `--project`, else null: the project of the folder in which the client started
   * us.
   */
  spec: string | null;
  /** Calls come one after the other. */
  inTurn: Mutex;
}

/**
 * The project that the server serves now; null until one is known: its first session may be read
 * after the server started.
 */
export async function projectOf({ app, io, spec }: Memory): Promise<Project | null> {
  return existsSync(app.paths.store) ? chooseProject(app, spec, io.cwd) : null;
}
