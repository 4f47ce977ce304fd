/** A server with /v1/embeddings on this machine: vectors by letters, answers by script, keeps what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Asked {
  model: string;
  input: string[];
  key: string | undefined;
}

export interface VectorServer {
  /** Base for `embed.url`. */
  url: string;
  asked: Asked[];
  /** What it does instead of answering; null: it answers. May be set anew at any time. */
  instead: ((asked: Asked, response: ServerResponse) => 'answer' | void) | null;
  dimensions: number;
}

/** How often each letter occurs: a question finds the text with the same letters. */
export function lettersOf(text: string, dimensions: number): number[] {
  const counts = new Array<number>(dimensions).fill(0.01);
  for (const letter of text.toLowerCase()) counts[letter.charCodeAt(0) % dimensions]! += 1;
  return counts;
}

export async function startVectorServer(dimensions: number): Promise<VectorServer> {
  const seen: VectorServer = { url: '', asked: [], instead: null, dimensions };
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { model: string; input: string[] };
      const asked = { ...body, key: request.headers.authorization };
      seen.asked.push(asked);
      if (seen.instead !== null && seen.instead(asked, response) !== 'answer') return;
      const data = body.input.map((text, index) => ({ index, embedding: lettersOf(text, seen.dimensions) }));
      response.end(JSON.stringify({ data: data.reverse() }));
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

/** Answers with a status and nothing else. */
export function status(code: number, headers: Record<string, string> = {}): NonNullable<VectorServer['instead']> {
  return (_, response) => void response.writeHead(code, headers).end('no such key or model');
}
