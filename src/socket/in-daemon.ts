/**
 * Sends a reading command to this home's daemon, which keeps the store, the words and the model
 * loaded. If that fails before the first output, the command runs in this process.
 */
import type { Socket } from 'node:net';
import { homeOf, packageVersion } from '../config.js';
import { AppError, EXIT, type ExitCode } from '../errors.js';
import {
  say,
  SENT,
  talk,
  type CommandInput,
  type CommandRequest,
  type CommandMessage,
} from '../wire.js';
import type { Io } from '../io.js';

/** How long to wait until the daemon takes the command; its event loop answers much sooner. */
const PATIENCE_MS = 250;

/**
 * Runs a command in the daemon.
 * @returns null if no daemon takes the command, or it ended before it printed anything
 * @throws AppError if the command is interrupted, or the daemon ends during the answer
 */
export async function runInDaemon(argv: readonly string[], io: Io): Promise<ExitCode | null> {
  if (io.lend !== undefined) return null;
  const ending: { code: ExitCode | null; isBegun: boolean } = { code: null, isBegun: false };
  await talk<CommandMessage>(homeOf(io.env), askedFor(argv, io), {
    ...{ patienceMs: PATIENCE_MS, signal: io.signal },
    onMessage(message, socket) {
      if ('taken' in message) return;
      if ('code' in message) ending.code = message.code as ExitCode;
      if ('code' in message) return void socket.destroy();
      ending.isBegun = true;
      if ('out' in message) io.out(message.out);
      else if ('err' in message) io.err(message.err);
      else if ('paint' in message) (io.paint ?? io.out)(message.paint);
      else if ('lines' in message) void sendInput(socket, io);
    },
  });
  if (io.signal.aborted)
    throw new AppError('INTERRUPTED', 'interrupted', { exitCode: EXIT.interrupted });
  if (ending.code === null && ending.isBegun) throw endedEarly();
  return ending.code;
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
  return {
    ...{ version: 1, ask: 'command', program: packageVersion(), argv: [...argv], cwd },
    ...{ caller: caller(), env: Object.fromEntries(sent), screen: screen ?? null, outIsTerminal },
  };
}

async function sendInput(socket: Socket, io: Io): Promise<void> {
  for await (const line of io.lines()) void say(socket, { line } satisfies CommandInput);
  void say(socket, { end: true } satisfies CommandInput);
}
