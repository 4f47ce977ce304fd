/** Makes the answers of tools: text within a token cap, and errors that name the next step. */
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
 * Hints for the client about a tool: it only reads, or it changes the memory without losing
 * anything.
 */
export const READS = { readOnlyHint: true, openWorldHint: false };
export const WRITES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

/** Most tokens of one answer, since an agent pays for the whole answer. */
export const MOST_TOKENS = 2000;

/** An answer. Most of the text comes from logs, so markers of chat turns are removed. */
export function say(text: string): CallToolResult {
  return { content: [{ type: 'text', text: withoutChat(text) }] };
}

/**
 * The first items that fit under the cap, and the number of the others. The first item is cut if it
 * is too long.
 * @param more how to get the others, e.g. `narrow the query`
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

/** The beginning of a text that fits under the cap, in whole lines if possible. */
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
  // Never cuts between the two halves of a character.
  return text.slice(0, line > low / 2 ? line : low).replace(/[\ud800-\udbff]$/u, '') + mark;
}

/** Like {@link answering}, for a tool that needs the store. */
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
 * Runs one tool at a time, since a process can open the database only once. Then releases the
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

// Data of all tools: one app for the server's life, the project, and the calling agent.

export interface Memory {
  app: App;
  /** Its caller is the calling agent. */
  io: Io;
  /**
   * The argument of `--project`; null means the project of the folder in which the client started
   * this server.
   */
  spec: string | null;
  /** Runs the calls one after the other. */
  inTurn: Mutex;
}

/**
 * The project that the server serves; null while it is unknown, since its first session may be read
 * after the server starts.
 */
export async function projectOf({ app, io, spec }: Memory): Promise<Project | null> {
  return existsSync(app.paths.store) ? chooseProject(app, spec, io.cwd) : null;
}
