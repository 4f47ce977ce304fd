/**
 * Reads what agents wrote since the last time: newest logs first, each batch stored with its
 * checkpoint. An unreadable log does not stop the others.
 */
import { zoneOf } from '../../config.js';
import {
  loadCheckpoints,
  loadPurged,
  purgedLog,
  commitBatches,
  type Store,
} from '../../store/index.js';
import type { Batch, Checkpoint } from '../../types.js';
import { type FoundLog, needsReading } from '../../watchers/index.js';
import { escapeGlob } from '../../projects/globs.js';
import { type Job, type JobContext, type JobResult, type Trigger } from '../job.js';
import { lookForLogs } from './look.js';
import { excludesOf, wasReadAs } from './reader-fold.js';
import type { ReaderOptions } from './read-part.js';
import { readInThread } from './reader.js';

interface Tally {
  logs: number;
  failed: number;
  excluded: number;
  changed: number;
  bytes: number;
}

/**
 * Thrown when the job gives way in the middle of a log; stored batches stay. A log is read for a
 * while before that, because opening some logs again is slow.
 */
class GaveWay extends Error {}
const LEAST_IN_LOG_MS = 3000;

function optionsOf({ config, paths, redactKey, userHome, env }: JobContext): ReaderOptions {
  const exclude = [...config.exclude, escapeGlob(paths.llm)];
  return { redactKey, ...config.redact, exclude, userHome, zone: zoneOf(env) };
}

function excludesIn(context: JobContext): string {
  return excludesOf(optionsOf(context).exclude);
}

function sizeKey({ log }: PlannedLog, excludes: string): string {
  return `${excludes}:${log.device}:${log.inode}:${log.size}:${log.mtimeMs}`;
}

/** Logs whose checkpoints are loaded at once; thousands would block the event loop. */
const LOGS_AT_ONCE = 500;

async function pendingLogs(context: JobContext, trigger: Trigger): Promise<PlannedLog[]> {
  const { logs: found } = await lookForLogs(context, trigger.paths);
  if (found.length === 0) return [];
  const now = context.clock.now().getTime();
  const excludes = excludesIn(context);
  const pending = await context.store.read(async (db) => {
    const purged = new Set(await loadPurged(db, 'log:'));
    const logs =
      purged.size === 0 ? found : found.filter(({ path }) => !purged.has(purgedLog(path)));
    const planned: PlannedLog[] = [];
    for (let at = 0; at < logs.length; at += LOGS_AT_ONCE) {
      const some = logs.slice(at, at + LOGS_AT_ONCE);
      planned.push(...planLogs(some, await loadCheckpoints(db, some), now, excludes));
    }
    return planned;
  });
  return pending.filter(
    (each) => context.excludedLogs.get(each.log.path) !== sizeKey(each, excludes),
  );
}

interface Watch {
  /** Whether the job gives way in the middle of the log. */
  givesWay(): Promise<boolean>;
  /** Reports how many bytes of the log have been read so far. */
  report(bytes: number): void;
}

async function readOne(
  context: JobContext,
  planned: PlannedLog,
  writer: BatchWriter,
  tally: Tally,
  { givesWay, report }: Watch,
): Promise<void> {
  const { log, saved } = planned;
  const now = context.clock.now().toISOString();
  const task = { ...log, saved, now };
  const outcome = await readInThread(context.compute, optionsOf(context), task, async (batch) => {
    context.signal.throwIfAborted();
    if (await givesWay()) throw new GaveWay();
    await writer.add(batch);
    report(batch.checkpoint.offset - (saved?.offset ?? 0));
  });
  // A log that was deleted in the meantime is normal.
  if (outcome.kind === 'absent' && outcome.reason !== 'gone')
    context.log.warn(
      { path: log.path, reason: outcome.reason },
      'a log could not be read; it is tried again',
    );
  if (outcome.kind === 'changed' || outcome.kind === 'absent') tally.changed += 1;
  else if (outcome.kind === 'read') {
    tally.logs += outcome.excluded ? 0 : 1;
    tally.excluded += outcome.excluded ? 1 : 0;
    if (outcome.excluded) context.excludedLogs.set(log.path, sizeKey(planned, excludesIn(context)));
  } else {
    tally.failed += 1;
    const reason = `reading it failed twice (${outcome.reason})`;
    await writer.add(markSkipped(log, outcome.last, reason, now));
    context.log.warn(
      { path: log.path, reason, line: outcome.last?.line ?? 0 },
      'a log was skipped',
    );
  }
}

function unread({ log, saved }: PlannedLog): number {
  return Math.max(0, log.size - (saved?.offset ?? 0));
}
function bytesOf(logs: readonly PlannedLog[]): number {
  return logs.reduce((sum, planned) => sum + unread(planned), 0);
}

/**
 * @param total bytes of all waiting logs, including those that are not read now
 * @returns false if the job gave way before the last log
 */
async function readAll(
  context: JobContext,
  logs: readonly PlannedLog[],
  total: number,
  writer: BatchWriter,
  tally: Tally,
): Promise<boolean> {
  const { clock } = context;
  const begun = clock.mono();
  let batches = 0;
  // At least one log or one batch is read each time, so that the job makes progress.
  const givesWay = async (): Promise<boolean> =>
    batches++ > 0 && clock.mono() - begun >= LEAST_IN_LOG_MS && !(await context.turn());
  // A log that shrank is read again from the start; for progress only the expected bytes count.
  const reportOf = (log: number) => (bytes: number) =>
    context.progress({
      job: 'ingest',
      done: (tally.bytes + Math.min(Math.max(0, bytes), log)) / 1e6,
      total: total / 1e6,
      unit: 'MB',
    });
  for (const [at, planned] of logs.entries()) {
    if (context.signal.aborted) break;
    if (at > 0 && !(await context.turn())) return false;
    const bytes = unread(planned);
    await readOne(context, planned, writer, tally, { givesWay, report: reportOf(bytes) });
    tally.bytes += bytes;
    reportOf(0)(0);
  }
  return true;
}

/** The first logs up to this many bytes, including the one that exceeds the limit. */
function newestOf(logs: readonly PlannedLog[], bytes: number): readonly PlannedLog[] {
  let sum = 0;
  const last = logs.findIndex((planned) => (sum += unread(planned)) >= bytes);
  return last < 0 ? logs : logs.slice(0, last + 1);
}

async function run(context: JobContext, trigger: Trigger): Promise<JobResult> {
  if (!context.config.enabled) return { done: 0 };
  const pending = await pendingLogs(context, trigger);
  if (pending.length === 0) return { done: 0 };
  const logs = newestOf(pending, trigger.newestBytes ?? Infinity);
  const writer = createBatchWriter(context.store);
  const tally: Tally = { logs: 0, failed: 0, excluded: 0, changed: 0, bytes: 0 };
  let isDone = true;
  try {
    isDone = await readAll(context, logs, bytesOf(pending), writer, tally).catch(
      (error: unknown) => {
        if (error instanceof GaveWay) return false;
        throw error;
      },
    );
    await writer.flush();
  } catch (error) {
    await writer.flush().catch(() => {}); // storing must end before the store closes
    if (!context.signal.aborted) throw error;
  }
  const { added, revised, known } = writer.stored();
  const counts = {
    logs: tally.logs,
    entries: added,
    revised,
    known,
    excluded: tally.excluded,
    changed: tally.changed,
  };
  const isWhole = isDone && !context.signal.aborted && logs.length === pending.length;
  return {
    done: tally.logs,
    failed: tally.failed,
    counts,
    changed: added + revised > 0,
    ...(isWhole ? {} : { more: true }),
  };
}

export const ingestJob: Job = { name: 'ingest', due: 'always', run };

// Decides which logs must be read, and from which checkpoint. Pure.

interface PlannedLog {
  log: FoundLog;
  saved: Checkpoint | null;
}

/**
 * The logs that are new, grew, changed, moved, or have an incomplete last line that no longer
 * changes; in the given order. The file (device and inode) identifies the checkpoint, else the
 * path; `watchers/guard.ts` decides whether it is still valid.
 * @param checkpoints in the order of reading: the newest checkpoint of a file counts
 * @param excludes `excludesOf` the config
 */
export function planLogs(
  logs: readonly FoundLog[],
  checkpoints: readonly Checkpoint[],
  now: number,
  excludes: string,
): PlannedLog[] {
  const fileOf = ({
    agent,
    device,
    inode,
  }: Pick<Checkpoint, 'agent' | 'device' | 'inode'>): string => `${agent}\0${device}:${inode}`;
  const byFile = new Map(checkpoints.map((each) => [fileOf(each), each]));
  const byPath = new Map(checkpoints.map((each) => [`${each.agent}\0${each.path}`, each]));
  return logs.flatMap((log) => {
    const saved = byFile.get(fileOf(log)) ?? byPath.get(`${log.agent}\0${log.path}`) ?? null;
    // The config changed the owner of the log, so its prompts become other rows, or what is
    // excluded.
    if (saved !== null && saved.state !== '' && !wasReadAs(saved, log.foreign, excludes))
      return [{ log, saved: null }];
    return saved?.path !== log.path || needsReading(saved, log, now) ? [{ log, saved }] : [];
  });
}

// Records an unreadable log: it is reported, and not opened again before it changes. Pure.

/**
 * A batch without entries: keeps the last stored position, with the present size and time, so that
 * the log is not tried again.
 * @param last the checkpoint of the readable part, or null
 */
function markSkipped(log: FoundLog, last: Checkpoint | null, reason: string, now: string): Batch {
  const { agent, path, device, inode, size, mtimeMs } = log;
  const base: Checkpoint = last ?? { ...NOTHING, agent, path, device, inode, last_read: now };
  const line = base.line + 1;
  return {
    checkpoint: {
      ...base,
      path,
      device,
      inode,
      size,
      mtime_ms: mtimeMs,
      bad_lines: base.bad_lines + 1,
      last_read: now,
    },
    entries: [],
    sessions: [],
    bad: [{ path, line, offset: base.offset, reason }],
  };
}

/** sha256 of no bytes, in the form of the marks. */
const EMPTY = 'e3b0c44298fc1c14';

const NOTHING: Omit<Checkpoint, 'agent' | 'path' | 'device' | 'inode' | 'last_read'> = {
  offset: 0,
  line: 0,
  head_length: 0,
  head_hash: EMPTY,
  tail_length: 0,
  tail_hash: EMPTY,
  size: 0,
  mtime_ms: 0,
  state: '',
  bad_lines: 0,
  unknown_types: {},
  session: null,
};

// Stores batches in order, as many as fit in a transaction, because each transaction is slow.

interface BatchWriter {
  /** Accepts a batch, even while a transaction is written. Throws the error of an earlier write. */
  add(batch: Batch): Promise<void>;
  /** Resolves when everything is stored. */
  flush(): Promise<void>;
  stored(): { added: number; revised: number; known: number };
}

/**
 * Most entries, logs and characters in one transaction. It must be short, because it locks the
 * file, and pending batches are in memory twice.
 */
const MOST = { entries: 3000, logs: 256, characters: 4 * 1024 * 1024 };

function createBatchWriter(store: Store): BatchWriter {
  const sums = { added: 0, revised: 0, known: 0 };
  let waiting: Batch[] = [];
  let size = { entries: 0, characters: 0 };
  /** The present transaction, during which the next batches are read. */
  let writing: Promise<void> = Promise.resolve();
  let failure: { error: unknown } | null = null;

  const writeWaiting = async (): Promise<void> => {
    await writing;
    if (failure !== null) throw failure.error;
    const batches = waiting;
    [waiting, size] = [[], { entries: 0, characters: 0 }];
    writing = store
      .write((db) => commitBatches(db, batches), { isLean: true })
      .then(
        (done) => {
          for (const name of Object.keys(sums) as (keyof typeof sums)[]) sums[name] += done[name];
        },
        (error: unknown) => void (failure = { error }),
      );
  };
  return {
    async add(batch) {
      const entries = size.entries + batch.entries.length;
      const characters = batch.entries.reduce(
        (sum, { text }) => sum + text.length,
        size.characters,
      );
      const fits = entries <= MOST.entries && characters <= MOST.characters;
      if (waiting.length > 0 && !(fits && waiting.length < MOST.logs)) {
        await writeWaiting();
        return this.add(batch);
      }
      waiting.push(batch);
      size = { entries, characters };
    },
    async flush() {
      if (waiting.length > 0) await writeWaiting();
      await writing;
      if (failure !== null) throw failure.error;
    },
    stored: () => ({ ...sums }),
  };
}
