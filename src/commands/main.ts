/** Runs a command line: finds the command, parses its options, prints its error once. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { nearest } from '../text/nearest.js';
import {
  AppError,
  EXIT,
  type ExitCode,
  messageOf,
  systemError,
  visible,
  usage,
} from '../errors.js';
import { homeOf, packageVersion, pathsOf } from '../config.js';
import { coloured, showsColour, wrapped, type Screen } from './screen.js';
import { argumentsOf, columns, renderHelp, type Command } from '../command.js';
import {
  COMMAND_NAMES,
  loadCommand,
  isPlain,
  loadCommands,
  runsInDaemon,
  REMOVED,
} from './index.js';
import type { Io } from '../io.js';

/**
 * Runs one command line. Never throws: errors are printed to `io.err` and turned into the exit
 * code.
 */
export async function main(argv: string[], world: Io): Promise<ExitCode> {
  // Makes escapes in all output visible, since a command may quote foreign text.
  const debug = argv.includes('--debug');
  const words = argv.filter((word) => word !== '--debug');
  const { columns } = world;
  const screen = words.includes('--json') || isPlain(words) ? undefined : world.screen;
  const io: Io = {
    ...world,
    run: runFor,
    out: (text) => world.out(screen === undefined ? visible(text) : laidOut(text, screen, world)),
    err: (text) =>
      world.err(
        world.terminal && columns !== undefined ? wrapped(visible(text), columns()) : visible(text),
      ),
    draw: (text) => world.err(text),
    paint: (text) => world.out(text),
  };
  try {
    return await dispatch(words, io, debug);
  } catch (error) {
    return report(error, io, debug);
  }
}

/** Fits the lines of a text to a terminal and colours failures, successes and headings. */
function laidOut(text: string, { columns }: Screen, { env }: Io): string {
  const fitted = wrapped(visible(text), columns);
  return showsColour(env) ? coloured(fitted) : fitted;
}

async function dispatch(argv: string[], io: Io, debug: boolean): Promise<ExitCode> {
  const [name, ...rest] = argv;
  if (name === undefined && isLookedAt(io)) return (await import('./status.js')).printBriefly(io);
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const [topic] = name === 'help' ? rest : [];
    if (topic === '--all') io.out((await loadCommands()).map(renderHelp).join('\n'));
    else if (topic !== undefined) io.out(renderHelp(await commandNamed(topic)));
    else io.out(overview(await loadCommands()));
    return name === undefined ? EXIT.usage : EXIT.done;
  }
  if (name === '--version' || name === 'version') {
    io.out(`${packageVersion()}\n`);
    return EXIT.done;
  }
  const code = !debug && runsInDaemon(argv) ? await inDaemon(argv, io) : null;
  return code ?? runCommand(await commandNamed(name), rest, io);
}

/** Loaded on demand, since version and help need no daemon. */
async function inDaemon(argv: readonly string[], io: Io): Promise<ExitCode | null> {
  return (await import('../socket/in-daemon.js')).runInDaemon(argv, io);
}

/**
 * Runs a command for another process that prints: {@link main} without the terminal. Never throws.
 */
export async function runFor([name = '', ...rest]: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await runCommand(await commandNamed(name), rest, io);
  } catch (error) {
    return report(error, io, false);
  }
}

/** Whether to print a short status, not the help: for a person at a terminal with a memory. */
function isLookedAt(io: Io): boolean {
  return (
    io.outIsTerminal === true &&
    io.key !== undefined &&
    existsSync(pathsOf(homeOf(io.env)).store) &&
    io.caller().kind === 'person'
  );
}

async function commandNamed(name: string): Promise<Command> {
  const command = await loadCommand(name);
  if (command) return command;
  if (Object.hasOwn(REMOVED, name)) throw usage(`the command ${name} was removed`, REMOVED[name]!);
  const near = nearest(name, COMMAND_NAMES);
  throw usage(
    `there is no command ${name}`,
    `${near === null ? '' : `did you mean \`dripstone ${near}\`? `}\`dripstone --help\` lists all`,
  );
}

async function runCommand(command: Command, argv: string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = parse(command, argv);
  if (values['help'] === true) {
    io.out(renderHelp(command));
    return EXIT.done;
  }
  return command.run(io, argumentsOf(command, values, positionals));
}

function parse(command: Command, argv: string[]) {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type }]) => [name, { type }]),
  );
  try {
    return parseArgs({
      args: argv,
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
      strict: true,
    });
  } catch (cause) {
    const message = messageOf(cause);
    const unknown = /Unknown option '(--?[^']*)'/.exec(message)?.[1];
    const near =
      unknown && nearest(unknown.replace(/^-+/, ''), [...Object.keys(command.options), 'help']);
    throw usage(
      unknown ? `dripstone ${command.name} has no option ${unknown}` : message,
      near
        ? `did you mean --${near}? \`dripstone ${command.name} --help\` lists all`
        : `see \`dripstone ${command.name} --help\``,
    );
  }
}

function overview(commands: readonly Command[]): string {
  return [
    'dripstone: memory for coding agents, made from the session logs they already write.',
    '',
    'usage: dripstone COMMAND [options]',
    '',
    ...columns(commands.map((command) => [command.name, command.summary])),
    '',
    'options everywhere: --help, --debug (show where an error came from); --version alone prints the version.',
    'Start with `dripstone run`, then `dripstone context` in a project folder.',
    '',
  ].join('\n');
}

function report(thrown: unknown, io: Io, debug: boolean): ExitCode {
  const error = thrown instanceof AppError ? thrown : (systemError(thrown) ?? thrown);
  if (error instanceof AppError) {
    io.err(`dripstone: ${error.message}\n`);
    if (error.hint) io.err(`  next: ${error.hint}\n`);
    if (debug)
      io.err(
        `${error.stack ?? ''}\n${error.cause instanceof Error ? (error.cause.stack ?? '') : ''}\n`,
      );
    return error.exitCode;
  }
  if (io.signal.aborted) {
    io.err('interrupted\n');
    return EXIT.interrupted;
  }
  io.err(`dripstone: internal fault: ${messageOf(error)}\n`);
  io.err(
    '  next: run the same command with --debug and report what it prints; your logs and memory were not changed by this ' +
      'message\n',
  );
  if (debug && error instanceof Error) io.err(`${error.stack ?? ''}\n`);
  return EXIT.internal;
}
