import { AppError, EXIT, messageOf } from '../../errors.js';

/** Kinds of failure that a caller treats differently. */
export type FaultKind =
  | 'busy'
  | 'disk-full'
  | 'newer'
  | 'damaged-wal'
  | 'damaged'
  | 'renewed'
  | 'device'
  | 'fatal'
  | 'not-writable'
  | 'no-store'
  | 'memory'
  | 'other';

/** The process that uses the file, from DuckDB's error. */
interface Holder {
  pid: number | null;
  program: string | null;
}

/**
 * Reads the holder from DuckDB's refusal, e.g. `Conflicting lock is held in /usr/bin/node (PID
 * 4242) by user ann`. Both are null on systems that do not name the holder.
 */
export function holderOf(message: string): Holder {
  const match = /lock is held in (.+?) \(PID (\d+)\)/.exec(message);
  if (match) return { program: match[1] ?? null, pid: Number(match[2]) };
  const pid = /PID (\d+)/.exec(message);
  return { program: null, pid: pid ? Number(pid[1]) : null };
}

/**
 * Order matters: a refusal to lock is also an IO error, a damaged WAL also names a checksum, and a
 * SQLite file asks for an extension.
 */
const PATTERNS: [FaultKind, RegExp][] = [
  [
    'busy',
    /could not set lock on file|conflicting lock is held|being used by another process|already open(ed)? in/i,
  ],
  [
    'disk-full',
    /no space left on device|ENOSPC|disk (is )?full|not enough space|EDQUOT|disk quota exceeded|file too large|could not write all bytes/i,
  ],
  ['newer', /database file with version number|storage version .*newer|newer version of duckdb/i],
  // A lack of memory or a failing disk is no damage to the file, so the file stays.
  ['memory', /out of memory|could not allocate/i],
  ['device', /input\/output error|\bEIO\b|fsync failed/i],
  [
    'damaged-wal',
    /replaying wal|wal file.*(corrupt|checksum|invalid)|(corrupt|checksum|invalid).*\bwal\b|wal version/i,
  ],
  [
    'damaged',
    /not a valid duckdb database|checksum|corrupt(ed|ion)?\b|could not read (enough|all) bytes|failed to deserialize|serialization error|load_meta_block|unknown index type|sqlite_scanner/i,
  ],
  ['fatal', /database has been invalidated|FATAL Error/i],
  [
    'not-writable',
    /permission denied|EACCES|EPERM|read-only file system|EROFS|ENOTDIR|not a directory|EEXIST/i,
  ],
  ['no-store', /database does not exist|no such file|does not exist in read-only/i],
];

/** The kind of an error, by its message; an AppError has its own kind. */
export function faultKind(error: unknown): FaultKind {
  if (error instanceof AppError) return KIND_OF_CODE.get(error.code) ?? 'other';
  const message = messageOf(error);
  return PATTERNS.find(([, pattern]) => pattern.test(message))?.[0] ?? 'other';
}

/**
 * After a fatal error every statement of this DuckDB instance fails; a new instance has all
 * commits.
 */
export function isInvalidated(error: unknown): boolean {
  return /FATAL Error|database has been invalidated/i.test(messageOf(error));
}

/** Whether only a restart helps, since the file was deleted, replaced or changed, or is damaged. */
export function isStoreLost(error: unknown): boolean {
  return ['renewed', 'damaged', 'damaged-wal'].includes(faultKind(error));
}

/** One-line description of the process that uses a file: `duckdb (process 4242)`. */
export function describeHolder({ pid, program }: Holder): string {
  const name = program?.split(/[\\/]/).pop();
  if (pid === null) return name ?? 'another process';
  return name ? `${name} (process ${pid})` : `process ${pid}`;
}

/** An error for a person; `message` makes its text from the file's path and the engine's error. */
interface Reading {
  code: string;
  exitCode: (typeof EXIT)[keyof typeof EXIT];
  message: (path: string, reason: string) => string;
  hint: string;
}

const READINGS: Record<Exclude<FaultKind, 'renewed' | 'other'>, Reading> = {
  busy: {
    code: 'STORE_BUSY',
    exitCode: EXIT.busy,
    message: (path, reason) => `${path} is in use by ${describeHolder(holderOf(reason))}`,
    hint: 'close that program or wait for it; nothing is lost, the logs are read later',
  },
  'disk-full': {
    code: 'DISK_FULL',
    exitCode: EXIT.error,
    message: (path) => `no space left on the disk of ${path}`,
    hint: 'free some space; reading continues where it stopped',
  },
  newer: {
    code: 'STORE_NEWER',
    exitCode: EXIT.config,
    message: (path) => `${path} was written by a newer version`,
    hint: 'update dripstone, or move the file away',
  },
  'damaged-wal': {
    code: 'STORE_WAL_DAMAGED',
    exitCode: EXIT.error,
    message: (path) => `the write-ahead log of ${path} is damaged`,
    hint: 'run `dripstone run`: it is quarantined and the logs are read again',
  },
  device: {
    code: 'DISK_FAILS',
    exitCode: EXIT.internal,
    message: (path, reason) => `the disk of ${path} reports an error: ${firstLine(reason)}`,
    hint: 'check the disk; everything committed is kept, and the rest is read again at the next start',
  },
  fatal: {
    code: 'STORE_FAILED',
    exitCode: EXIT.internal,
    message: (path, reason) => `the database engine gave up on ${path}: ${firstLine(reason)}`,
    hint: 'start again; everything committed is kept',
  },
  damaged: {
    code: 'STORE_DAMAGED',
    exitCode: EXIT.error,
    message: (path, reason) => `${path} is damaged: ${firstLine(reason)}`,
    hint: 'run `dripstone run`: it is quarantined and rebuilt from tiers and logs',
  },
  'not-writable': {
    code: 'STORE_NOT_WRITABLE',
    exitCode: EXIT.notWritable,
    message: (path, reason) => `${path} cannot be written: ${firstLine(reason)}`,
    hint: 'check owner and mode of the folder',
  },
  'no-store': {
    code: 'NO_STORE',
    exitCode: EXIT.noStore,
    message: (path) => `there is no store yet at ${path}`,
    hint: 'run `dripstone run` first',
  },
  memory: {
    code: 'OUT_OF_MEMORY',
    exitCode: EXIT.error,
    message: (_, reason) => `the database engine lacks the memory for this: ${firstLine(reason)}`,
    hint: 'nothing is changed or lost; ask for less at once: one project (`--project`), a time (`--since`), fewer hits',
  },
};

const KIND_OF_CODE = new Map<string, FaultKind>([
  ['STORE_RENEWED', 'renewed'],
  ['STORE_TOO_OLD', 'damaged'],
  ...Object.entries(READINGS).map(([kind, { code }]): [string, FaultKind] => [
    code,
    kind as FaultKind,
  ]),
]);

/**
 * Turns a DuckDB error into an error for a person. An unknown error is a bug; it stays unchanged
 * and keeps its stack.
 *
 * @param path the database file, named in the message
 */
export function storeError(error: unknown, path: string): Error {
  if (error instanceof AppError) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  const kind = faultKind(cause);
  if (kind === 'renewed' || kind === 'other') return cause;
  const { code, message, hint, exitCode } = READINGS[kind];
  return new AppError(code, message(path, cause.message), { hint, exitCode, cause });
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').slice(0, 200);
}
