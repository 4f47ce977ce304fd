/**
 * A server with /v1/embeddings on this machine: vectors by letters, answers by script, keeps what
 * it was asked.
 */
import type { ServerResponse } from 'node:http';
import { startHttp } from '../http-server.js';

interface Asked {
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
function lettersOf(text: string, dimensions: number): number[] {
  const counts = new Array<number>(dimensions).fill(0.01);
  for (const letter of text.toLowerCase()) counts[letter.charCodeAt(0) % dimensions]! += 1;
  return counts;
}

export async function startVectorServer(dimensions: number): Promise<VectorServer> {
  const seen: VectorServer = { url: '', asked: [], instead: null, dimensions };
  seen.url = await startHttp((text, request, response) => {
    const body = JSON.parse(text) as { model: string; input: string[] };
    const asked = { ...body, key: request.headers.authorization };
    seen.asked.push(asked);
    if (seen.instead !== null && seen.instead(asked, response) !== 'answer') return;
    const data = body.input.map((each, index) => ({
      index,
      embedding: lettersOf(each, seen.dimensions),
    }));
    response.end(JSON.stringify({ data: data.reverse() }));
  });
  return seen;
}

/** Answers with a status and nothing else. */
export function status(
  code: number,
  headers: Record<string, string> = {},
): NonNullable<VectorServer['instead']> {
  return (_, response) => void response.writeHead(code, headers).end('no such key or model');
}
