/** `dripstone ui`: the memory as a page in this machine's browser, and as an HTTP API. */
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import { type Arguments, type Command, printJson } from '../commands/command.js';
import { homeOf } from '../config.js';
import { AppError, EXIT, type ExitCode, messageOf, usage } from '../errors.js';
import { Tickets } from './guard.js';
import { createServer } from './server.js';
import { Session } from './session.js';
import type { Io } from '../io.js';

/** The longest path of a socket that every system takes (macOS: 104 bytes with the end). */
const MOST_SOCKET_BYTES = 103;
const HOST = '127.0.0.1';

type Server = ReturnType<typeof createAdaptorServer>;

/** A browser holds six to a server; a process has 256 file descriptors on macOS. */
const MOST_CONNECTIONS = 100;

export const uiCommand: Command = {
  name: 'ui',
  summary: 'look at the memory in the browser; HTTP API for scripts',
  usage: '[--port N] [--no-open] [--json]',
  options: {
    port: { type: 'string', value: 'N', help: 'port on 127.0.0.1; default: any that is free' },
    'no-open': { type: 'boolean', help: 'print the address only, start no browser' },
    json: { type: 'boolean', help: 'print {"version":1,"url","port","socket"} and keep running' },
  },
  exits: {
    [EXIT.done]: 'ended by Ctrl-C or SIGTERM',
    [EXIT.busy]: 'the store is in use by another process',
  },
  examples: ['dripstone ui', 'dripstone ui --no-open --port 7070'],
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
  const page = await listen(
    createServer(session, { tickets, port: () => port, caller: io.caller() }),
    { port, host: HOST },
  );
  port = (page.address() as { port: number }).port;
  const redirect = join(homeOf(io.env), 'ui-open.html');
  let socket: { server: Server; path: string } | null = null;
  // Whatever fails from here on: a server that still listens would keep the process alive for ever.
  try {
    socket = await openSocket(io, createServer(session, null));
    const url = (): string => `http://${HOST}:${port}/#ticket=${tickets.issue()}`;
    if (args.flag('json')) printJson(io, { url: url(), port, socket: socket?.path ?? null });
    else io.out(greeting(url(), socket?.path ?? null));
    if (!args.flag('no-open')) openBrowser(io, redirect, url());
    if (io.terminal) void offerMore(io, url);
    await new Promise<void>((resolve) => {
      if (io.signal.aborted) resolve();
      io.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    if (existsSync(redirect)) rmSync(redirect, { force: true });
    for (const server of [page, ...(socket === null ? [] : [socket.server])]) await close(server);
  }
  return EXIT.done;
}

function greeting(url: string, socket: string | null): string {
  return [
    `open  ${url}`,
    '      (once, within two minutes; Enter prints another address, Ctrl-C ends it)',
    ...(socket === null
      ? []
      : [`API   curl --unix-socket ${socket} http://localhost/openapi.json`]),
    '',
  ].join('\n');
}

/** A page that was closed needs a new address: its key was in that tab alone. */
async function offerMore(io: Io, url: () => string): Promise<void> {
  for await (const _ of io.lines()) {
    if (io.signal.aborted) return;
    io.out(`open  ${url()}\n`);
  }
}

function listen(
  app: Hono,
  where: { port: number; host: string } | { path: string },
): Promise<Server> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      requestTimeout: 30_000,
      headersTimeout: 5_000,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: 16_384,
    },
  }) as HttpServer;
  // Anybody on this machine may connect. With every file descriptor taken DuckDB ends the process
  // at its next question.
  server.maxConnections = MOST_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const name = 'port' in where ? `port ${where.port}` : where.path;
      reject(
        new AppError('NOT_LISTENING', `${name} cannot be opened: ${messageOf(cause)}`, {
          hint:
            cause.code === 'EADDRINUSE'
              ? 'another program has it: name another one, or leave --port out'
              : 'name another one',
          cause,
        }),
      );
    });
    server.listen(where, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    (server as { closeAllConnections?: () => void }).closeAllConnections?.();
  });
}

/**
 * The socket that only its owner may open. Null where there can be none: Windows has no such rights
 * on one, a path may be too long, and another server of this home keeps its own.
 */
async function openSocket(io: Io, app: Hono): Promise<{ server: Server; path: string } | null> {
  const path = join(homeOf(io.env), 'ui.sock');
  if (
    process.platform === 'win32' ||
    Buffer.byteLength(path) > MOST_SOCKET_BYTES ||
    !existsSync(homeOf(io.env))
  )
    return null;
  if (existsSync(path) && (await isServed(path))) return null;
  // Between making it and the change of its rights nobody else may open it either.
  process.umask(0o077);
  try {
    rmSync(path, { force: true });
    const server = await listen(app, { path });
    chmodSync(path, 0o600);
    return { server, path };
  } catch (error) {
    // A home that is mounted read-only, or a file system without sockets: the page needs none.
    io.err(`dripstone: scripts have no socket: ${messageOf(error)}\n`);
    return null;
  }
}

/** Whether somebody listens, or the socket was left by a process that is gone. */
function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

const OPENERS: Partial<Record<NodeJS.Platform, [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/**
 * Starts the person's browser. Others on the machine may read a program's arguments, so it is given
 * a file that only its owner may read and that leads on to the address.
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
  // Without a browser the printed address is there.
  io.runProgram(program, [...before, pathToFileURL(redirect).href]).catch(() => undefined);
}
