/** `dripstone ui`: the memory as a page in this machine's browser. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import { type Arguments, type Command, printJson, value, flag } from '../command.js';
import { homeOf } from '../config.js';
import { AppError, EXIT, type ExitCode, messageOf, usage } from '../errors.js';
import type { Io } from '../io.js';
import { Tickets } from './guard.js';
import { createServer } from './server.js';
import { Session } from './session.js';

const HOST = '127.0.0.1';

type Server = ReturnType<typeof createAdaptorServer>;

/** A browser opens six connections per server; a process on macOS may open 256 files. */
const MOST_CONNECTIONS = 100;

export const uiCommand: Command = {
  name: 'ui',
  summary: 'look at the memory in the browser',
  usage: '[--port N] [--no-open] [--json]',
  options: {
    port: value('N', 'port on 127.0.0.1; default: any that is free'),
    'no-open': flag('start no browser, e.g. over SSH: open the address on your own machine'),
    json: flag('start no browser, print {"version":1,"url","port"} and keep running'),
  },
  exits: {
    [EXIT.done]: 'ended by Ctrl-C or SIGTERM',
    [EXIT.busy]: 'the store is in use by another process',
  },
  examples: ['dripstone ui', 'dripstone ui --json --port 7070'],
  async run(io, args) {
    if (args.words.length > 0) throw usage('ui takes no words', 'see `dripstone ui --help`');
    const port = args.count('port', 0, 0);
    if (port > 65_535) throw usage(`there is no port ${port}`, 'take one up to 65535');
    return await serve(io, args, port);
  },
};

async function serve(io: Io, args: Arguments, wanted: number): Promise<ExitCode> {
  await using session = new Session(io);
  const tickets = new Tickets(io.clock);
  let port = wanted;
  const server = await listen(
    createServer(session, { tickets, port: () => port, caller: io.caller() }),
    port,
  );
  port = (server.address() as { port: number }).port;
  const redirect = join(homeOf(io.env), 'ui-open.html');
  // After any failure the server must stop, because a listening server keeps the process alive.
  try {
    const url = (): string => `http://${HOST}:${port}/#ticket=${tickets.issue()}`;
    if (args.flag('json')) printJson(io, { url: url(), port });
    else {
      io.out(
        `open  ${url()}\n      (once, within two minutes; Enter prints another address, Ctrl-C ends it)\n`,
      );
      if (!args.flag('no-open')) openBrowser(io, redirect, url());
    }
    if (io.terminal) void offerMore(io, url);
    await new Promise<void>((resolve) => {
      if (io.signal.aborted) resolve();
      io.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    rmSync(redirect, { force: true });
    await close(server);
  }
  return EXIT.done;
}

/** A closed page needs a new URL, because only its tab had the key. */
async function offerMore(io: Io, url: () => string): Promise<void> {
  for await (const _ of io.lines()) {
    if (io.signal.aborted) return;
    io.out(`open  ${url()}\n`);
  }
}

function listen(app: Hono, port: number): Promise<Server> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      requestTimeout: 30_000,
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16_384,
    },
  }) as HttpServer;
  // Anybody on this machine may connect. If no file descriptor is left, DuckDB ends the process at
  // the next query.
  server.maxConnections = MOST_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(
        new AppError('NOT_LISTENING', `port ${port} cannot be opened: ${messageOf(cause)}`, {
          hint:
            cause.code === 'EADDRINUSE'
              ? 'another program has it: name another one, or leave --port out'
              : 'name another one',
          cause,
        }),
      );
    });
    server.listen({ port, host: HOST }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    (server as { closeAllConnections?: () => void }).closeAllConnections?.();
  });
}

const OPENERS: Partial<Record<NodeJS.Platform, [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * Starts the person's browser. Others on the machine may read a program's arguments, so the browser
 * opens a private file that redirects to the URL.
 */
function openBrowser(io: Io, redirect: string, url: string): void {
  const [program, ...before] = OPENERS[process.platform] ?? [];
  const isScreen =
    process.platform !== 'linux' || Boolean(io.env['DISPLAY'] ?? io.env['WAYLAND_DISPLAY']);
  const isHere =
    io.terminal && isScreen && !io.env['SSH_CONNECTION'] && io.caller().kind === 'person';
  if (
    program === undefined ||
    io.runProgram === undefined ||
    !isHere ||
    !existsSync(homeOf(io.env))
  )
    return;
  rmSync(redirect, { force: true });
  writeFileSync(
    redirect,
    `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}">\n`,
    { mode: 0o600, flag: 'wx' },
  );
  // Without a browser, the person can use the printed URL.
  io.runProgram(program, [...before, pathToFileURL(redirect).href]).catch(() => undefined);
}
