/** Failures that a person may see: what happened, to which file, and the next step. */

/** Exit codes of the CLI (one list for code, docs and supervisors). */
export const EXIT = {
  done: 0,
  error: 1,
  usage: 2,
  partial: 3,
  noStore: 10,
  busy: 11,
  daemonRuns: 12,
  config: 13,
  notWritable: 14,
  internal: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export class AppError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly exitCode: ExitCode;

  /**
   * @param code stable upper-case name, e.g. `STORE_BUSY`
   * @param message what happened, with the file
   * @param options `hint`: the next step; `exitCode`: one of EXIT
   */
  constructor(
    code: string,
    message: string,
    options: { hint?: string; exitCode?: ExitCode; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.hint = options.hint ?? '';
    this.exitCode = options.exitCode ?? EXIT.error;
  }
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Errors of the operating system: code, our message and the next step. */
const SYSTEM: [RegExp, string, string, string, ExitCode][] = [
  [
    /\b(EMFILE|ENFILE)\b|too many open files/i,
    'TOO_MANY_FILES',
    'the system allows too few open files for this process',
    'allow more (`ulimit -n 1024`; under systemd LimitNOFILE=1024) and run the same command again; nothing is lost',
    EXIT.error,
  ],
  [
    /\b(ENOSPC|EDQUOT)\b|no space left on device/i,
    'DISK_FULL',
    'no space left on the disk',
    'free some space and run the same command again; what was there before stays',
    EXIT.error,
  ],
  [
    /\bEROFS\b|read-only file system/i,
    'NOT_WRITABLE',
    'the disk is mounted read-only',
    'mount it writable, or set DRIPSTONE_HOME to a folder that is',
    EXIT.notWritable,
  ],
];

/** Turns a system error that a person can fix into one with the next step; else null. */
export function systemError(error: unknown): AppError | null {
  const message = messageOf(error);
  const found = SYSTEM.find(([pattern]) => pattern.test(message));
  if (found === undefined) return null;
  const [, code, what, hint, exitCode] = found;
  return new AppError(code, `${what}: ${message.split('\n')[0]!.slice(0, 300)}`, {
    hint,
    exitCode,
    cause: error,
  });
}

/**
 * Control characters except line ends and tabs, the C1 set (0x9b alone begins a sequence), and
 * characters that change the direction of writing.
 */

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes text safe for a terminal, because most texts are from others: logs, pages, file names,
 * branches. Control characters appear as `\u001b`, as in JSON, so printed JSON stays valid.
 */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(HIDDEN, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A usage error: exit 2. */
export function usage(message: string, hint: string): AppError {
  return new AppError('USAGE', message, { hint, exitCode: EXIT.usage });
}
