/**
 * A scripted model server: real HTTP on this machine, answers by script, keeps what it was asked.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startHttp } from '../http-server.js';

export type Script = (
  prompt: string,
  request: IncomingMessage,
  response: ServerResponse,
) => string | null | Promise<string | null>;

export interface ModelServer {
  /** Base for `llm.url`. */
  url: string;
  /** Prompts, in order. */
  prompts: string[];
  headers: IncomingMessage['headers'][];
  /** Whole bodies of the requests. */
  bodies: Record<string, unknown>[];
  /** Roles of the messages of each request. */
  roles: string[][];
}

/** A chat completion that says `text`. */
export function completion(
  text: string,
  usage?: { prompt_tokens: number; completion_tokens: number },
): string {
  return JSON.stringify({ choices: [{ message: { role: 'assistant', content: text } }], usage });
}

/**
 * @param script gives the whole body of an answer, or null when it answered by itself (or never
 * does)
 */
export async function startServer(script: Script): Promise<ModelServer> {
  const seen: ModelServer = { url: '', prompts: [], headers: [], bodies: [], roles: [] };
  seen.url = await startHttp((sent, request, response) => {
    const body = JSON.parse(sent || '{}') as { messages?: { role: string; content: string }[] };
    seen.bodies.push(body as Record<string, unknown>);
    seen.roles.push((body.messages ?? []).map(({ role }) => role));
    const prompt = body.messages?.[0]?.content ?? '';
    seen.prompts.push(prompt);
    seen.headers.push(request.headers);
    void Promise.resolve(script(prompt, request, response)).then((text) => {
      if (text !== null) response.end(text);
    });
  });
  return seen;
}
