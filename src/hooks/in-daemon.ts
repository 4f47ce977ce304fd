/**
 * Has a reading command run by the daemon of this home, which keeps the store, the words and the
 * model warm. Whatever goes wrong before the first word, the command runs in this process instead.
 */
import { connect, type Socket } from 'node:net';
import { homeOf, packageVersion } from '../config.js';
import { AppError, EXIT, type ExitCode } from '../errors.js';
import {
  socketIn,
  SENT,
  type CommandRequest,
  type CommandInput,
  type CommandSaid,
  readLines,
} from './wire.js';
import type { Io } from '../io.js';

/**
 * How long to wait until the daemon says that it takes the command; its loop is never blocked for
 * longer than 50 ms.
 */
const PATIENCE_MS = 250;
/** Longest line that a daemon of ours sends. */
const MOST_SAID = 256 * 1024 * 1024;

/**
 * @returns null when no daemon takes the command, or it ended before it printed anything
 * @throws AppError when it is interrupted, or the daemon ends in the middle of the answer
 */
export function runInDaemon(argv: readonly string[], io: Io): Promise<ExitCode | null> {
  const path = socketIn(homeOf(io.env));
  if (path === null || io.lend !== undefined) return Promise.resolve(null);
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let [isBegun, isOver] = [false, false];
    const timer = setTimeout(() => socket.destroy(), PATIENCE_MS);
    const interrupt = (): void => void socket.destroy();
    io.signal.addEventListener('abort', interrupt, { once: true });
    const end = (code: ExitCode | null): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      io.signal.removeEventListener('abort', interrupt);
      socket.destroy();
      if (io.signal.aborted)
        reject(new AppError('INTERRUPTED', 'interrupted', { exitCode: EXIT.interrupted }));
      else if (code === null && isBegun) reject(endedEarly());
      else resolve(code);
    };
    socket.on('error', () => end(null)).on('close', () => end(null));
    socket.on('connect', () => void send(socket, askedFor(argv, io)));
    readLines(socket, MOST_SAID, (line) => {
      const said = JSON.parse(line) as CommandSaid;
      clearTimeout(timer);
      if ('code' in said) return end(said.code as ExitCode);
      if ('taken' in said) return;
      isBegun = true;
      if ('out' in said) io.out(said.out);
      else if ('err' in said) io.err(said.err);
      else if ('paint' in said) (io.paint ?? io.out)(said.paint);
      else if ('lines' in said) void sendInput(socket, io);
    });
  });
}

function endedEarly(): AppError {
  return new AppError('DAEMON_ENDED', 'the daemon ended before it had answered', {
    hint: 'run the same command again: nothing was changed',
    exitCode: EXIT.error,
  });
}

function askedFor(
  argv: readonly string[],
  { env, cwd, caller, screen, outIsTerminal = false }: Io,
): CommandRequest {
  const sent = SENT.flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  );
  const who = {
    caller: caller(),
    env: Object.fromEntries(sent),
    screen: screen ?? null,
    outIsTerminal,
  };
  return { version: 1, ask: 'command', program: packageVersion(), argv: [...argv], cwd, ...who };
}

async function sendInput(socket: Socket, io: Io): Promise<void> {
  for await (const line of io.lines()) send(socket, { line });
  send(socket, { end: true });
}

function send(socket: Socket, line: CommandRequest | CommandInput): void {
  if (!socket.destroyed) socket.write(`${JSON.stringify(line)}\n`);
}
