/** The daemon's side of reading commands: runs them on its open store and sends their output. */
import type { App } from '../app.js';
import { packageVersion } from '../config.js';
import {
  MOST_ASKED,
  SENT,
  type CommandRequest,
  type CommandInput,
  type CommandMessage,
  readLines,
} from '../wire.js';
import type { Asker } from './server.js';
import type { Io } from '../io.js';

/** Runs a command line as its own process does. Never throws. @returns the exit code */
export type RunFor = (argv: readonly string[], io: Io) => Promise<number>;

/** Most commands at once; more only wait for the processor. Their own processes are as fast. */
const MOST_COMMANDS = 4;

export class Commands {
  private running = 0;

  /** @param isCurrent false while config.yaml has other options than this daemon */
  constructor(
    private readonly app: App,
    private readonly run: RunFor,
    private readonly isCurrent: () => Promise<boolean>,
  ) {}

  /** Sends nothing if the asking process should run the command itself. */
  async serve(request: object, asker: Asker): Promise<void> {
    const [asked, { app }] = [request as CommandRequest, this];
    if (this.running >= MOST_COMMANDS || !isOurs(asked, app) || !(await this.isCurrent())) return;
    this.running++;
    const say = (message: CommandMessage): void => void asker.say(message);
    say({ taken: true });
    try {
      say({ code: await this.run(asked.argv, ioOf(asked, asker, app)) });
    } finally {
      this.running--;
    }
  }
}

/** Whether a request has this version, and its process the same home folder and time zone. */
function isOurs({ program, argv, cwd, caller, env }: CommandRequest, app: App): boolean {
  const areTexts =
    Array.isArray(argv) &&
    argv.every((each) => typeof each === 'string') &&
    typeof cwd === 'string';
  if (
    !areTexts ||
    typeof caller !== 'object' ||
    typeof env !== 'object' ||
    program !== packageVersion()
  )
    return false;
  return (['HOME', 'USERPROFILE', 'TZ', 'CLAUDE_CONFIG_DIR'] as const).every(
    (name) => env[name] === app.env[name],
  );
}

function ioOf(
  { cwd, caller, env, screen, outIsTerminal }: CommandRequest,
  asker: Asker,
  app: App,
): Io {
  const say = (message: CommandMessage): void => void asker.say(message);
  return {
    env: { ...app.env, ...Object.fromEntries(SENT.map((name) => [name, env[name]])) },
    cwd,
    clock: app.clock,
    signal: asker.signal,
    out: (out) => say({ out }),
    err: (err) => say({ err }),
    paint: (paint) => say({ paint }),
    terminal: false,
    outIsTerminal,
    ...(screen !== null && { screen }),
    caller: () => caller,
    lines: () => inputOf(asker),
    lend: () => Promise.resolve(app),
  };
}

/** Standard input of the asking process. */
async function* inputOf({ socket, signal, say }: Asker): AsyncGenerator<string> {
  const waiting: CommandInput[] = [];
  let wake = (): void => {};
  const off = readLines(socket, MOST_ASKED, (line) => {
    waiting.push(JSON.parse(line) as CommandInput);
    wake();
  });
  signal.addEventListener('abort', () => wake(), { once: true });
  void say({ lines: true } satisfies CommandMessage);
  try {
    while (!signal.aborted) {
      const next = waiting.shift();
      if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else if ('line' in next) yield next.line;
      else return;
    }
  } finally {
    off();
  }
}
