/** Turns an error into an answer with its status and the next step. */
import type { Context } from 'hono';
import { AppError, EXIT, messageOf, systemError } from '../errors.js';
import { packageVersion } from '../config.js';

/** An error whose status differs from that of its exit code. */
export class Refusal extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 413 | 415,
    readonly problem: AppError,
  ) {
    super(problem.message);
  }
}

/** Seconds after which a client should try again; a running command mostly ends sooner. */
const RETRY_SECONDS = 2;

const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  LESSON_UNKNOWN: 404,
  LESSON_AMBIGUOUS: 409,
  NOT_NEWEST: 409,
  NOTHING_TO_UNDO: 409,
  PERSON_ONLY: 403,
  PROJECT_UNKNOWN: 404,
  PROJECT_AMBIGUOUS: 409,
  NOT_FOUND: 404,
  TOO_LARGE: 413,
  DISK_FULL: 507,
};
const STATUS_OF_EXIT: Readonly<Record<number, number>> = {
  [EXIT.usage]: 400,
  [EXIT.noStore]: 404,
  [EXIT.busy]: 423,
  [EXIT.config]: 503,
  [EXIT.notWritable]: 503,
  [EXIT.interrupted]: 503,
};

/** The HTTP status of an error. */
function statusOf(error: AppError): number {
  return STATUS_OF_CODE[error.code] ?? STATUS_OF_EXIT[error.exitCode] ?? 500;
}

/** `{"version":1,"error":{"code","message","next"}}` for any thrown value. */
export function answerOf(thrown: unknown, c: Context): Response {
  const refusal = thrown instanceof Refusal ? thrown : null;
  const error =
    refusal?.problem ??
    (thrown instanceof AppError ? thrown : (systemError(thrown) ?? unforeseen(thrown)));
  const status = refusal?.status ?? statusOf(error);
  if (status === 423) c.header('Retry-After', String(RETRY_SECONDS));
  c.header('Cache-Control', 'no-store');
  return c.json(
    { version: 1, error: { code: error.code, message: error.message, next: error.hint ?? '' } },
    status as 400,
  );
}

function unforeseen(thrown: unknown): AppError {
  return new AppError('INTERNAL', `internal fault: ${messageOf(thrown)}`, {
    hint: `report it with what you did and the version (${packageVersion()}); nothing was changed by this message`,
  });
}
