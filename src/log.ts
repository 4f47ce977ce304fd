/**
 * The program's log: stderr for commands, a rotating file for the daemon. All lines are redacted.
 */
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { visible } from './errors.js';
import { createMutex } from './mutex.js';
import type { Logger, pino as Pino } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

interface LogOptions {
  level: string;
  /** Folder of the log file, or null to write to stderr. */
  folder: string | null;
  fileMib: number;
  filesKept: number;
  /** Masks secrets in finished lines. */
  redact(lines: string[]): Promise<string[]>;
  now(): Date;
}

/** The path of the log file in its folder. */
export function logFile(folder: string): string {
  return join(folder, 'dripstone.log');
}

/** Opens the log. `close` waits until every line is written. */
export function openLog(options: LogOptions): { log: Log; close(): Promise<void> } {
  const write =
    options.folder === null
      ? (text: string) => void process.stderr.write(visible(text))
      : fileWriter(options, options.folder);
  const inTurn = createMutex();
  const sink = {
    write(line: string) {
      void inTurn(async () => {
        try {
          const [clean] = await options.redact([line]);
          write(clean!.endsWith('\n') ? clean! : `${clean}\n`);
        } catch {
          // A failed write must not stop the work, and an unredacted line must never be written.
        }
      });
    },
  };
  return {
    log: atFirstLine(options.level, () => makePino(options, sink)),
    close: () => inTurn(() => Promise.resolve()),
  };
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** Most commands log nothing, so pino is loaded when the first line passes the level. */
function atFirstLine(level: string, make: () => Log): Log {
  let log: Log | null = null;
  const least = LEVELS.findIndex((name) => name === level);
  const methods = LEVELS.map(
    (name, rank) =>
      [
        name,
        (...words: [object, string]) => void (rank >= least && (log ??= make())[name](...words)),
      ] as const,
  );
  return Object.fromEntries(methods) as unknown as Log;
}

function makePino({ level, now }: LogOptions, sink: { write(line: string): void }): Log {
  return (createRequire(import.meta.url)('pino') as typeof Pino)(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    sink,
  );
}

function fileWriter(options: LogOptions, folder: string) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = logFile(folder);
  return (text: string) => {
    if (existsSync(file) && statSync(file).size + text.length > options.fileMib * 1024 * 1024)
      rotate(file, options.filesKept);
    appendFileSync(file, text, { mode: 0o600 });
  };
}

/** Renames dripstone.log -> .1 -> .2 … and removes the oldest beyond `kept`. */
function rotate(file: string, kept: number): void {
  rmSync(`${file}.${kept}`, { force: true });
  for (let n = kept - 1; n >= 1; n--)
    if (existsSync(`${file}.${n}`)) renameSync(`${file}.${n}`, `${file}.${n + 1}`);
  if (kept > 0) renameSync(file, `${file}.1`);
  else rmSync(file);
}
