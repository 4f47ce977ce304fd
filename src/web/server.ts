/** The HTTP server: guards, the page's files, and the table of routes. */
import { readFile } from 'node:fs/promises';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { timeout } from 'hono/timeout';
import { AppError, EXIT } from '../errors.js';
import { compiledFile } from '../place.js';
import type { Caller } from '../types.js';
import { bearer, headers, isShell, origins, type Tickets } from './guard.js';
import { answerOf, Refusal } from './problem.js';
import { ROUTES } from './routes.js';
import type { Session } from './session.js';
import type { z } from 'zod';
import { isObject, parseAny } from '../text/fields.js';

const MOST_BODY = 1024 * 1024;
/** A first search loads the model, which is slow on a slow disk. */
const ANSWER_MS = 60_000;

/** Tickets and caller of the pages in the person's browser, for this start of the server. */
interface PageSide {
  tickets: Tickets;
  port: () => number;
  /** Who opened the page: the person, or an agent. */
  caller: Caller;
}

export function createServer(session: Session, { tickets, port, caller }: PageSide): Hono {
  const app = new Hono();
  app.onError((error, c) => answerOf(error, c));
  app.notFound((c) =>
    answerOf(
      new Refusal(
        404,
        new AppError('NOT_FOUND', `there is no ${c.req.path}`, { hint: 'docs/cli.md lists all' }),
      ),
      c,
    ),
  );
  app.use(headers, origins(port));
  app.use(timeout(ANSWER_MS, () => tooLong() as never));
  app.use(
    bodyLimit({ maxSize: MOST_BODY, onError: (c) => answerOf(new Refusal(413, tooLarge()), c) }),
  );
  addPage(app, tickets);
  for (const { method, path, takes, storeless = false, answer } of ROUTES)
    app.on(method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c) => {
      const wanted = await wantedOf(takes, c);
      const optional = { storeOptional: storeless, configOptional: storeless || method === 'get' };
      const found = await session.answer(caller, optional, (lent, io) => answer(lent, wanted, io));
      return c.json({ version: 1, ...found });
    });
  return app;
}

function tooLarge(): AppError {
  return new AppError('TOO_LARGE', 'the body is larger than 1 MiB', {
    hint: 'send it in several requests',
  });
}

function tooLong(): AppError {
  return new AppError('TOO_LONG', `no answer within ${ANSWER_MS / 1000} s`, {
    hint: 'ask for less, or again: the work may be done by now',
    exitCode: EXIT.interrupted,
  });
}

const FILES: Record<string, [file: string, type: string]> = {
  '/': ['web/index.html', 'text/html; charset=utf-8'],
  '/page.js': ['web/page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['web/page.css', 'text/css; charset=utf-8'],
};

/** Adds the page, the exchange of a ticket for its key, and the check of the key elsewhere. */
function addPage(app: Hono, tickets: Tickets): void {
  for (const [path, [file, type]] of Object.entries(FILES))
    app.get(path, async (c) =>
      c.body(await readFile(compiledFile(file)), 200, { 'Content-Type': type }),
    );
  app.post('/ticket', async (c) => {
    const { ticket } = await bodyOf(c);
    const token = typeof ticket === 'string' ? tickets.exchange(ticket) : null;
    if (token === null)
      throw new Refusal(
        401,
        new AppError('NOT_OPEN', 'this address was used before, or is too old', {
          hint: 'type `dripstone ui`',
        }),
      );
    return c.json({ version: 1, token });
  });
  const check = bearer(tickets);
  app.use(async (c, next) => (isShell(c) || c.req.path === '/ticket' ? next() : check(c, next)));
}

/** @throws Refusal 415 or 400 for anything but a JSON object */
async function bodyOf(c: Context): Promise<Record<string, unknown>> {
  const text = await c.req.text();
  if (text === '') return {};
  // A form of another page can send text, but not this type without a preflight request.
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
    throw new Refusal(
      415,
      new AppError('USAGE', 'the body is not application/json', {
        hint: 'set Content-Type: application/json',
      }),
    );
  const value = parseAny(text);
  if (isObject(value)) return value;
  throw new Refusal(
    400,
    new AppError('USAGE', 'the body is not a JSON object', {
      hint: 'docs/cli.md lists what each path takes',
    }),
  );
}

/** The fields of a request, checked by its route; unknown fields are refused. */
async function wantedOf<Takes extends z.ZodObject>(
  takes: Takes,
  c: Context,
): Promise<z.infer<Takes>> {
  const isRead = c.req.method === 'GET' || c.req.method === 'DELETE';
  const fields = { ...(isRead ? c.req.query() : await bodyOf(c)), ...c.req.param() };
  const parsed = takes.strict().safeParse(fields);
  if (parsed.success) return parsed.data as z.infer<Takes>;
  const [issue] = parsed.error.issues;
  const place = issue!.path.length === 0 ? '' : `${issue!.path.join('.')}: `;
  throw new Refusal(
    400,
    new AppError('USAGE', `${place}${issue!.message}`, {
      hint: 'docs/cli.md lists what each path takes',
    }),
  );
}
