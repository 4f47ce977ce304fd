/** Calls the server: sends the token, waits while the store is busy, shows the server's errors. */
import type { Problem } from '../wire.js';

/** An error with the server's message. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly next: string,
  ) {
    super(message);
  }
}

/** State of the connection for a person: normal, the store is busy, or closed. */
export type Connection = { state: 'open' } | { state: 'busy'; text: string } | { state: 'closed' };

const MOST_WAITS = 60;

export class Api {
  /** @param report gets whether the store is busy and whether the page is closed */
  constructor(
    readonly token: string,
    private readonly report: (line: Connection) => void,
  ) {}

  get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return this.ask<T>('GET', path, undefined, signal);
  }

  send<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> {
    return this.ask<T>(method, path, body);
  }

  /** 423 means that the server did nothing, so even an edit can be sent again. */
  private async ask<T>(
    method: string,
    path: string,
    body?: object,
    signal?: AbortSignal,
  ): Promise<T> {
    for (let waits = 0; ; waits++) {
      const response = await fetched(path, {
        method,
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      });
      if (response.ok) {
        this.report({ state: 'open' });
        return (await response.json()) as T;
      }
      const refusal = await refusalOf(response);
      if (response.status === 401) this.report({ state: 'closed' });
      if (response.status !== 423 || waits >= MOST_WAITS) throw refusal;
      const seconds = Math.min(Math.max(Number(response.headers.get('retry-after')) || 1, 1), 10);
      this.report({ state: 'busy', text: `${refusal.message}: trying again` });
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      signal?.throwIfAborted();
    }
  }
}

/** Exchanges the ticket in the page's URL for the token, once. */
export async function tokenFor(ticket: string): Promise<string | null> {
  const response = await fetched('/ticket', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ticket }),
  });
  return response.ok ? ((await response.json()) as { token: string }).token : null;
}

async function fetched(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, {
      ...init,
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
    });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Refusal(
      0,
      'GONE',
      'nothing answers behind this page',
      'type `dripstone ui` in a terminal and use the page that it opens',
    );
  }
}

async function refusalOf(response: Response): Promise<Refusal> {
  const problem = (await response.json().catch(() => null)) as Problem | null;
  const { code, message, next } = problem?.error ?? {
    code: 'UNKNOWN',
    message: `the server answered ${response.status}`,
    next: '',
  };
  return new Refusal(response.status, code, message, next);
}
