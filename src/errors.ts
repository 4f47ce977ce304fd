/** Every failure that a person may meet: what happened, to which file, and the next step. Printed once, at the door. */

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
   * @param message what happened, naming the file
   * @param options `hint`: the next step; `exitCode`: one of EXIT
   */
  constructor(code: string, message: string, options: { hint?: string; exitCode?: ExitCode; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.hint = options.hint ?? '';
    this.exitCode = options.exitCode ?? EXIT.error;
  }
}

/** What was thrown, in words; anything may be thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
