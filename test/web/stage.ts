/** A server over a made home, asked without a network. */
import type { Hono } from 'hono';
import { Tickets } from '../../src/web/guard.js';
import { createServer } from '../../src/web/server.js';
import { Session } from '../../src/web/session.js';
import type { Caller } from '../../src/types.js';
import type { Stage } from '../commands/stage.js';

export const PORT = 4321;

/** JSON of which a test knows the shape. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Known = Record<string, any>;

interface Asked {
  status: number;
  headers: Headers;
  body: Known;
}

export interface Web {
  tickets: Tickets;
  /** As the page asks: with its key, from its own origin. */
  page(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Asked>;
  /** Gives the database back, so that a command may be typed in this process. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

async function ask(
  app: Hono,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Asked> {
  const response = await app.request(path, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : { text },
  };
}

export function openWeb(stage: Stage, caller: Caller = { kind: 'person' }): Web {
  const session = new Session(stage.io());
  const tickets = new Tickets(stage.io().clock);
  const page = createServer(session, { tickets, port: () => PORT, caller });
  const own = {
    host: `127.0.0.1:${PORT}`,
    origin: `http://127.0.0.1:${PORT}`,
    authorization: `Bearer ${tickets.token}`,
  };
  return {
    tickets,
    page: (method, path, body, headers = {}) =>
      ask(page, method, path, body, { ...own, ...headers }),
    rest: () => session.giveBack(),
    close: () => session[Symbol.asyncDispose](),
  };
}
