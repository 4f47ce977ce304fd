/** Connects the process to `main` and turns its result into the exit code. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { callerOf } from '../caller.js';
import { systemClock } from '../clock.js';
import { readEnvironment } from '../config.js';
import { EXIT, systemError, visible } from '../errors.js';
import { main } from './main.js';

// An uncaught error ends the process. A supervisor restarts it, and it reads logs again from the
// last commit.
function crash(error: unknown): void {
  const known = systemError(error);
  if (known !== null) {
    process.stderr.write(visible(`dripstone: ${known.message}\n  next: ${known.hint}\n`));
    // `start` always reports an internal error, since a supervisor does not restart it for an
    // unwritable home.
    process.exit(process.argv[2] === 'start' ? EXIT.internal : known.exitCode);
  }
  process.stderr.write(
    visible(
      `dripstone: internal fault: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    ),
  );
  process.exit(EXIT.internal);
}

function runProgram(program: string, args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit' });
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? EXIT.error));
  });
}

/** Input within this time was typed before the question was visible. */
const UNSEEN_MS = 150;

/** Reads one chunk of input: a key, the sequence of a special key, or pasted text. */
function readKey(signal: AbortSignal): Promise<string | null> {
  const { stdin } = process;
  return new Promise((resolve) => {
    let isSeen = false;
    const timer = setTimeout(() => (isSeen = true), UNSEEN_MS);
    const end = (key: string | null): void => {
      clearTimeout(timer);
      stdin.off('data', onData).off('end', onEnd);
      signal.removeEventListener('abort', onEnd);
      stdin.setRawMode(false).pause();
      resolve(key);
    };
    const onData = (bytes: Buffer): void => {
      const key = bytes.toString('utf8');
      // Ctrl-C ends it whenever it is typed.
      if (isSeen || key.includes('\u0003')) end(isSeen ? key : '\u0003');
    };
    const onEnd = (): void => end(null);
    stdin.on('data', onData).once('end', onEnd);
    signal.addEventListener('abort', onEnd);
    stdin.setRawMode(true).resume();
  });
}

/** Lets a person edit a line. Ctrl-C cancels the question, not the command. */
function askLine(question: string, text: string, signal: AbortSignal): Promise<string | null> {
  const reader = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: true,
    historySize: 0,
  });
  return new Promise((resolve) => {
    let answer: string | null = null;
    const cancel = (): void => reader.close();
    signal.addEventListener('abort', cancel);
    reader.once('SIGINT', cancel).once('close', () => {
      signal.removeEventListener('abort', cancel);
      resolve(answer);
    });
    reader.question(question, (line) => {
      answer = line;
      reader.close();
    });
    // The text counts as typed input, so control characters are removed.
    reader.write(text.replace(/[\p{C}\s]+/gu, ' '));
  });
}

/** Runs until the command is done. */
export async function runProcess(): Promise<void> {
  const stop = new AbortController();
  function interrupt() {
    // The second Ctrl-C ends the process at once.
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort();
  }
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  // If a parent started this program with a channel and ended, nobody reads the answer.
  if (process.connected) process.once('disconnect', interrupt).channel?.unref();
  else if (process.disconnect !== undefined) process.exit(EXIT.interrupted);
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
  // `dripstone … | head` closes our output early; this is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done);
    throw error;
  });

  // Standard error was closed: the work continues.
  process.stderr.on('error', () => {});

  const env = readEnvironment();
  process.exitCode = await main(process.argv.slice(2), {
    env,
    caller: () => callerOf(env, process.ppid),
    cwd: process.cwd(),
    clock: systemClock,
    signal: stop.signal,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    terminal: process.stderr.isTTY === true,
    columns: () => process.stderr.columns || 80,
    outIsTerminal: process.stdout.isTTY === true,
    ...(process.stdout.isTTY === true && {
      screen: { columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 },
    }),
    runProgram,
    ...(process.stdin.isTTY === true && {
      key: () => readKey(stop.signal),
      ask: (question: string, text: string) => askLine(question, text, stop.signal),
    }),
    // An open reader of standard input would keep the process alive.
    lines: () =>
      createInterface({ input: process.stdin, crlfDelay: Infinity, signal: stop.signal }),
  });
}
