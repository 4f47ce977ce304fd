/** Builds the modules for one process and closes them in reverse order. */
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import {
  homeOf,
  pathsOf,
  userHomeOf,
  type Config,
  type Environment,
  type HomePaths,
} from './config.js';
import { keepConfig, openConfig } from './config-file.js';
import type { EmbedderLease } from './embed/embedder.js';
import { leaseModel } from './embed/lease.js';
import { AppError, EXIT, messageOf } from './errors.js';
import { collectSooner, processorMs } from './jobs/processor-time.js';
import { readDaemon, refuseMigration } from './jobs/upkeep/daemon-note.js';
import { createComputePool, type ComputePool } from './jobs/compute-pool.js';
import type { JobContext, Progress, RunMode } from './jobs/job.js';
import { openLog } from './log.js';
import { shippedFile } from './place.js';
import type { Reader } from './recall/recall.js';
import { askFree as requestFile } from './wire.js';
import {
  acquireLock,
  bootStore,
  closeKilledRuns,
  isStoreLost,
  openStore,
  trueFile,
  type BootReport,
  type Store,
} from './store/index.js';
import type { Caller, Clock } from './types.js';
import { randomBytes } from 'node:crypto';

/** How long a command waits for the database before it exits 11. */
export const LOCK_WAIT_MS = 5000;
const LOG_MIB = 5;
const LOGS_KEPT = 3;

interface AppOptions {
  env: Environment;
  clock: Clock;
  signal: AbortSignal;
  /** Who runs the command; absent for the daemon, where each request names its caller. */
  caller?: () => Caller;
  /** `read` opens the store read-only without a lock; `write` takes the home's writer lock. */
  access: 'read' | 'write';
  /** The reading command also works without a store: see `storeExists`. */
  storeOptional?: boolean;
  /** The reading command also works with a broken config.yaml: see `configProblem`. */
  configOptional?: boolean;
  /** The error that ended the last run because the database is lost or damaged. */
  suspicion?: unknown;
  /** If the home is locked, the daemon fails at once and a command waits. */
  lockAs?: 'daemon' | 'writer';
  /** The daemon logs to a file, commands to stderr. */
  logTo?: 'file' | 'stderr';
  /** Whether to extract every session at once (commands), or only idle ones (daemon). */
  mode?: RunMode;
  progress?: (report: Progress) => void;
  /** How long to wait while another process has the database open; shorter in tests. */
  lockWaitMs?: number;
  /** The embedder of a server, which closes it; tests use a small one. */
  embedder?: EmbedderLease;
  /** Tests share one among many homes, since its thread starts slowly. */
  compute?: ComputePool;
  /** The open reading app of a server, which a reading command borrows. */
  lend?: () => Promise<App>;
}

/** Everything that a command or the daemon works with; closed in reverse order. */
export interface App extends JobContext, Reader, AsyncDisposable {
  /** Why config.yaml cannot be used; the options are then those of the last valid one. */
  configProblem: AppError | null;
  /** What opening the store found; null for readers. */
  boot: BootReport | null;
  /** Runs `release` when the app is disposed, before everything that was opened earlier. */
  defer(release: Release): void;
}

type Release = () => Promise<void> | void;

/** Resources to close in reverse order. If one fails to close, the others are still closed. */
class Opened {
  private readonly releases: Release[] = [];

  defer(release: Release): void {
    this.releases.push(release);
  }

  async close(): Promise<void> {
    let first: unknown;
    for (const release of this.releases.splice(0).reverse()) {
      try {
        await release();
      } catch (error) {
        first ??= error;
      }
    }
    if (first !== undefined) throw first;
  }
}

/**
 * @throws AppError exit 13 for a wrong config or a newer store, 14 for a home that cannot be
 * written, 10 for reading without a store, 11 if another writer has the lock
 */
export async function createApp(options: AppOptions): Promise<App> {
  if (options.lend !== undefined && options.access === 'read')
    return borrowed(await options.lend(), options);
  // Only the person may read these files; DuckDB would create its own as 0644.
  process.umask(0o077);
  const paths = placesOf(options.env);
  const { config, problem } = await openConfig(paths, options.configOptional === true);
  if (options.access === 'write') prepareHome(paths);
  const opened = new Opened();
  try {
    const redactKey = keyOf(paths, options.access);
    const log = logOf(options, config, paths, redactKey, opened);
    if (options.access === 'write') {
      await lockHome(options, paths, opened);
      await keepConfig(paths);
    }
    const { store, boot } = await storeOf(options, paths);
    opened.defer(() => store.close());
    const embedder = options.embedder ?? modelOf(options, config);
    if (options.embedder === undefined) opened.defer(() => embedder.close());
    const compute = options.compute ?? createComputePool();
    if (options.compute === undefined) opened.defer(() => compute.close());
    if (boot !== null) await takeOver(options, store, log, boot);
    return {
      storeExists: existsSync(paths.store),
      configProblem: problem,
      boot,
      paths,
      config,
      clock: options.clock,
      store,
      embedder,
      compute,
      excludedLogs: new Map(),
      asking: { pending: null },
      log,
      env: options.env,
      userHome: userHomeOf(options.env),
      redactKey,
      mode: options.mode ?? 'once',
      signal: options.signal,
      ...(options.caller && { caller: options.caller }),
      turn: () => Promise.resolve(!options.signal.aborted),
      withheld: async (project) => {
        const { withheldFrom } = await import('./jobs/learning/material.js');
        return withheldFrom({ store, paths, compute, clock: options.clock }, project);
      },
      progress: options.progress ?? (() => {}),
      defer: (release) => opened.defer(release),
      [Symbol.asyncDispose]: () => opened.close(),
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Runs work in a new app. If the database proves lost, boots and runs the work once more. */
export async function withApp<T>(options: AppOptions, work: (app: App) => Promise<T>): Promise<T> {
  const once = async (suspicion?: unknown): Promise<T> => {
    await using app = await createApp({ ...options, suspicion });
    return await work(app);
  };
  try {
    return await once();
  } catch (error) {
    if (options.signal.aborted || !isStoreLost(error)) throw error;
    return once(error);
  }
}

function noStore(paths: HomePaths): AppError {
  return new AppError('NO_STORE', `there is no memory yet: ${paths.store} does not exist`, {
    hint: 'run `dripstone run` first',
    exitCode: EXIT.noStore,
  });
}

/** An app that another owner opened: giving it back closes neither the store nor anything else. */
export function borrowed(
  app: App,
  options: Pick<AppOptions, 'storeOptional' | 'configOptional' | 'signal' | 'caller'>,
): App {
  if (app.configProblem !== null && options.configOptional !== true) throw app.configProblem;
  if (!app.storeExists && options.storeOptional !== true) throw noStore(app.paths);
  const { store } = app;
  return {
    ...app,
    store: {
      path: store.path,
      boot: () => store.boot(),
      read: (fn, how) => store.read(fn, how),
      write: (fn, how) => store.write(fn, how),
      rebuild: () => store.rebuild(),
      isTouched: () => store.isTouched(),
      revision: () => store.revision(),
      withClosed: (fn) => store.withClosed(fn),
      release: () => store.release(),
      close: () => store.release(),
      isOpen: () => store.isOpen(),
    },
    signal: options.signal,
    ...(options.caller && { caller: options.caller }),
    [Symbol.asyncDispose]: async () => {},
  };
}

function placesOf(env: Environment): HomePaths {
  const named = pathsOf(homeOf(env));
  return { ...named, store: trueFile(named.store) };
}

async function lockHome(options: AppOptions, paths: HomePaths, opened: Opened): Promise<void> {
  const lock = await acquireLock({
    path: paths.lock,
    clock: options.clock,
    as: options.lockAs ?? 'writer',
    isDaemon: (pid) => isDaemon(paths, pid),
    waitMs: options.lockWaitMs ?? LOCK_WAIT_MS,
  });
  opened.defer(() => lock.release());
}

/** Cleans up after a killed process; logs the store's state, which a command also prints. */
async function takeOver(
  { clock, logTo }: AppOptions,
  store: Store,
  log: JobContext['log'],
  boot: BootReport,
): Promise<void> {
  await store.write((db) => closeKilledRuns(db, clock.now().toISOString()));
  if (boot.reason !== null && logTo === 'file')
    log.warn(
      { moved: boot.moved, reason: boot.reason },
      'the store was damaged: it was quarantined and is rebuilt from tiers and logs',
    );
}

/**
 * Whether the lock's holder is a daemon. A daemon writes daemon.json just after it takes the lock,
 * so a holder missing there is a command. If the system names no holder, a living daemon counts.
 */
function isDaemon(paths: HomePaths, pid: number | null): boolean {
  const named = readDaemon(paths);
  return named !== null && (pid === null || pid === named.pid);
}

function logOf(options: AppOptions, config: Config, paths: HomePaths, key: string, opened: Opened) {
  // Most commands log nothing, so the rules are loaded with the first line.
  const makeRedactor = async () =>
    (await import('./redact/index.js')).createRedactor({
      key,
      mono: () => options.clock.mono(),
      cpu: processorMs,
      ...config.redact,
    });
  let redactor: ReturnType<typeof makeRedactor> | null = null;
  const { log, close } = openLog({
    level: options.logTo === 'file' ? config.log.level : 'warn',
    folder: options.logTo === 'file' ? paths.logs : null,
    fileMib: LOG_MIB,
    filesKept: LOGS_KEPT,
    redact: async (lines) => (await (redactor ??= makeRedactor())).redact(lines),
    now: () => options.clock.now(),
  });
  opened.defer(close);
  return log;
}

async function storeOf(
  options: AppOptions,
  paths: HomePaths,
): Promise<Pick<App, 'store' | 'boot'>> {
  const readOnly = options.access === 'read';
  const how = {
    path: paths.store,
    named: pathsOf(paths.home).store,
    clock: options.clock,
    lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_MS,
    readOnly,
    // A new daemon replaces an older version, so it may migrate the store.
    ...(options.lockAs !== 'daemon' && {
      beforeMigration: (path: string) => refuseMigration({ env: options.env, paths }, path),
    }),
  };
  if (!readOnly) {
    const { store, report } = await bootStore(how, options.suspicion);
    return { store, boot: report };
  }
  if (options.storeOptional !== true && !existsSync(paths.store)) throw noStore(paths);
  const askFree = (signal: AbortSignal): Promise<void> =>
    requestFile(paths.home, signal, LOCK_WAIT_MS);
  return { store: openStore({ ...how, askFree }), boot: null };
}

/**
 * Makes a folder and those above. Node's own function never ends if the parent exists but refuses
 * new folders (`/proc/self/x`).
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/** Makes the home and its folders, all 0700. */
function prepareHome(paths: HomePaths): void {
  const folders = [paths.home, paths.logs, paths.inbox, paths.global, paths.projects];
  if (paths.home.includes('?')) {
    // DuckDB puts its log's name before the question mark (`what.wal?x/…`), so no row could be
    // committed.
    throw new AppError(
      'HOME_NOT_USABLE',
      `the path ${paths.home} contains a question mark, which the database cannot use`,
      { hint: 'set DRIPSTONE_HOME to a folder without one', exitCode: EXIT.notWritable },
    );
  }
  collectSooner();
  try {
    for (const folder of folders) {
      makeFolder(folder);
      chmodSync(folder, 0o700);
    }
    accessSync(paths.home, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new AppError(
      'HOME_NOT_WRITABLE',
      `${paths.home} cannot be written: ${messageOf(cause)}`,
      {
        hint: 'make it writable, or set DRIPSTONE_HOME to a folder that is',
        exitCode: EXIT.notWritable,
        cause,
      },
    );
  }
}

function modelOf({ env, signal, clock }: AppOptions, { embed: settings }: Config): EmbedderLease {
  const shipped = shippedFile('models/all-MiniLM-L6-v2');
  return leaseModel({
    settings,
    shipped,
    userHome: userHomeOf(env),
    env,
    signal,
    mono: () => clock.mono(),
  });
}

// The home's secret key is in its own file, which is written whole or not at all.

/**
 * The home's secret key for marks of masked secrets, made once. A reader without a key writes no
 * marks, so it needs none.
 */
function keyOf(paths: HomePaths, access: 'read' | 'write'): string {
  const known = existsSync(paths.key) ? readFileSync(paths.key, 'utf8').trim() : '';
  if (known !== '') return known;
  const key = randomBytes(32).toString('hex');
  return access === 'read' || keepKey(paths, key) ? key : readFileSync(paths.key, 'utf8').trim();
}

/**
 * Writes the key whole or not at all, even if the process is killed. If two processes start
 * together, the first key is kept.
 * @returns false if a key exists by now
 */
function keepKey(paths: HomePaths, key: string): boolean {
  const temp = `${paths.home}/.redact.key.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    writeFileSync(temp, `${key}\n`, { mode: 0o600, flag: 'wx' });
    if (existsSync(paths.key) && statSync(paths.key).size === 0) renameSync(temp, paths.key);
    else linkSync(temp, paths.key);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new AppError('HOME_NOT_WRITABLE', `${paths.key} cannot be written: ${messageOf(cause)}`, {
      hint: 'free some space or make the folder writable, or set DRIPSTONE_HOME to another one',
      exitCode: EXIT.notWritable,
      cause,
    });
  } finally {
    rmSync(temp, { force: true });
  }
}
