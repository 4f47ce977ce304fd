/** A scripted model server: real HTTP on this machine, answers by script, keeps what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

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
export function completion(text: string, usage?: { prompt_tokens: number; completion_tokens: number }): string {
  return JSON.stringify({ choices: [{ message: { role: 'assistant', content: text } }], usage });
}

/** @param script gives the whole body of an answer, or null when it answered by itself (or never does) */
export async function startServer(script: Script): Promise<ModelServer> {
  const seen: ModelServer = { url: '', prompts: [], headers: [], bodies: [], roles: [] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body =
        chunks.length === 0
          ? {}
          : (JSON.parse(Buffer.concat(chunks).toString('utf8')) as { messages?: { role: string; content: string }[] });
      seen.bodies.push(body as Record<string, unknown>);
      seen.roles.push((body.messages ?? []).map(({ role }) => role));
      const prompt = body.messages?.[0]?.content ?? '';
      seen.prompts.push(prompt);
      seen.headers.push(request.headers);
      void Promise.resolve(script(prompt, request, response)).then((text) => {
        if (text !== null) response.end(text);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  seen.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return seen;
}
