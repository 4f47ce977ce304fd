/**
 * Checks who sends a request: other pages in the browser, other names of this machine (DNS
 * rebinding) and other users of the machine reach the port, too.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { AppError } from '../errors.js';
import type { Clock } from '../types.js';
import { Refusal } from './problem.js';

/** How long the ticket in the browser's first URL is valid. */
const TICKET_MS = 120_000;

/** The page's key. The ticket is in the URL and in the browser's history, so it works once. */
export class Tickets {
  readonly token = randomBytes(32).toString('base64url');
  private readonly open = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** A new ticket for one page. */
  issue(): string {
    const ticket = randomBytes(24).toString('base64url');
    this.open.set(hashOf(ticket), this.clock.mono() + TICKET_MS);
    return ticket;
  }

  /** @returns the token, or null for a ticket that is unknown, used or old */
  exchange(ticket: string): string | null {
    const until = this.open.get(hashOf(ticket));
    this.open.delete(hashOf(ticket));
    return until !== undefined && this.clock.mono() <= until ? this.token : null;
  }

  knows(token: string): boolean {
    return timingSafeEqual(Buffer.from(hashOf(token)), Buffer.from(hashOf(this.token)));
  }
}

/** Hashes have equal length, so the time of a lookup shows nothing about a ticket. */
function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Only our own files run on the page; nothing else is loaded, and no page may frame it. */
export const headers: MiddlewareHandler = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
  },
  crossOriginResourcePolicy: 'same-origin',
  crossOriginOpenerPolicy: 'same-origin',
  referrerPolicy: 'no-referrer',
  xFrameOptions: 'DENY',
  strictTransportSecurity: false,
});

/** Checks that host and origin are ours. */
export function origins(port: () => number): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header('origin');
    const site = c.req.header('sec-fetch-site');
    const hosts = [`127.0.0.1:${port()}`, `localhost:${port()}`];
    if (!hosts.includes(c.req.header('host') ?? ''))
      throw refused('this server is not known by that name');
    const isForeign = origin !== undefined && !hosts.some((host) => origin === `http://${host}`);
    // A followed link or a typed URL comes from no page of ours and gets only the shell.
    const isOther = site !== undefined && site !== 'same-origin' && site !== 'none' && !isShell(c);
    if (isForeign || isOther) throw refused('another page may not ask here');
    await next();
    c.header('Cache-Control', 'no-store');
  };
}

/** Whether the request is for the page without data. */
export function isShell({ req }: Context): boolean {
  return req.method === 'GET' && ['/', '/page.js', '/page.css'].includes(req.path);
}

export function bearer(tickets: Tickets): MiddlewareHandler {
  return async (c, next) => {
    const token = /^Bearer (\S+)$/.exec(c.req.header('authorization') ?? '')?.[1];
    if (token === undefined || !tickets.knows(token))
      throw new Refusal(
        401,
        new AppError('NOT_OPEN', 'this page is not open', {
          hint: 'type `dripstone ui` in a terminal: each start has a key of its own',
        }),
      );
    await next();
  };
}

function refused(message: string): Refusal {
  return new Refusal(
    403,
    new AppError('FOREIGN', message, { hint: 'open the address that `dripstone ui` prints' }),
  );
}
