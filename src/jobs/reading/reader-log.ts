/** Reads one log to its end as batches: tail, parse, fold, prepare. */
import { dirname } from 'node:path';
import {
  type Adapter,
  type Batch,
  type Checkpoint,
  type LogName,
  type PreparedEntry,
  type SessionFacts,
  type Shape,
  shapeOf,
} from '../../types.js';
import {
  ChangedLog,
  compressedSource,
  documentSource,
  isCompressed,
  type Line,
  type LogBytes,
  openDatabaseLog,
  type ParsedLine,
  parseLine,
  type Piece,
  type LogPosition,
  readBeside,
  rowSource,
  STILL_MS,
  type Tail,
  tailLog,
  type TailOptions,
  tailRecords,
} from '../../watchers/index.js';
import { isObject } from '../../text/fields.js';
import { Fold, type FULL, type Gathered, type PlacedRawEntry } from './reader-fold.js';

export interface LogTask {
  agent: string;
  path: string;
  /** Path in its place. */
  relative: string;
  /** Another person may have written the log's user texts: see `FoundLog.foreign`. */
  foreign?: boolean;
  /** Sessions with logs of their own. */
  elsewhere?: readonly string[];
  saved: Checkpoint | null;
  /** Wall clock, ISO. */
  now: string;
}

/** Turns raw entries into rows: masking, ids, hashes, terms. */
export interface Preparer {
  /**
   * @param equals result of an earlier call for this log (counts of equal entries without ids), or
   * null
   */
  prepare(
    rawEntries: PlacedRawEntry[],
    log: { agent: string; path: string },
    equals: unknown,
  ): { entries: PreparedEntry[]; equals: unknown };
  prepareFacts(facts: SessionFacts[]): SessionFacts[];
  /** The fold's part of the checkpoint without secrets. */
  prepareState(state: unknown): unknown;
}

export interface LogReading extends TailOptions {
  adapter: Adapter;
  /** IANA name of the machine's time zone; absent: UTC. */
  zone?: string;
  open(path: string): LogBytes;
  preparer: Preparer;
  isExcluded(folder: string): boolean;
  /** `excludesOf` its globs. */
  excludes?: string;
  /** When a batch is full; tests set small limits. */
  full?: typeof FULL;
}

/** The end of reading a log. */
export interface LogEnd {
  /** Nothing of the log may be stored, because its project is excluded. */
  excluded: boolean;
}

/** A file that is rewritten again and again during reading is left for the next scan. */
const ATTEMPTS = 3;

/**
 * Yields complete batches: a stop between two batches loses or doubles nothing.
 * @throws UnreadableLog when the path cannot be opened, ChangedLog when the file keeps changing
 */
export async function* readLog(task: LogTask, parts: LogReading): AsyncGenerator<Batch, LogEnd> {
  let saved = canContinue(task, parts.adapter) ? task.saved : null;
  for (let attempt = 1; ; attempt++) {
    const log =
      shapeOf(parts.adapter, task.relative) === 'rows'
        ? openDatabaseLog(task.path)
        : parts.open(task.path);
    try {
      const reading = readOpen(log, { ...task, saved }, parts);
      let next = await reading.next();
      for (; next.done !== true; next = await reading.next()) {
        saved = next.value.checkpoint;
        yield next.value;
      }
      return next.value;
    } catch (error) {
      if (!(error instanceof ChangedLog) || attempt === ATTEMPTS) throw error;
    } finally {
      log.close();
    }
  }
}

/** An older state has other fields; then the log is read again, with the same ids. */
function canContinue({ saved, relative, path }: LogTask, adapter: Adapter): boolean {
  if (saved === null || saved.state === '') return true;
  const { adapter: kept } = JSON.parse(saved.state) as { adapter: unknown };
  const fresh = adapter.start({ relative, folder: dirname(path) }) ?? {};
  return hasFields(kept ?? {}, JSON.parse(JSON.stringify(fresh)));
}

/** Whether the saved state has each field of a new one, at any depth. */
function hasFields(kept: unknown, fresh: unknown): boolean {
  if (!isObject(kept) || !isObject(fresh)) return true;
  return Object.keys(fresh).every((key) => key in kept && hasFields(kept[key], fresh[key]));
}

async function* readOpen(
  log: LogBytes,
  task: LogTask,
  parts: LogReading,
): AsyncGenerator<Batch, LogEnd> {
  const { adapter } = parts;
  const shape = shapeOf(adapter, task.relative);
  const name: LogName = { relative: task.relative, folder: dirname(task.path) };
  const tail = tailOf(log, task, parts, shape, name);
  const saved = tail.plan.fresh ? null : task.saved;
  if (saved === null) name.beside = readBeside(task, adapter.beside?.(task.relative) ?? []);
  const changed =
    shape === 'rows' ? null : new Date(Math.min(log.mtimeMs, Date.parse(task.now))).toISOString();
  const { path, foreign = false, elsewhere = [] } = task;
  const { isExcluded, excludes = '', full, zone } = parts;
  const facts = { path, foreign, excludes, changed, ...(zone === undefined ? {} : { zone }) };
  const fold = new Fold({ adapter, name, elsewhere, ...facts }, saved, isExcluded, full);
  const isStill = Date.parse(task.now) - log.mtimeMs >= STILL_MS;
  const batch = (place: LogPosition): Promise<Batch> => {
    if (!tail.isSame()) throw new ChangedLog('changed while it was read');
    return finishBatch(task, parts, fold, fold.cut(), place);
  };
  let place = tail.start;
  let stored = false;
  if (saved !== null && saved.path !== task.path) {
    stored = true; // the log moved: save its new path, so that the store recognises it
    yield { checkpoint: { ...saved, path: task.path }, entries: [], sessions: [], bad: [] };
  }
  let next = tail.pieces.next();
  for (; next.done !== true; next = tail.pieces.next()) {
    const piece = next.value;
    let last: Line | null = null;
    for (const line of piece.lines) {
      if (!takeLine(fold, line, piece, isStill, shape)) break;
      last = line;
      // Yields nothing before the folder is known, because its project may be excluded.
      if (
        !fold.isFull() ||
        (!stored && !fold.knowsFolder() && line.end - tail.start.offset < HOLD_BYTES)
      )
        continue;
      stored = true;
      // Time 0: the log was not read to its end, so the next scan opens it again even if it did not
      // grow.
      yield await batch({ ...piece.placeAfter(line), mtime_ms: 0 });
    }
    if (last !== null) place = piece.placeAfter(last);
  }
  const { fault, end = place } = next.value;
  if (fault !== null) fold.blame({ line: place.line + 1, offset: place.offset, reason: fault });
  const isEmpty = fold.excluded > 0 && !stored && fold.isEmpty();
  if (!isEmpty) yield await batch(end);
  return { excluded: isEmpty };
}

/** Chooses the reader for a log's shape. */
export function tailOf(
  log: LogBytes,
  { path, saved }: Pick<LogTask, 'path' | 'saved'>,
  parts: TailOptions & { adapter: Adapter },
  shape: Shape,
  name: LogName,
): Tail {
  const { rows = [] } = parts.adapter;
  const unfold = (content: unknown): unknown[] | null =>
    parts.adapter.unfold?.(content, name) ?? null;
  if (shape === 'rows') return tailRecords(log, saved, rowSource(path, rows));
  if (shape === 'document' || shape === 'replay' || shape === 'page')
    return tailRecords(log, saved, documentSource(unfold, shape));
  if (isCompressed(path)) return tailRecords(log, saved, compressedSource);
  return tailLog(log, saved, parts);
}

const HOLD_BYTES = 8 * 1024 * 1024;

/** Turns a line of plain text into a record. */
export function textLine({ bytes, nuls, lost }: Line): ParsedLine {
  if (lost !== null) return { values: [], bad: `longer than the limit: ${lost.size} bytes` };
  const text = bytes.toString('utf8').replaceAll('\0', '').replace(/\r$/, '');
  return { values: [{ text }], bad: nuls > 0 ? `${nuls} NUL bytes` : null };
}

/**
 * Whether a line consists of NUL bytes after a power loss, so that it is never completed. Each run
 * of NULs is one byte here.
 */
function isHole(line: Line): boolean {
  return line.nuls > 0 && line.bytes.every((byte) => byte === 0);
}

/**
 * Handles a last line without its newline: takes it only if it has not changed for long and is a
 * complete record or a hole. Returns whether it was taken.
 */
function takeLine(fold: Fold, line: Line, piece: Piece, isStill: boolean, shape: Shape): boolean {
  if (piece.unterminated && !isStill) return false;
  const parsed = shape === 'text' ? textLine(line) : parseLine(line);
  if (piece.unterminated && !isHole(line) && (parsed.bad !== null || parsed.values.length === 0))
    return false;
  fold.take(parsed, { line: line.line, offset: line.offset, bytes: line.end - line.offset });
  return true;
}

async function finishBatch(
  task: LogTask,
  parts: LogReading,
  fold: Fold,
  gathered: Gathered,
  place: LogPosition,
): Promise<Batch> {
  const { agent, path, now } = task;
  // Saved before any await, because the fold's present state belongs to this position.
  const { state, unknown_types, ...saved } = fold.save();
  const { entries: prepared, equals } = parts.preparer.prepare(
    gathered.rawEntries,
    { agent, path },
    fold.equals,
  );
  fold.equals = equals;
  const facts = parts.preparer.prepareFacts(gathered.sessions);
  const models = [...new Set(gathered.usage.map(({ model }) => model))];
  const kept = parts.preparer.prepareState({
    ...{ state: { ...state, equals }, types: Object.entries(unknown_types) },
    models,
  }) as { state: unknown; types: [string, number][]; models: (string | null)[] };
  const usage = gathered.usage.map((row) => ({
    ...row,
    model: kept.models[models.indexOf(row.model)] ?? null,
  }));
  const checkpoint: Checkpoint = {
    agent,
    path,
    ...place,
    ...saved,
    unknown_types: Object.fromEntries(kept.types),
    state: JSON.stringify(kept.state),
    last_read: now,
  };
  const sessions = facts.map((each) => ({ ...each, agent }));
  return { checkpoint, entries: prepared, sessions, usage, bad: gathered.bad };
}
