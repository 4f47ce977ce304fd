/** `memory_tidy` for a client that lends its own model (MCP's `sampling`): what waits is put to it, and its answers are taken. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ANSWER_TOKENS, isObject, listIn, readJson } from '../asked/index.js';
import { handBack } from '../commands/model/tidy.js';
import { tidyQuestions, type TidyQuestion, type TidyTaken } from '../jobs/asking/tidy.js';
import { type Memory, needStore, projectOf, released } from './memory.js';

/** Questions of one call: each is a call of a model that the person may have to allow. */
const MOST_SAMPLED = 3;
/** Clients wait a minute for a tool; no question is begun after this. */
const BEGUN_MS = 25_000;
const ANSWER_MS = 50_000;

export interface Sampled {
  taken: TidyTaken[];
  /** The last answer could not be had, or was none: the agent at hand is given the question. */
  isRefused: boolean;
}

/**
 * Asks the client's model about what waits, a few questions at most. Meanwhile other calls are answered and the database is free.
 * What was taken before a refusal, an error or the end of `signal` stays.
 * @returns null when the client has no such model
 */
export async function sampleWaiting({ server }: McpServer, memory: Memory, signal: AbortSignal): Promise<Sampled | null> {
  if (server.getClientCapabilities()?.sampling === undefined) return null;
  const begun = memory.io.clock.mono();
  const taken: TidyTaken[] = [];
  while (taken.length < MOST_SAMPLED && memory.io.clock.mono() - begun < BEGUN_MS && !signal.aborted) {
    const question = await released(memory, () => nextOf(memory));
    if (question === undefined) break;
    const answer = answerTo(question, await sample(server, question, signal));
    if (answer === null) return { taken, isRefused: true };
    const [got] = await released(memory, async () => {
      await memory.app.store.release();
      return handBack(memory.io, answer);
    });
    if (got === undefined || got.error !== null) return { taken, isRefused: true };
    taken.push(got);
  }
  return { taken, isRefused: false };
}

async function nextOf(memory: Memory): Promise<TidyQuestion | undefined> {
  needStore(memory);
  const project = await projectOf(memory);
  return (await tidyQuestions(memory.app, memory.io.caller(), { project, most: 1 })).questions[0];
}

/** Null when the person refuses, the model fails, or the client does: each is their right. */
async function sample(server: McpServer['server'], { prompt }: TidyQuestion, signal: AbortSignal): Promise<string | null> {
  try {
    const { content } = await server.createMessage(
      {
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: ANSWER_TOKENS,
        temperature: 0,
        includeContext: 'none',
      },
      { signal, timeout: ANSWER_MS },
    );
    return content.type === 'text' ? content.text : null;
  } catch {
    return null;
  }
}

/** The answer under the name of the question that was put: a model may leave it out or write another. Null without JSON. */
function answerTo({ question, purpose }: TidyQuestion, text: string | null): string | null {
  const value = text === null ? undefined : readJson(text)?.value;
  if (value === undefined) return null;
  const list = purpose === 'page' ? 'page' : 'lessons';
  return JSON.stringify({ ...(isObject(value) ? value : { [list]: listIn(value, list) }), question, answers: undefined });
}
